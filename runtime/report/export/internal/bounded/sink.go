package bounded

import "github.com/errgen/errgen/runtime/report"

// The values of the label that says how something ended.
const (
	succeeded = "succeeded"
	failed    = "failed"
)

// Counters are those of an exporter. They are safe for concurrent use.
type Counters interface {
	// CountError counts an error.
	CountError(r Row)
	// CountRun counts a strategy that was run, and how that ended.
	CountRun(r Run, result string)
	// CountRetried counts an operation that was tried again, its calls after the first, and how it
	// ended.
	CountRetried(calls int, result string)
}

// Sink is a [report.Sink] that says what there is to count, each thing once: of the latest 10 000
// occurrences it knows that it was told of them before. Like a [report.Reporter], it takes an
// occurrence that is reported again as an update, and does nothing for an update of one that it
// does not know.
type Sink struct {
	labels   *Labels
	seen     *seen
	counters Counters
}

var _ report.Sink = (*Sink)(nil)

// NewSink returns a sink that was told of nothing.
func NewSink(l *Labels, c Counters) *Sink {
	return &Sink{labels: l, seen: newSeen(mostSeen), counters: c}
}

// Report counts an error that is new, and its recovery if that is known.
func (s *Sink) Report(o *report.Occurrence) {
	if o == nil {
		return
	}
	if s.seen.add(o) {
		s.counters.CountError(s.labels.Of(o))
	}
	if ended(o) && (o.ID == "" || s.seen.recovered(o)) {
		s.countRun(o)
	}
}

// Update counts the strategy that was run for an error, unless it is counted.
func (s *Sink) Update(o *report.Occurrence) {
	if o != nil && ended(o) && s.seen.recovered(o) {
		s.countRun(o)
	}
}

func ended(o *report.Occurrence) bool { return o.Recovery != nil && o.Recovery.Successful != nil }

func (s *Sink) countRun(o *report.Occurrence) {
	s.counters.CountRun(s.labels.OfRun(o, o.Recovery.Strategy), result(*o.Recovery.Successful))
}

// Retried counts an operation that was tried again; one without further calls was not.
func (s *Sink) Retried(r report.Retry) {
	if r.Attempts > 0 {
		s.counters.CountRetried(r.Attempts, result(r.Succeeded))
	}
}

func result(ok bool) string {
	if ok {
		return succeeded
	}
	return failed
}
