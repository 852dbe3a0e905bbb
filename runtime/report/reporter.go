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
	// MaxBytes limits their estimated memory; 0 is 64 MiB.
	MaxBytes int
	// MaxKeys limits the categories, codes, sources, recoverabilities and reactions that are
	// counted separately, each; 0 is 200. The others count as "other".
	MaxKeys int
	// Clock is the source of time; nil is [retry.System].
	Clock retry.Clock
}

const (
	defaultMaxErrors = 10_000
	defaultMaxKeys   = 200
	defaultMaxBytes  = 64 << 20
)

// Reporter counts occurrences and keeps the latest. It is a [Sink], safe for concurrent use. Make
// one with [NewReporter].
type Reporter struct {
	maxErrors, maxBytes, maxKeys int
	clock                        retry.Clock

	mu     sync.Mutex
	counts counts
	kept   queue
	bytes  int
	// numbers has the numbers of the kept occurrences by ID.
	numbers map[string]int
}

// NewReporter returns a Reporter without occurrences.
func NewReporter(o ReporterOptions) *Reporter {
	r := &Reporter{
		maxErrors: positive(o.MaxErrors, defaultMaxErrors), maxBytes: positive(o.MaxBytes, defaultMaxBytes),
		maxKeys: positive(o.MaxKeys, defaultMaxKeys), clock: clockOr(o.Clock),
	}
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
	if i, ok := r.numbers[o.ID]; ok && o.ID != "" {
		r.update(i, o)
		return
	}
	r.counts.add(o, happened(o, now))
	if o.ID != "" {
		r.numbers[o.ID] = r.kept.next()
	}
	r.kept.push(o)
	r.bytes += o.size
	for n := r.kept.len(); n > r.maxErrors || n > 1 && r.bytes > r.maxBytes; n-- {
		oldest := r.kept.pop()
		r.bytes -= oldest.size
		delete(r.numbers, oldest.ID)
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
	if i, ok := r.numbers[o.ID]; ok && o.ID != "" {
		r.update(i, o)
	}
}

func (r *Reporter) update(number int, o *Occurrence) {
	kept := r.kept.at(number)
	next := (*kept).updated(o)
	r.counts.recover(*kept, -1)
	before := r.counts.outcome((*kept).Reaction, (*kept).Action)
	if after := r.counts.outcome(next.Reaction, next.Action); after != before {
		after.Count++
		if before != nil {
			before.Count--
		}
	}
	r.counts.recover(next, 1)
	*kept = next
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
		next.Reaction, next.Action = kept(by.Reaction, maxName), kept(by.Action, maxName)
	}
	return next
}

// Retried counts an operation that was retried.
func (r *Reporter) Retried(x Retry) {
	x.Reaction, x.Action = kept(x.Reaction, maxName), kept(x.Action, maxName)
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
	return copies(r.kept.last(n))
}

// ByCategory returns the kept occurrences of a category, the oldest first. A missing category is
// "unknown", as in [Metrics].
func (r *Reporter) ByCategory(category string) []Occurrence {
	return r.filter(func(o *Occurrence) bool { return matches(category, o.Category, o.Category == "") })
}

// ByCode returns the kept occurrences of a code, the oldest first. A missing code is "unknown".
func (r *Reporter) ByCode(code string) []Occurrence {
	return r.filter(func(o *Occurrence) bool { return matches(code, o.Code, o.Code == "") })
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
	for _, o := range r.kept.last(r.kept.len()) {
		if f(o) {
			found = append(found, *o)
		}
	}
	return found
}

// Metrics returns the counts.
func (r *Reporter) Metrics() Metrics {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts.metrics()
}

// Summary returns the counts as text; see [Metrics.Summary].
func (r *Reporter) Summary() string { return r.Metrics().Summary() }

// Codes returns the counts of the codes, the most frequent first.
func (r *Reporter) Codes() []CodeCount {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts.codeCounts()
}

// Timeline returns the number of errors over time, in at most 120 buckets. Its step is the shortest
// one with which the buckets contain at least 99 % of the errors. Buckets begin at multiples of the
// step, counted from 1970 in UTC.
func (r *Reporter) Timeline() Timeline {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts.timeline.series(r.counts.kinds)
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
	r.kept, r.bytes = queue{}, 0
	r.numbers, r.counts = map[string]int{}, newCounts(r.maxKeys)
}
