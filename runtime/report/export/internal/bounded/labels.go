package bounded

import (
	"sync"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Labels are the values of the labels that exporters have. They are safe for concurrent use.
type Labels struct {
	domains, categories, codes, sources, strategies *Values
	// most is how many rows there are, mostAdded how many of them have values that no taxonomy has.
	most, mostAdded int

	mu    sync.RWMutex
	rows  map[Row]bool
	added int
}

// NewLabels returns labels that know the words of the taxonomies, have room for as many others
// each, and for as many rows in all. Where there are taxonomies, at least half of the rows are for
// their words, so that others do not take their places.
func NewLabels(room, rows int, taxonomies ...*taxonomy.Taxonomy) *Labels {
	var domains, categories, codes, sources, strategies []string
	added := rows
	for _, t := range taxonomies {
		if t == nil {
			continue
		}
		added = rows / 2
		domains = append(domains, t.Domain)
		for i := range t.Categories {
			categories = append(categories, t.Categories[i].Name)
		}
		for _, code := range t.Codes() {
			codes = append(codes, code.Value)
		}
		sources = append(sources, names(t.Sources)...)
		strategies = append(strategies, names(t.Strategies)...)
	}
	return &Labels{
		domains: NewValues(room, domains...), categories: NewValues(room, categories...),
		codes:   NewValues(room, codes...),
		sources: NewValues(room, sources...), strategies: NewValues(room, strategies...),
		most: rows, mostAdded: added, rows: map[Row]bool{},
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
	row := Row{Domain: l.domains.Of(o.Domain), Category: l.categories.Of(o.Category), Code: l.codes.Of(o.Code),
		Severity: severity(o.Severity), Source: None}
	if o.Source != nil {
		row.Source = l.sources.Of(o.Source.Type)
	}
	return l.among(row, l.sources)
}

// among returns the row if there is room for it. Otherwise what is no word of a taxonomy becomes
// Other in it, and if there is no room for that either, all of it. The values are those of the
// row's last label.
func (l *Labels) among(row Row, last *Values) Row {
	if l.has(row) {
		return row
	}
	plain := Row{Domain: l.domains.plain(row.Domain), Category: l.categories.plain(row.Category),
		Code: l.codes.plain(row.Code), Severity: row.Severity, Source: last.plain(row.Source)}
	if plain != row && l.take(row, true) {
		return row
	}
	if l.has(plain) || l.take(plain, false) {
		return plain
	}
	return Row{Other, Other, Other, Other, Other}
}

func (l *Labels) has(row Row) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.rows[row]
}

// take gives a row its place, and reports whether it has one.
func (l *Labels) take(row Row, added bool) bool {
	l.mu.RLock()
	full := len(l.rows) >= l.most || added && l.added >= l.mostAdded
	l.mu.RUnlock()
	if full {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.rows[row]:
		return true
	case len(l.rows) >= l.most || added && l.added >= l.mostAdded:
		return false
	case added:
		l.added++
	}
	l.rows[row] = true
	return true
}

// Run is the values of the labels of a strategy that was run.
type Run struct{ Domain, Category, Code, Strategy string }

// OfRun returns the values of the labels of a strategy that was run for an occurrence. They count
// among the rows.
func (l *Labels) OfRun(o *report.Occurrence, strategy string) Run {
	row := l.among(
		Row{Domain: l.domains.Of(o.Domain), Category: l.categories.Of(o.Category), Code: l.codes.Of(o.Code),
			Source: l.strategies.Of(strategy)}, l.strategies)
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
