// Package bounded has the parts that the exporters share. It bounds the values of labels.
package bounded

import (
	"context"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// None is the label of an unknown value, Other that of a value that is not a word.
	None  = "none"
	Other = "other"
)

// Row is the labels of an error. For a recovery, Strategy is set in place of Severity and Source.
type Row struct{ Domain, Category, Code, Severity, Source, Strategy string }

// Outcome is the labels of a request.
type Outcome struct{ Domain, Operation, Code, Fault string }

// Counters are those of an exporter. They are safe for concurrent use.
type Counters interface {
	// CountError counts an error.
	CountError(r Row)
	// CountRecovery counts a strategy that ran, by its result.
	CountRecovery(r Row, result string)
	// CountRetried counts a retried operation by its result, and its calls after the first.
	CountRetried(calls int, result string)
	// CountRequest counts a request of a server.
	CountRequest(o Outcome)
}

// Sink is a [report.Sink] and a [report.RequestSink] that counts. Labels are words of the taxonomies.
type Sink struct {
	counters Counters
	words    map[string]bool
}

// NewSink returns a sink that has counted nothing.
func NewSink(c Counters, taxonomies []*taxonomy.Taxonomy) *Sink {
	s := &Sink{counters: c, words: map[string]bool{}}
	for severity := taxonomy.SeverityNone; severity <= taxonomy.SeverityCritical; severity++ {
		s.words[severity.String()] = true
	}
	for _, t := range taxonomies {
		s.words[t.Domain] = true
		for _, o := range t.Operations {
			s.words[o.Name] = true
		}
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

// Report counts an error, and its recovery if it has ended.
func (s *Sink) Report(o *report.Occurrence) {
	if o == nil {
		return
	}
	row := s.row(o)
	if row.Severity, row.Source = s.label(o.Severity), None; o.Source != nil {
		row.Source = s.label(o.Source.Type)
	}
	s.counters.CountError(row)
	s.Update(o)
}

// Update counts the recovery of a reported error, if it has ended.
func (s *Sink) Update(o *report.Occurrence) {
	if o == nil || o.Recovery == nil || o.Recovery.Successful == nil {
		return
	}
	row := s.row(o)
	row.Strategy = s.label(o.Recovery.Strategy)
	s.counters.CountRecovery(row, result(*o.Recovery.Successful))
}

func (s *Sink) row(o *report.Occurrence) Row {
	return Row{Domain: s.label(o.Domain), Category: s.label(o.Category), Code: s.label(o.Code)}
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

// Request counts a request of a server.
func (s *Sink) Request(_ context.Context, r report.Request) {
	o := Outcome{Domain: s.label(r.Domain), Operation: s.label(r.Operation), Code: s.label(r.Code), Fault: None}
	if r.Failed {
		o.Fault = r.Fault.String()
	}
	s.counters.CountRequest(o)
}

func result(ok bool) string {
	if ok {
		return "succeeded"
	}
	return "failed"
}
