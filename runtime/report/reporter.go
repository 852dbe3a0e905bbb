package report

import (
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/retry"
)

// ReporterOptions limit the memory of a [Reporter].
type ReporterOptions struct {
	// MaxErrors limits the kept occurrences; 0 is 10 000. The oldest are dropped first.
	MaxErrors int
	// MaxKeys limits the categories, codes, sources, recoverabilities and reactions that are
	// counted separately, each; 0 is 200. The others count as "other".
	MaxKeys int
	// Clock is the source of time; nil is [retry.System].
	Clock retry.Clock
}

const (
	defaultMaxErrors = 10_000
	defaultMaxKeys   = 200
)

// Reporter counts occurrences and keeps the latest. It is a [Sink], safe for concurrent use. Make
// one with [NewReporter].
type Reporter struct {
	maxErrors, maxKeys int
	clock              retry.Clock

	mu     sync.Mutex
	counts counts
	kept   []*entry // the oldest first
	byID   map[string]*entry
}

// entry is a kept occurrence, with the time that it is counted at.
type entry struct {
	*Occurrence
	at time.Time
}

// NewReporter returns a Reporter without occurrences.
func NewReporter(o ReporterOptions) *Reporter {
	r := &Reporter{maxErrors: positive(o.MaxErrors, defaultMaxErrors), maxKeys: positive(o.MaxKeys, defaultMaxKeys),
		clock: clockOr(o.Clock)}
	r.Clear()
	return r
}

func positive[T int | time.Duration](n, def T) T {
	if n > 0 {
		return n
	}
	return def
}

func clockOr(c retry.Clock) retry.Clock {
	if c == nil {
		return retry.System
	}
	return c
}

// Report counts and keeps an occurrence. If it already keeps one with the same ID, it acts like
// [Reporter.Update].
func (r *Reporter) Report(o *Occurrence) {
	if o == nil {
		return
	}
	o = masked(o)
	now := r.clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.byID[o.ID]; e != nil {
		r.update(e, o)
		return
	}
	e := &entry{o, happened(o, now)}
	r.counts.add(o, e.at)
	if r.kept = append(r.kept, e); o.ID != "" {
		r.byID[o.ID] = e
	}
	if len(r.kept) > r.maxErrors {
		delete(r.byID, r.kept[0].ID)
		r.kept[0] = nil // for the garbage collector
		r.kept = r.kept[1:]
	}
}

// happened returns the time of an occurrence. If it has none, or one more than an hour ahead of the
// clock, the time is now.
func happened(o *Occurrence, now time.Time) time.Time {
	if o.At.IsZero() || o.At.Sub(now) > ahead {
		return now
	}
	return o.At
}

// Update replaces the recovery and the reaction of a kept occurrence if o has them, and corrects
// the counts. Other updates have no effect.
func (r *Reporter) Update(o *Occurrence) {
	if o == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.byID[o.ID]; e != nil {
		r.update(e, o)
	}
}

func (r *Reporter) update(e *entry, o *Occurrence) {
	next := e.updated(o)
	r.counts.recover(e.Occurrence, -1)
	before := r.counts.outcome(e.Reaction, e.Action)
	if after := r.counts.outcome(next.Reaction, next.Action); after != before {
		after.Count++
		if before != nil {
			before.Count--
		}
	}
	r.counts.recover(next, 1)
	e.Occurrence = next
}

// updated returns a copy with the recovery and reaction of another report of the occurrence, if the
// other report has them.
func (o *Occurrence) updated(by *Occurrence) *Occurrence {
	recovery := o.Recovery
	if by.Recovery != nil {
		recovery = by.Recovery
	}
	next := o.With(recovery)
	if by.Reaction != "" || by.Action != "" {
		next.Reaction, next.Action = beginning(by.Reaction, maxName), beginning(by.Action, maxName)
	}
	return next
}

// Retried counts an operation that was retried.
func (r *Reporter) Retried(x Retry) {
	x.Reaction, x.Action = beginning(x.Reaction, maxName), beginning(x.Action, maxName)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts.retry(x)
}

// All returns the kept occurrences, the oldest first.
func (r *Reporter) All() []Occurrence { return r.filter(func(*Occurrence) bool { return true }) }

// Last returns the latest n occurrences, the oldest first.
func (r *Reporter) Last(n int) []Occurrence {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last(n)
}

func (r *Reporter) last(n int) []Occurrence {
	out := []Occurrence{}
	for _, e := range r.kept[max(0, len(r.kept)-max(n, 0)):] {
		out = append(out, *e.Occurrence)
	}
	return out
}

// ByCategory returns the kept occurrences of a category, the oldest first. A missing category is
// "unknown", as in [Metrics].
func (r *Reporter) ByCategory(category string) []Occurrence {
	return r.filter(func(o *Occurrence) bool { return matches(category, o.Category, o.Category == "") })
}

// BySeverity returns the kept occurrences of a severity, the oldest first. A severity outside the
// taxonomy is "unknown".
func (r *Reporter) BySeverity(severity string) []Occurrence {
	return r.filter(func(o *Occurrence) bool { return matches(severity, o.Severity, rankOf(o.Severity) == 0) })
}

func matches(wanted, name string, isUnknown bool) bool {
	return name == wanted || wanted == unknown && isUnknown
}

// Between returns the kept occurrences from one time to another, both included, the oldest first.
func (r *Reporter) Between(from, to time.Time) []Occurrence {
	return r.filter(func(o *Occurrence) bool { return !o.At.Before(from) && !o.At.After(to) })
}

func (r *Reporter) filter(f func(o *Occurrence) bool) []Occurrence {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := []Occurrence{}
	for _, e := range r.kept {
		if f(e.Occurrence) {
			found = append(found, *e.Occurrence)
		}
	}
	return found
}

// Metrics returns the counts.
func (r *Reporter) Metrics() Metrics {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts.copied()
}

// Summary returns the counts as text; see [Metrics.Summary].
func (r *Reporter) Summary() string { return r.Metrics().Summary() }

// Codes returns the counts of the codes, the most frequent first.
func (r *Reporter) Codes() []CodeCount {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts.codeCounts()
}

// Timeline returns the number of the kept occurrences over time, in at most 120 buckets. Its step
// is the shortest one with which the buckets contain at least 99 % of them. Buckets begin at
// multiples of the step, counted from 1970 in UTC.
func (r *Reporter) Timeline() Timeline {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts.timeline(r.kept)
}

// Outcomes returns the results of the reactions, the most frequent first.
func (r *Reporter) Outcomes() []ReactionOutcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts.reactionOutcomes()
}

// Clear drops all occurrences and counts.
func (r *Reporter) Clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept, r.byID, r.counts = nil, map[string]*entry{}, newCounts(r.maxKeys)
}
