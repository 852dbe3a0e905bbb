// Package bounded is shared by the exporters. It bounds the values of labels and counts each
// occurrence and each recovery once.
package bounded

import (
	"sync"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// None is the label of an unknown value, Other that of a value that is not a word.
	None  = "none"
	Other = "other"
	// maxSeen bounds the occurrences whose IDs are remembered.
	maxSeen = 10_000
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

// Sink is a [report.Sink] that counts each occurrence once, and each run of a strategy once. Labels
// are words of the taxonomies. It remembers the IDs of the latest 10 000 occurrences.
type Sink struct {
	counters Counters
	words    map[string]bool

	mu sync.Mutex
	// seen has the last counted recovery by ID; ring has the IDs, next is the oldest of a full one.
	seen map[string]run
	ring []string
	next int
}

// run is a recovery that was counted. The zero run means no recovery.
type run struct {
	strategy string
	attempts int
	result   string
}

// NewSink returns a sink that has counted nothing.
func NewSink(c Counters, taxonomies []*taxonomy.Taxonomy) *Sink {
	s := &Sink{counters: c, words: map[string]bool{}, seen: map[string]run{}}
	for severity := taxonomy.SeverityNone; severity <= taxonomy.SeverityCritical; severity++ {
		s.words[severity.String()] = true
	}
	for _, t := range taxonomies {
		s.words[t.Domain] = true
		for _, c := range t.Categories {
			s.words[c.Name] = true
		}
		for _, c := range t.Codes() {
			s.words[c.Value] = true
		}
		for _, list := range [][]taxonomy.Named{t.Sources, t.Strategies} {
			for _, named := range list {
				s.words[named.Name] = true
			}
		}
	}
	return s
}

// Report counts an error that is new, and its recovery if it has ended.
func (s *Sink) Report(o *report.Occurrence) { s.count(o, true) }

// Update counts the recovery of a reported error, if it is not counted yet.
func (s *Sink) Update(o *report.Occurrence) { s.count(o, false) }

func (s *Sink) count(o *report.Occurrence, report bool) {
	if o == nil {
		return
	}
	row := Row{Domain: s.label(o.Domain), Category: s.label(o.Category), Code: s.label(o.Code)}
	isNew, recovered := s.remember(o, report)
	if isNew {
		of := row
		if of.Severity, of.Source = s.label(o.Severity), None; o.Source != nil {
			of.Source = s.label(o.Source.Type)
		}
		s.counters.CountError(of)
	}
	if recovered != (run{}) {
		row.Strategy = s.label(recovered.strategy)
		s.counters.CountRecovery(row, recovered.result)
	}
}

// remember reports whether an occurrence is new, and returns its recovery unless that was counted.
func (s *Sink) remember(o *report.Occurrence, report bool) (isNew bool, recovered run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, known := s.seen[o.ID]
	if !known && !report {
		return false, run{}
	}
	if r := o.Recovery; r != nil && r.Successful != nil {
		recovered = run{r.Strategy, r.Attempts, result(*r.Successful)}
	}
	if o.ID == "" {
		return report, recovered
	}
	if !known && len(s.ring) < maxSeen {
		s.ring = append(s.ring, o.ID)
	} else if !known {
		delete(s.seen, s.ring[s.next])
		s.ring[s.next] = o.ID
		s.next = (s.next + 1) % maxSeen
	}
	if known && (recovered == before || recovered == run{}) {
		return false, run{}
	}
	s.seen[o.ID] = recovered
	return !known, recovered
}

func (s *Sink) label(value string) string {
	switch {
	case value == "":
		return None
	case s.words[value]:
		return value
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
