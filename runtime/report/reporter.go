package report

import (
	"cmp"
	"container/list"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/retry"
)

// ReporterOptions configure a [Reporter].
type ReporterOptions struct {
	// MaxErrors limits the kept occurrences; 0 is 10 000. The oldest are dropped first.
	MaxErrors int
	// MaxKeys limits the number of categories that are counted separately, and likewise of codes,
	// sources, recoverabilities and reactions; 0 is 200. The others count as "other".
	MaxKeys int
	Groups  GroupOptions
	// Clock is the source of time; nil is [retry.System].
	Clock retry.Clock
}

// Reporter counts occurrences, keeps the latest, and forms groups of similar ones. It is a [Sink],
// safe for concurrent use. Make one with [NewReporter].
type Reporter struct {
	options ReporterOptions

	mu     sync.Mutex
	counts counts
	kept   []*entry // the oldest first
	groups groups
	byID   map[string]*entry // all entries in use that have an ID
	key    []byte            // reused
}

// entry is a kept occurrence, with the time that it is counted at.
type entry struct {
	*Occurrence
	at time.Time
	// uses counts its places: among the kept ones, in its group, and as a sample.
	uses int
}

// NewReporter returns a Reporter without occurrences.
func NewReporter(o ReporterOptions) *Reporter {
	o.MaxErrors, o.MaxKeys = positive(o.MaxErrors, 10_000), positive(o.MaxKeys, 200)
	g := &o.Groups
	g.MaxAge, g.MaxSize = positive(g.MaxAge, time.Hour), positive(g.MaxSize, 100)
	g.MaxGroups = positive(g.MaxGroups, 10_000)
	if o.Clock == nil {
		o.Clock = retry.System
	}
	r := &Reporter{options: o}
	r.Clear()
	return r
}

func positive[T int | time.Duration](n, def T) T {
	if n > 0 {
		return n
	}
	return def
}

// Report counts and keeps an occurrence, and adds it to its group. If the reporter already keeps
// one with the same ID, Report acts like [Reporter.Update].
func (r *Reporter) Report(o *Occurrence) {
	if o == nil {
		return
	}
	o = masked(o)
	now := r.options.Clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.byID[o.ID]; e != nil {
		r.update(e, o)
		return
	}
	e := &entry{Occurrence: o, at: happened(o, now)}
	r.counts.add(o, e.at)
	if r.kept = append(r.kept, r.use(e)); o.ID != "" {
		r.byID[o.ID] = e
	}
	if len(r.kept) > r.options.MaxErrors {
		r.kept = r.dropFirst(r.kept)
	}
	r.group(e, now)
}

// use begins a use of an entry.
func (r *Reporter) use(e *entry) *entry {
	e.uses++
	return e
}

// release ends a use of an entry. It forgets the ID of an entry without uses.
func (r *Reporter) release(e *entry) {
	if e.uses--; e.uses == 0 {
		delete(r.byID, e.ID)
	}
}

func (r *Reporter) dropFirst(all []*entry) []*entry {
	r.release(all[0])
	all[0] = nil // for the garbage collector
	return all[1:]
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
// the counts. If the reporter keeps no occurrence with that ID, Update does nothing.
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

// Query selects occurrences or groups. Empty fields select all.
type Query struct {
	ID string
	// Category and Severity can be "unknown", as in [Metrics].
	Category, Severity string
	// From and To, both included, limit the time of an occurrence, and LastSeen of a group.
	From, To time.Time
}

func (q *Query) matches(id, category, severity string, at time.Time) bool {
	return (q.ID == "" || q.ID == id) && (q.Category == "" || q.Category == cmp.Or(category, unknown)) &&
		(q.Severity == "" || q.Severity == severityKey(severity)) && !at.Before(q.From) &&
		(q.To.IsZero() || !at.After(q.To))
}

// Errors returns the kept occurrences that a query selects, the oldest first.
func (r *Reporter) Errors(q Query) []Occurrence {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := []Occurrence{}
	for _, e := range r.kept {
		if q.matches(e.ID, e.Category, e.Severity, e.at) {
			found = append(found, *e.Occurrence)
		}
	}
	return found
}

// Last returns the latest n occurrences, the oldest first.
func (r *Reporter) Last(n int) []Occurrence {
	r.mu.Lock()
	defer r.mu.Unlock()
	return latest(r.kept, n)
}

func latest(all []*entry, n int) []Occurrence {
	out := []Occurrence{}
	for _, e := range all[max(0, len(all)-max(n, 0)):] {
		out = append(out, *e.Occurrence)
	}
	return out
}

// Metrics returns the counts.
func (r *Reporter) Metrics() Metrics {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts.copied()
}

// Snapshot is the content of a reporter at a time, for a page.
type Snapshot struct {
	Title   string    `json:"title"`
	At      time.Time `json:"at"`
	Metrics Metrics   `json:"metrics"`
	// Codes are all codes, the most frequent first.
	Codes []CodeCount `json:"codes"`
	// Groups are all groups, the latest first, each with at most 5 occurrences.
	Groups []Group `json:"groups"`
	// Dropped are the dropped groups, as in [Stats]. The metrics count their errors.
	Dropped  Dropped  `json:"dropped"`
	Timeline Timeline `json:"timeline"`
	// Outcomes are the results of the reactions, the most frequent first.
	Outcomes []ReactionOutcome `json:"outcomes"`
	// Last are the latest occurrences, the oldest first, at most 200.
	Last []Occurrence `json:"last"`
	// Runs are the runs during which the errors happened, the oldest first. They are set by the
	// caller; see [Runs.All].
	Runs []Run `json:"runs"`
}

const (
	maxLast        = 200
	maxGroupErrors = 5
)

// Snapshot returns the content of the reporter.
func (r *Reporter) Snapshot() Snapshot {
	now := r.options.Clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expire(now)
	return Snapshot{At: now, Metrics: r.counts.copied(), Codes: r.counts.codeCounts(),
		Groups: r.shownGroups(Query{}, maxGroupErrors), Dropped: r.groups.dropped,
		Timeline: r.counts.timeline(r.kept), Outcomes: r.counts.reactionOutcomes(), Last: latest(r.kept, maxLast)}
}

// Clear drops all occurrences, counts and groups.
func (r *Reporter) Clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept, r.byID, r.counts = nil, map[string]*entry{}, newCounts(r.options.MaxKeys)
	r.groups = groups{byID: map[string]*group{}, order: list.New()}
}
