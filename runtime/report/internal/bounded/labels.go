package bounded

import (
	"sync"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Labels are the values of the labels that exporters have. They are safe for concurrent use.
type Labels struct {
	domains, categories, codes, sources, strategies *Values
	most                                            int

	mu   sync.RWMutex
	rows map[Row]bool
}

// NewLabels returns labels that know the words of the taxonomies, have room for as many others each, and for as many rows
// in all.
func NewLabels(room, rows int, taxonomies ...*taxonomy.Taxonomy) *Labels {
	var domains, categories, codes, sources, strategies []string
	for _, t := range taxonomies {
		if t == nil {
			continue
		}
		domains = append(domains, t.Domain)
		for i := range t.Categories {
			categories = append(categories, t.Categories[i].Name)
		}
		for i := range t.Codes {
			codes = append(codes, t.Codes[i].Value)
		}
		sources = append(sources, names(t.Sources)...)
		strategies = append(strategies, names(t.Strategies)...)
	}
	return &Labels{
		domains: NewValues(room, domains...), categories: NewValues(room, categories...), codes: NewValues(room, codes...),
		sources: NewValues(room, sources...), strategies: NewValues(room, strategies...),
		most: rows, rows: map[Row]bool{},
	}
}

func names(all []taxonomy.Named) []string {
	var out []string
	for i := range all {
		out = append(out, all[i].Name)
	}
	return out
}

// Row is the values of an occurrence's labels.
type Row struct{ Domain, Category, Code, Severity, Source string }

// Of returns the values of an occurrence's labels.
func (l *Labels) Of(o *report.Occurrence) Row {
	row := Row{Domain: l.domains.Of(o.Domain), Category: l.categories.Of(o.Category), Code: l.codes.Of(o.Code), Severity: severity(o.Severity), Source: None}
	if o.Source != nil {
		row.Source = l.sources.Of(o.Source.Type)
	}
	return l.among(row)
}

// among returns the row if there is room for it, otherwise the one of everything else.
func (l *Labels) among(row Row) Row {
	l.mu.RLock()
	known, full := l.rows[row], len(l.rows) >= l.most
	l.mu.RUnlock()
	if known {
		return row
	}
	rest := Row{Other, Other, Other, Other, Other}
	if full {
		return rest
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.rows[row] && len(l.rows) >= l.most {
		return rest
	}
	l.rows[row] = true
	return row
}

// Run is the values of the labels of a strategy that was run.
type Run struct{ Domain, Category, Code, Strategy string }

// OfRun returns the values of the labels of a strategy that was run for an occurrence. They count among the rows.
func (l *Labels) OfRun(o *report.Occurrence, strategy string) Run {
	row := l.among(Row{Domain: l.domains.Of(o.Domain), Category: l.categories.Of(o.Category), Code: l.codes.Of(o.Code), Source: l.strategies.Of(strategy)})
	return Run{row.Domain, row.Category, row.Code, row.Source}
}

func severity(word string) string {
	if word == "" {
		return None
	}
	for s := taxonomy.SeverityNone; s <= taxonomy.SeverityCritical; s++ {
		if word == s.String() {
			return word
		}
	}
	return Other
}
