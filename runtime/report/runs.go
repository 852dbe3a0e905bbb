package report

import (
	"slices"
	"sync"
	"time"
)

// Run is the timeline of one run, as plain data. Texts are masked and bounded when they are added
// to [Runs].
type Run struct {
	ID    string    `json:"id"`
	Task  string    `json:"task"`
	Began time.Time `json:"began"`
	Ended time.Time `json:"ended,omitzero"` // zero while it runs
	// End is the reason of the end, such as "completed".
	End   string `json:"end"`
	Spans []Span `json:"spans"`
	// Cost, in US dollars, and Tokens are those of all calls.
	Cost   float64 `json:"cost"`
	Tokens int64   `json:"tokens"`
	// Dropped counts the spans beyond the limit of 500.
	Dropped int `json:"dropped"`
}

// The kinds of spans.
const (
	SpanCall     = "call"
	SpanWait     = "wait"
	SpanCheck    = "check"
	SpanRecovery = "recovery"
	SpanTier     = "tier" // an escalation to another tier
)

// Span is one part of a run. A span without a duration is an event.
type Span struct {
	Kind  string        `json:"kind"`
	Began time.Time     `json:"began"`
	Took  time.Duration `json:"took"`
	// Label names the provider, the reason of the wait, the check, the strategy or the tier.
	Label string `json:"label"`
	// Tier is the tier of a call, and Code the code of the error that it ended with.
	Tier   string  `json:"tier,omitempty"`
	Code   string  `json:"code,omitempty"`
	Failed bool    `json:"failed,omitempty"`
	Cost   float64 `json:"cost,omitempty"`
	Tokens int64   `json:"tokens,omitempty"`
}

// Bounds of [Runs].
const (
	maxRuns  = 100
	maxSpans = 500
)

// Runs keeps the timelines of the latest 100 runs, 500 spans each. It is safe for concurrent use;
// the zero Runs are empty.
type Runs struct {
	mu    sync.Mutex
	order []*Run
}

// Begin adds a run, or resumes a known one.
func (r *Runs) Begin(id, task string, at time.Time) {
	r.with(id, func(run *Run) {
		if run.Began.IsZero() {
			run.Task, run.Began = beginning(task, maxName), at
		}
		run.Ended, run.End = time.Time{}, ""
	})
}

// Add adds a span to a run, and the cost and tokens of the span to those of the run.
func (r *Runs) Add(id string, s Span) {
	s.Label, s.Tier, s.Code = beginning(s.Label, maxName), beginning(s.Tier, maxName), beginning(s.Code, maxName)
	r.with(id, func(run *Run) {
		run.Cost += s.Cost
		run.Tokens += s.Tokens
		if len(run.Spans) >= maxSpans {
			run.Dropped++
			return
		}
		run.Spans = append(run.Spans, s)
	})
}

// Fail sets the code of a run's latest call and marks the call as failed.
func (r *Runs) Fail(id, code string) {
	r.with(id, func(run *Run) {
		for i := len(run.Spans) - 1; i >= 0; i-- {
			if s := &run.Spans[i]; s.Kind == SpanCall {
				if s.Code == "" {
					s.Code, s.Failed = beginning(code, maxName), true
				}
				return
			}
		}
	})
}

// End ends a run.
func (r *Runs) End(id, reason string, at time.Time) {
	r.with(id, func(run *Run) { run.Ended, run.End = at, beginning(reason, maxName) })
}

// with calls f with the run of an ID. An unknown run is added.
func (r *Runs) with(id string, f func(run *Run)) {
	id = beginning(id, maxName)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, run := range slices.Backward(r.order) {
		if run.ID == id {
			f(run)
			return
		}
	}
	run := &Run{ID: id}
	f(run)
	if r.order = append(r.order, run); len(r.order) > maxRuns {
		r.order = append(r.order[:0], r.order[1:]...)
	}
}

// All returns copies of the runs, in the order in which they were added.
func (r *Runs) All() []Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Run, len(r.order))
	for i, run := range r.order {
		out[i] = *run
		out[i].Spans = slices.Clone(run.Spans)
	}
	return out
}
