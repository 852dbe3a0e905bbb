package slo_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/slo"
)

// files returns the files of a taxonomy with an objective of 99.9 % for Get, and of 95 % for Put.
func files(t *testing.T) map[string][]byte {
	t.Helper()
	m, findings := check.Load("taxonomy.yaml", []byte(`errgen: 1
package: errs
domain: shop
public: {code: INTERNAL}
operations:
  Get: {doc: "Returns the customer's {{order}}.", http: 'GET /orders/{id}'}
  Put: {rpc: shop.v1.Orders/Put}
categories:
  server: {codes: {INTERNAL: {audience: public, message: internal error, http: 500}}}
`))
	require.NotNil(t, m, "%v", findings)
	out := map[string][]byte{}
	for _, f := range slo.Files(m, slo.Options{
		Objective: 99.9, Objectives: map[string]float64{"Put": 95}, Mark: "mark",
	}) {
		out[f.Name] = f.Content
	}
	return out
}

// promtool runs promtool in a directory. Without promtool it skips the test, unless ERRGEN_PROMTOOL
// is "required".
func promtool(t *testing.T, dir string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("promtool"); err != nil {
		if os.Getenv("ERRGEN_PROMTOOL") == "required" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	cmd := exec.CommandContext(t.Context(), "promtool", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	assert.NoError(t, err, "%s", out)
}

// phase is a time with a constant number of requests a minute.
type phase struct {
	minutes                          int
	success, client, server, depends int
}

const (
	hour = 60
	day  = 24 * hour
)

// series are the requests of an operation.
type series struct {
	name      string
	domain    string
	operation string
	phases    []phase
	page      bool
	ticket    bool
}

// all are 20 courses of requests, and the severities of the alerts at their ends.
var all = []series{
	{"success", "shop", "Get", []phase{{minutes: 6 * hour, success: 1000}}, false, false},
	{"half of the requests are faults of clients", "shop", "Get",
		[]phase{{minutes: 6 * hour, success: 500, client: 500}}, false, false},
	{"only faults of clients", "shop", "Get", []phase{{minutes: day, client: 1000}}, false, false},
	{"a burst of faults of clients", "shop", "Get",
		[]phase{{minutes: 6*hour - 5, success: 1000}, {minutes: 5, client: 90000}}, false, false},
	{"no requests", "shop", "Get", []phase{{minutes: 6 * hour}}, false, false},
	{"outage", "shop", "Get", []phase{{minutes: hour, server: 1000}}, true, true},
	{"outage of a dependency", "shop", "Get", []phase{{minutes: hour, depends: 1000}}, true, true},
	{"2 % failures", "shop", "Get", []phase{{minutes: 2 * hour, success: 980, server: 10, depends: 10}}, true, true},
	{"1 % failures for 6 hours", "shop", "Get", []phase{{minutes: 6 * hour, success: 990, server: 10}}, true, true},
	{"0.5 % failures for a day", "shop", "Get", []phase{{minutes: day, success: 995, server: 5}}, false, true},
	{"0.2 % failures for 3 days", "shop", "Get", []phase{{minutes: 3 * day, success: 998, server: 2}}, false, true},
	{"0.05 % failures for 3 days", "shop", "Get",
		[]phase{{minutes: 3 * day, success: 9995, server: 5}}, false, false},
	{"0.05 % failures and 20 % faults of clients", "shop", "Get",
		[]phase{{minutes: day, success: 7995, client: 2000, server: 5}}, false, false},
	{"a minute of failures", "shop", "Get",
		[]phase{{minutes: 3*day - 5, success: 1000},
			{minutes: 1, server: 1000}, {minutes: 4, success: 1000}}, true, false},
	{"a few failures", "shop", "Get",
		[]phase{{minutes: 3*day - 5, success: 1000},
			{minutes: 1, success: 800, server: 200}, {minutes: 4, success: 1000}},
		false, false},
	{"outage that ended 3 hours ago", "shop", "Get",
		[]phase{{minutes: 3*day - 10, success: 1000},
			{minutes: 10, server: 1000}, {minutes: 3 * hour, success: 1000}},
		false, true},
	{"outage that ended 7 hours ago", "shop", "Get",
		[]phase{{minutes: 3*day - 10, success: 1000},
			{minutes: 10, server: 1000}, {minutes: 7 * hour, success: 1000}},
		false, false},
	{"2 % failures with an objective of 95 %", "shop", "Put",
		[]phase{{minutes: 6 * hour, success: 980, server: 20}}, false, false},
	{"80 % failures with an objective of 95 %", "shop", "Put",
		[]phase{{minutes: hour, success: 200, server: 800}}, true, true},
	{"operation of another taxonomy", "bank", "Get", []phase{{minutes: hour, server: 1000}}, false, false},
}

// values returns the values of a counter, a minute apart, in the notation of promtool.
func values(phases []phase, requests func(p phase) int) string {
	out, total := []string{"0"}, 0
	for _, p := range phases {
		n := requests(p)
		out = append(out, fmt.Sprintf("%d+%dx%d", total+n, n, p.minutes-1))
		total += n * p.minutes
	}
	return strings.Join(out, " ")
}

// appendTest appends the test of promtool for a course of requests.
func appendTest(b *strings.Builder, s series) {
	fmt.Fprintf(b, "  - name: %q\n    interval: 1m\n    input_series:\n", s.name)
	for fault, requests := range map[string]func(phase) int{
		"none": func(p phase) int { return p.success }, "client": func(p phase) int { return p.client },
		"server": func(p phase) int { return p.server }, "dependency": func(p phase) int { return p.depends },
	} {
		// The exporter shows the counter of successes from the beginning.
		if fault == "none" || slices.ContainsFunc(s.phases, func(p phase) bool { return requests(p) > 0 }) {
			fmt.Fprintf(b, "      - series: 'errgen_requests_total{domain=%q, operation=%q, code=\"C\", fault=%q}'\n"+
				"        values: '%s'\n", s.domain, s.operation, fault, values(s.phases, requests))
		}
	}
	minutes := 0
	for _, p := range s.phases {
		minutes += p.minutes
	}
	b.WriteString("    promql_expr_test:\n" +
		"      - expr: 'count by (severity, domain, operation) (ALERTS{alertstate=\"firing\"})'\n")
	fmt.Fprintf(b, "        eval_time: %dm\n        exp_samples:", minutes)
	if !s.page && !s.ticket {
		b.WriteString(" []")
	}
	for severity, fires := range map[string]bool{"page": s.page, "ticket": s.ticket} {
		if fires {
			fmt.Fprintf(b, "\n          - {labels: '{domain=%q, operation=%q, severity=%q}', value: 1}",
				s.domain, s.operation, severity)
		}
	}
	b.WriteByte('\n')
}

func TestAlerts(t *testing.T) {
	require.Len(t, all, 20)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, slo.RulesFile), files(t)[slo.RulesFile], 0o644))
	promtool(t, dir, "check", "rules", "--lint=all", "--lint-fatal", slo.RulesFile)
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("rule_files: [" + slo.RulesFile + "]\nevaluation_interval: 1h\n" +
				"group_eval_order: [errgen-slo/shop, errgen-slo/shop/Get, errgen-slo/shop/Put]\ntests:\n")
			appendTest(&b, s)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "test.yaml"), []byte(b.String()), 0o644))
			promtool(t, dir, "test", "rules", "test.yaml")
		})
	}
}

