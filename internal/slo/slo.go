// Package slo writes the Prometheus rules and the Grafana dashboard of a taxonomy's operations. Both
// read errgen_requests_total, which the servers count.
//
// The alerts are those of "Alerting on SLOs" in The Site Reliability Workbook: an alert fires while
// the error budget of 30 days burns too fast in a long and in a short window.
package slo

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/model"
)

// The limits of an objective, in percent. Below the minimum, the fastest burn rate, 14.4, would need
// more than 100 % failures.
const (
	MinObjective     = 94
	MaxObjective     = 99.999
	DefaultObjective = 99.9
)

// Options configure [Files].
type Options struct {
	// Objective is the share of requests that succeed or fail by a fault of their client, in percent.
	Objective float64
	// Objectives are those of operations, by name, in place of Objective.
	Objectives map[string]float64
	// Mark is in the first line of each file.
	Mark string
}

// File is a file to write.
type File struct {
	Name    string
	Content []byte
}

// The names of the files.
const (
	RulesFile     = "rules.yaml"
	DashboardFile = "dashboard.json"
)

// Files returns the rules and the dashboard.
func Files(m *model.Package, o Options) []File {
	return []File{{DashboardFile, dashboard(m, o)}, {RulesFile, rules(m, o)}}
}

// windows are those of the recording rules.
var windows = []string{"5m", "30m", "1h", "2h", "6h", "1d", "3d"}

// alert fires if the budget burns at one of the rates.
type alert struct {
	severity, summary string
	burns             []burn
}

// burn is a burn rate in a long window, and in a short one, so that the alert ends soon after the
// failures do.
type burn struct{ rate, long, short string }

var alerts = []alert{
	{"page", "burns its error budget fast", []burn{{"14.4", "1h", "5m"}, {"6", "6h", "30m"}}},
	{"ticket", "burns its error budget slowly", []burn{{"3", "1d", "2h"}, {"1", "3d", "6h"}}},
}

// metric returns the metric that a rule records for a window.
func metric(window string) string { return "operation:errgen_requests:error_ratio_rate" + window }

func rules(m *model.Package, o Options) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", o.Mark)
	b.WriteString("# Rules for Prometheus. A fault of the client is not an error of the operation.\ngroups:\n")
	var names []string
	for _, op := range m.Operations {
		names = append(names, op.Value.Name)
	}
	fmt.Fprintf(&b, "  - name: %s\n    rules:\n", quote("errgen-slo/"+domainOf(m)))
	labels := fmt.Sprintf(`domain=%q, operation=~"%s"`, domainOf(m), strings.Join(names, "|"))
	for _, window := range windows {
		all := rate(labels, window)
		fmt.Fprintf(&b, "      - record: %s\n        expr: |-\n          (\n", metric(window))
		fmt.Fprintf(&b, "            %s\n", rate(labels+`, fault=~"server|dependency"`, window))
		fmt.Fprintf(&b, "            or 0 * %s\n          )\n          / %s\n", all, all)
	}
	for _, op := range m.Operations {
		writeAlerts(&b, m, op, o.objective(op.Value.Name))
	}
	return []byte(b.String())
}

// rate returns the rate of requests for each operation.
func rate(labels, window string) string {
	return fmt.Sprintf("sum by (domain, operation) (rate(errgen_requests_total{%s}[%s]))", labels, window)
}

func writeAlerts(b *strings.Builder, m *model.Package, op *model.Operation, objective float64) {
	name, labels := op.Value.Name, labelsOf(m, op)
	fmt.Fprintf(b, "  - name: %s\n    rules:\n", quote("errgen-slo/"+domainOf(m)+"/"+name))
	for _, a := range alerts {
		var parts []string
		for _, burn := range a.burns {
			limit := burn.rate + " * " + budget(objective)
			parts = append(parts, fmt.Sprintf("(%s{%s} > %s and %s{%s} > %s)",
				metric(burn.long), labels, limit, metric(burn.short), labels, limit))
		}
		fmt.Fprintf(b, "      - alert: ErrgenErrorBudgetBurn\n        expr: |-\n          %s\n",
			strings.Join(parts, "\n          or "))
		fmt.Fprintf(b, "        labels:\n          severity: %s\n          domain: %s\n          operation: %s\n",
			a.severity, quote(domainOf(m)), name)
		fmt.Fprintf(b, "        annotations:\n          summary: %s\n          description: %s\n",
			quote(name+" "+a.summary), quote(describe(op, objective)))
	}
}

// domainOf returns the label of the domain, as the exporter sets it.
func domainOf(m *model.Package) string { return cmp.Or(m.Domain, "none") }

// labelsOf returns the matchers of an operation.
func labelsOf(m *model.Package, op *model.Operation) string {
	return fmt.Sprintf("domain=%q, operation=%q", domainOf(m), op.Value.Name)
}

// describe returns the description of an alert. Prometheus expands the template in it.
func describe(op *model.Operation, objective float64) string {
	text := strings.ReplaceAll(strings.Join(strings.Fields(op.Value.Doc), " "), "{{", "{ {")
	return strings.TrimSpace(fmt.Sprintf("%s {{ $value | humanizePercentage }} of the requests fail by a fault of the "+
		"server or a dependency. The objective is %s %% success in 30 days.", text, percent(objective)))
}

func (o Options) objective(operation string) float64 {
	return cmp.Or(o.Objectives[operation], o.Objective)
}

// percent returns a number without needless zeros.
func percent(p float64) string { return strconv.FormatFloat(p, 'f', -1, 64) }

// budget returns the share of the requests that may fail.
func budget(objective float64) string {
	return strconv.FormatFloat(math.Round((100-objective)*1e6)/1e8, 'f', -1, 64)
}

// quote returns a text as a scalar of YAML.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
