package report

import (
	"hash/maphash"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/retry"
)

// ReporterOptions say how much a [Reporter] keeps. What is zero has the default.
type ReporterOptions struct {
	// MaxErrors is how many occurrences are kept; 0 is 10 000. The oldest make room.
	MaxErrors int
	// MaxBytes bounds about how much memory they take, metadata included; 0 is 64 MiB. The oldest
	// make room.
	MaxBytes int
	// MaxKeys is how many categories, codes, severities, sources and reactions are told apart,
	// each; 0 is 200. What is new then counts as "other".
	MaxKeys int
	// Clock is where time comes from; nil is [retry.System].
	Clock retry.Clock
}

// The defaults of [ReporterOptions].
const (
	defaultMaxErrors = 10_000
	defaultMaxKeys   = 200
)

// Reporter counts occurrences and keeps the latest. It is a [Sink], safe for concurrent use.
// [NewReporter] makes one; the zero Reporter is of no use.
type Reporter struct {
	maxErrors, maxBytes, maxKeys int
	clock                        retry.Clock
	seed                         maphash.Seed

	mu     sync.Mutex
	store  store
	counts counts
	// asked is what the clock said when it was last asked.
	asked time.Time
}

// NewReporter returns a Reporter to which nothing was reported.
func NewReporter(o ReporterOptions) *Reporter {
	r := &Reporter{
		maxErrors: positive(o.MaxErrors, defaultMaxErrors), maxBytes: positive(o.MaxBytes, defaultMaxBytes),
		maxKeys: positive(o.MaxKeys, defaultMaxKeys), clock: clockOr(o.Clock),
		seed: maphash.MakeSeed(),
	}
	r.counts = newCounts(r.maxKeys)
	return r
}

// Report counts and keeps an occurrence. One with the ID of an occurrence that is kept is taken as
// [Reporter.Update]; of one that is not kept any more it counts again.
func (r *Reporter) Report(o *Occurrence) {
	if o != nil {
		a := admit(o)
		r.report(&a)
	}
}

func (r *Reporter) report(a *admitted) {
	o, hash := a.Occurrence, maphash.String(r.seed, a.ID)
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.store.get(o.ID, hash); e != nil {
		r.update(e, o)
		return
	}
	r.counts.add(o, r.happened(o))
	if r.store.order.n >= r.maxErrors {
		r.store.drop(r.store.order.oldest())
	}
	r.makeRoom(r.store.add(a, hash))
}

// Update notes what has become of an occurrence that is kept, and moves the counts of recoveries by
// the difference; of another it does nothing. Without a recovery it leaves the one that is known.
func (r *Reporter) Update(o *Occurrence) {
	if o == nil {
		return
	}
	o, _ = bounded(o)
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.store.get(o.ID, maphash.String(r.seed, o.ID)); e != nil {
		r.update(e, o)
	}
}

func (r *Reporter) update(e *entry, o *Occurrence) {
	r.counts.recover(&e.Occurrence, -1)
	e.update(o)
	r.counts.recover(&e.Occurrence, 1)
}

// happened returns when an occurrence happened: now, where it does not say, or is ahead of the
// clock. The clock is only asked where that may be, or where it may have been set back since.
func (r *Reporter) happened(o *Occurrence) time.Time {
	if since := o.At.Sub(r.asked); !o.At.IsZero() && -behind <= since && since <= ahead {
		return o.At
	}
	now := r.clock.Now()
	if now.Before(r.asked) {
		r.counts.timeline.back(now)
	}
	r.asked = now
	if o.At.IsZero() || isAhead(o.At, r.asked) {
		return r.asked
	}
	return o.At
}

// makeRoom lets the oldest occurrences go until the others fit, but never the last.
func (r *Reporter) makeRoom(last *entry) {
	for r.store.bytes > r.maxBytes && r.store.order.oldest() != last {
		r.store.drop(r.store.order.oldest())
	}
}

// Retried counts an operation that was tried again, with so many more calls; none counts nothing.
func (r *Reporter) Retried(x Retry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts.retry(x)
}

// All returns all occurrences that are kept, the oldest first.
func (r *Reporter) All() []Occurrence {
	return r.filter(func(*Occurrence) bool { return true })
}

// Last returns the latest n occurrences, the oldest first; of 0 and less none.
func (r *Reporter) Last(n int) []Occurrence {
	r.mu.Lock()
	last := r.store.last(n)
	r.mu.Unlock()
	return allShown(last)
}

// ByCategory returns the occurrences of a category that are kept, the oldest first. Those of none
// are "unknown", as in [Metrics].
func (r *Reporter) ByCategory(category string) []Occurrence {
	return r.filter(func(o *Occurrence) bool { return isOf(category, o.Category) })
}

// ByCode returns the occurrences of a code that are kept, the oldest first. Those of none are
// "unknown", as in [Metrics].
func (r *Reporter) ByCode(code string) []Occurrence {
	return r.filter(func(o *Occurrence) bool { return isOf(code, o.Code) })
}

// BySeverity returns the occurrences of a severity that are kept, the oldest first. Those that have
// none of the taxonomy's are "unknown", as in [Metrics].
func (r *Reporter) BySeverity(severity string) []Occurrence {
	return r.filter(func(o *Occurrence) bool { return isOfSeverity(severity, o.Severity) })
}

// isOf reports whether a category or a code is the one that is asked for.
func isOf(asked, name string) bool {
	return name == asked || asked == unknown && name == ""
}

// isOfSeverity reports whether a severity is the one that is asked for.
func isOfSeverity(asked, severity string) bool {
	return severity == asked || asked == unknown && rankOf(severity) == 0
}

// Between returns the occurrences from one time to another, both included, that are kept, the
// oldest first. One that does not say when it happened is in none.
func (r *Reporter) Between(from, to time.Time) []Occurrence {
	return r.filter(func(o *Occurrence) bool { return !o.At.Before(from) && !o.At.After(to) })
}

func (r *Reporter) filter(f func(o *Occurrence) bool) []Occurrence {
	r.mu.Lock()
	found := r.store.filter(f)
	r.mu.Unlock()
	return allShown(found)
}

// Metrics returns the counts.
func (r *Reporter) Metrics() Metrics {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts.metrics()
}

// Codes returns what is known of the codes of errors, the most frequent first. Counts are those of
// [Metrics].
func (r *Reporter) Codes() []CodeCount {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts.codesOut()
}

// Timeline returns how many errors there were when, in at most 120 buckets. The step is the
// shortest of 1, 5 and 15 seconds, 1, 5 and 15 minutes, 1 and 6 hours, 1, 7, 14 and 28 days that
// allows that; buckets begin at its multiples in UTC, counted from 1970. What is not in it is
// counted in [Timeline.Outside].
func (r *Reporter) Timeline() Timeline {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts.timelineOut()
}

// Outcomes returns what came of the reactions, the most frequent first.
func (r *Reporter) Outcomes() []ReactionOutcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts.reactionOutcomes()
}

// Clear forgets all occurrences and counts.
func (r *Reporter) Clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.store, r.counts = store{}, newCounts(r.maxKeys)
}
