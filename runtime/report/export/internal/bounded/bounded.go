// Package bounded is shared by the exporters. It bounds the values of labels and counts each
// occurrence and each recovery once.
package bounded

import (
	"sync"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// None is the label of an unknown value, Other that of a value beyond the bounds.
	None  = "none"
	Other = "other"
	// maxLabel bounds a label in bytes, and maxSeen the occurrences whose IDs are remembered.
	maxLabel = 128
	maxSeen  = 10_000
)

// Row is the labels of an error. For a recovery, Strategy is set in place of Severity and Source.
type Row struct{ Domain, Category, Code, Severity, Source, Strategy string }

// Counters are those of an exporter. They are safe for concurrent use.
type Counters interface {
	// CountError counts an error.
	CountError(r Row)
	// CountRecovery counts a strategy that ran, by its result.
	CountRecovery(r Row, result string)
	// CountRetried counts a retried operation by its result, and its calls after the first.
	CountRetried(calls int, result string)
}

// Limits bound the labels. Labels are words of the taxonomies, or "other". The first MaxValues
// sources have labels of their own; so do the first values of each label if there is no taxonomy.
// Beyond MaxSeries combinations the source is "other" too, and without a taxonomy every label.
type Limits struct {
	Taxonomies           []*taxonomy.Taxonomy
	MaxValues, MaxSeries int
}

// Sink is a [report.Sink] that counts each occurrence once, and each run of a strategy once. Of the
// latest 10 000 occurrences it remembers the IDs.
type Sink struct {
	counters Counters
	limits   Limits

	mu     sync.Mutex
	words  map[string]bool // of the taxonomies
	values [5]map[string]bool
	rows   map[Row]bool
	// seen has the last counted recovery by ID; ring has the IDs, next is the oldest of a full one.
	seen map[string]run
	ring []string
	next int
}

// run is a recovery that was counted. The zero run means no recovery.
type run struct {
	strategy  string
	attempts  int
	succeeded bool
	counted   bool
}

// NewSink returns a sink that has counted nothing.
func NewSink(l Limits, c Counters) *Sink {
	s := &Sink{counters: c, limits: l, words: map[string]bool{}, rows: map[Row]bool{}, seen: map[string]run{}}
	for i := range s.values {
		s.values[i] = map[string]bool{}
	}
	for _, t := range l.Taxonomies {
		if t == nil {
			continue
		}
		s.words[t.Domain] = true
		for _, c := range t.Categories {
			s.words[c.Name] = true
		}
		for _, c := range t.Codes() {
			s.words[c.Value] = true
		}
		for _, named := range append(append([]taxonomy.Named(nil), t.Sources...), t.Strategies...) {
			s.words[named.Name] = true
		}
	}
	return s
}

// Report counts an error that is new, and its recovery if it has ended.
func (s *Sink) Report(o *report.Occurrence) { s.take(o, true) }

// Update counts the recovery of a reported error, if it is not counted yet.
func (s *Sink) Update(o *report.Occurrence) { s.take(o, false) }

func (s *Sink) take(o *report.Occurrence, add bool) {
	if o == nil {
		return
	}
	s.mu.Lock()
	before, known := s.seen[o.ID]
	known = known && o.ID != ""
	isNew := add && !known
	if isNew {
		s.remember(o.ID)
	}
	var now run
	if r := o.Recovery; r != nil && r.Successful != nil && (known || add) {
		now = run{r.Strategy, r.Attempts, *r.Successful, true}
		late := before.counted && before.strategy == now.strategy && now.attempts < before.attempts
		if known && (now == before || late) {
			now = run{}
		} else if o.ID != "" {
			s.seen[o.ID] = now
		}
	}
	row := s.row(o)
	s.mu.Unlock()
	if isNew {
		s.counters.CountError(row)
	}
	if now.counted {
		s.mu.Lock()
		strategy := s.label(4, now.strategy)
		s.mu.Unlock()
		s.counters.CountRecovery(Row{Domain: row.Domain, Category: row.Category, Code: row.Code, Strategy: strategy},
			result(now.succeeded))
	}
}

func (s *Sink) remember(id string) {
	if id == "" {
		return
	}
	s.seen[id] = run{}
	if len(s.ring) < maxSeen {
		s.ring = append(s.ring, id)
		return
	}
	delete(s.seen, s.ring[s.next])
	s.ring[s.next] = id
	s.next = (s.next + 1) % maxSeen
}

// row returns the labels of an occurrence.
func (s *Sink) row(o *report.Occurrence) Row {
	row := Row{Domain: s.label(0, o.Domain), Category: s.label(1, o.Category), Code: s.label(2, o.Code),
		Severity: severity(o.Severity), Source: None}
	if o.Source != nil {
		row.Source = s.label(3, o.Source.Type)
	}
	switch {
	case s.rows[row]:
	case len(s.rows) < s.limits.MaxSeries:
		s.rows[row] = true
	case len(s.words) > 0:
		row.Source = Other
	default:
		row = Row{Other, Other, Other, Other, Other, ""}
	}
	return row
}

// label returns the label for a value: a word, one of the first values, or Other.
func (s *Sink) label(of int, value string) string {
	const source = 3
	added := s.values[of]
	switch {
	case value == "":
		return None
	case s.words[value] || added[value]:
		return value
	case len(s.words) > 0 && of != source, len(added) >= s.limits.MaxValues, !fits(value):
		return Other
	}
	added[value] = true
	return value
}

// fits reports whether a value is one short line without secrets.
func fits(value string) bool {
	if len(value) > maxLabel || taxonomy.Redact(value) != value {
		return false
	}
	for _, r := range value {
		if r < ' ' || r == 0x7f || r == '\uFFFD' {
			return false
		}
	}
	return true
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

// Retried counts a retried operation.
func (s *Sink) Retried(r report.Retry) {
	if r.Attempts > 0 {
		s.counters.CountRetried(r.Attempts, result(r.Succeeded))
	}
}

func result(ok bool) string {
	if ok {
		return "succeeded"
	}
	return "failed"
}