// Prometheus expands the annotations.
func TestAnnotations(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, slo.RulesFile), files(t)[slo.RulesFile], 0o644))
	labels := func(severity string) string {
		return "{severity: " + severity + ", domain: shop, operation: Get}"
	}
	const description = `"Returns the customer's { {order}}. 100% of the requests fail by a fault of the server or ` +
		`a dependency. The objective is 99.9 % success in 30 days."`
	test := `rule_files: [` + slo.RulesFile + `]
evaluation_interval: 5m
tests:
  - interval: 1m
    input_series:
      - {series: 'errgen_requests_total{domain="shop", operation="Get", code="C", fault="server"}', values: '0+9x60'}
    alert_rule_test:
      - eval_time: 1h
        alertname: ErrgenErrorBudgetBurn
        exp_alerts:
          - exp_labels: ` + labels("page") + `
            exp_annotations: {summary: Get burns its error budget fast, description: ` + description + `}
          - exp_labels: ` + labels("ticket") + `
            exp_annotations: {summary: Get burns its error budget slowly, description: ` + description + `}
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "test.yaml"), []byte(test), 0o644))
	promtool(t, dir, "test", "rules", "test.yaml")
}

// A dashboard replaces another one with the same uid, so long domains that begin alike have different ones.
func TestUIDsOfLongDomains(t *testing.T) {
	uids := map[string]bool{}
	for _, domain := range []string{"orders.production.europe.example.com", "orders.production.europe.example.org"} {
		m, findings := check.Load("taxonomy.yaml", []byte("errgen: 1\npackage: errs\ndomain: "+domain+
			"\npublic: {code: INTERNAL}\n"+
			"categories: {s: {codes: {INTERNAL: {audience: public, message: m, http: 500}}}}\n"))
		require.NotNil(t, m, "%v", findings)
		for _, f := range slo.Files(m, slo.Options{Objective: 99.9}) {
			var d struct{ UID string }
			if f.Name == slo.DashboardFile {
				require.NoError(t, json.Unmarshal(f.Content, &d))
				assert.LessOrEqual(t, len(d.UID), 40)
				uids[d.UID] = true
			}
		}
	}
	assert.Len(t, uids, 2)
}

func TestDashboard(t *testing.T) {
	first := files(t)
	assert.Equal(t, first, files(t), "deterministic")
	content := string(first[slo.DashboardFile])
	assert.True(t, strings.HasPrefix(content, `{"x-generated": "mark",`+"\n"), content)
	var d struct {
		UID    string
		Panels []struct {
			ID      int
			Type    string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(content), &d))
	assert.Equal(t, "errgen-slo-shop", d.UID)
	require.Len(t, d.Panels, 10, "two rows of a heading and four panels")
	var rules strings.Builder
	rules.WriteString("groups:\n  - name: dashboard\n    rules:\n")
	ids := map[int]bool{}
	for _, p := range d.Panels {
		assert.False(t, ids[p.ID])
		ids[p.ID] = true
		assert.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24)
		assert.Equal(t, p.Type == "row", len(p.Targets) == 0)
		for _, target := range p.Targets {
			expr := strings.ReplaceAll(target.Expr, "$__rate_interval", "5m")
			fmt.Fprintf(&rules, "      - {record: 'a:b:c%d', expr: '%s'}\n", rules.Len(), expr)
		}
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "dashboard.yaml"), []byte(rules.String()), 0o644))
	promtool(t, dir, "check", "rules", "dashboard.yaml")
}
