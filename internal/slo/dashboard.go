package slo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/errgen/errgen/internal/model"
)

// The types of a dashboard, as Grafana reads it. Fields are written in this order.
type (
	grafana struct {
		Generated     string    `json:"x-generated"`
		Title         string    `json:"title"`
		UID           string    `json:"uid"`
		Tags          []string  `json:"tags"`
		SchemaVersion int       `json:"schemaVersion"`
		Editable      bool      `json:"editable"`
		Refresh       string    `json:"refresh"`
		Time          timeRange `json:"time"`
		Templating    variables `json:"templating"`
		Annotations   empty     `json:"annotations"`
		Panels        []any     `json:"panels"`
	}
	empty struct {
		List []any `json:"list"`
	}
	timeRange struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
	variables struct {
		List []variable `json:"list"`
	}
	variable struct {
		Name  string `json:"name"`
		Label string `json:"label"`
		Type  string `json:"type"`
		Query string `json:"query"`
	}
	heading struct {
		ID        int      `json:"id"`
		Title     string   `json:"title"`
		Type      string   `json:"type"`
		Collapsed bool     `json:"collapsed"`
		GridPos   position `json:"gridPos"`
		Panels    []any    `json:"panels"`
	}
	panel struct {
		ID          int        `json:"id"`
		Title       string     `json:"title"`
		Description string     `json:"description"`
		Type        string     `json:"type"`
		Datasource  *reference `json:"datasource"`
		GridPos     position   `json:"gridPos"`
		FieldConfig *fields    `json:"fieldConfig"`
		Targets     []target   `json:"targets"`
	}
	reference struct {
		Type string `json:"type"`
		UID  string `json:"uid"`
	}
	position struct {
		H int `json:"h"`
		W int `json:"w"`
		X int `json:"x"`
		Y int `json:"y"`
	}
	fields struct {
		Defaults  defaults `json:"defaults"`
		Overrides []any    `json:"overrides"`
	}
	defaults struct {
		Unit       string      `json:"unit"`
		Thresholds *thresholds `json:"thresholds,omitempty"`
	}
	thresholds struct {
		Mode  string `json:"mode"`
		Steps []step `json:"steps"`
	}
	step struct {
		Color string   `json:"color"`
		Value *float64 `json:"value"`
	}
	target struct {
		RefID        string     `json:"refId"`
		Datasource   *reference `json:"datasource"`
		Expr         string     `json:"expr"`
		LegendFormat string     `json:"legendFormat"`
	}
)

var prometheus = &reference{"prometheus", "${datasource}"}

// The height and the width of a panel; a dashboard has 24 columns.
const (
	height = 8
	width  = 6
)

func dashboard(m *model.Package, o Options) []byte {
	g := grafana{
		Generated: o.Mark, Title: domainOf(m) + " operations", UID: uid(domainOf(m)), Tags: []string{"errgen"},
		SchemaVersion: 39, Editable: true, Refresh: "1m", Time: timeRange{"now-24h", "now"},
		Templating:  variables{[]variable{{"datasource", "Data source", "datasource", "prometheus"}}},
		Annotations: empty{[]any{}},
	}
	for i, op := range m.Operations {
		g.Panels = append(g.Panels, row(m, o, op, i)...)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(g); err != nil {
		panic(fmt.Sprintf("slo: %v", err)) // texts and numbers always encode
	}
	// JSON has no comments, so the mark is in the first line as a member.
	return append([]byte("{"), bytes.TrimLeft(b.Bytes()[1:], "\n ")...)
}

// uid returns an identifier of at most 40 characters, as Grafana wants. A longer domain is cut and gets
// its hash, because a dashboard replaces another one with the same identifier.
func uid(domain string) string {
	const most = 40
	id := []byte("errgen-slo-" + domain)
	for i, c := range id {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			id[i] = '-'
		}
	}
	if len(id) <= most {
		return string(id)
	}
	h := fnv.New32a()
	h.Write([]byte(domain))
	return fmt.Sprintf("%s-%08x", id[:most-9], h.Sum32())
}

// row returns the heading and the panels of an operation.
func row(m *model.Package, o Options, op *model.Operation, i int) []any {
	name, y := op.Value.Name, i*(height+1)
	labels := labelsOf(m, op)
	requests := func(by, more string) string {
		return fmt.Sprintf("sum by (%s) (rate(errgen_requests_total{%s%s}[$__rate_interval]))", by, labels, more)
	}
	objective := o.objective(name)
	var burnRates []target
	var thresholdTexts []string
	for _, a := range alerts {
		for _, burn := range a.burns {
			burnRates = append(burnRates, target{LegendFormat: burn.long,
				Expr: fmt.Sprintf("%s{%s} / %s", metric(burn.long), labels, budget(objective))})
			thresholdTexts = append(thresholdTexts, burn.rate+" in "+burn.long)
		}
	}
	panels := []panel{
		{Title: "Success in 3 days", Type: "stat",
			Description: strings.TrimSpace(op.Value.Doc + " The objective is " + percent(objective) +
				" %. Faults of clients count as success."),
			FieldConfig: &fields{Defaults: defaults{"percent", &thresholds{"absolute",
				[]step{{"red", nil}, {"green", &objective}}}}},
			Targets: []target{
				{Expr: fmt.Sprintf("100 * (1 - %s{%s})", metric("3d"), labels), LegendFormat: "success"}}},
		{Title: "Burn rate", Type: "timeseries",
			Description: "1 exhausts the error budget in 30 days. An alert fires at " +
				strings.Join(thresholdTexts, ", ") + ".",
			FieldConfig: &fields{Defaults: defaults{Unit: "short"}}, Targets: burnRates},
		{Title: "Requests by fault", Type: "timeseries", FieldConfig: &fields{Defaults: defaults{Unit: "reqps"}},
			Targets: []target{{Expr: requests("fault", ""), LegendFormat: "{{fault}}"}}},
		{Title: "Failures by code", Type: "timeseries", FieldConfig: &fields{Defaults: defaults{Unit: "reqps"}},
			Targets: []target{
				{Expr: requests("code, fault", `, fault!="none"`), LegendFormat: "{{code}} ({{fault}})"}}},
	}
	id := i * (len(panels) + 1)
	out := []any{heading{ID: id + 1, Title: name, Type: "row", GridPos: position{1, 24, 0, y}, Panels: []any{}}}
	for j, p := range panels {
		p.ID, p.Datasource, p.GridPos = id+j+2, prometheus, position{height, width, j * width, y + 1}
		p.FieldConfig.Overrides = []any{}
		for k := range p.Targets {
			p.Targets[k].RefID, p.Targets[k].Datasource = string(rune('A'+k)), prometheus
		}
		out = append(out, p)
	}
	return out
}
