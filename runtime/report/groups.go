package report

import (
	"cmp"
	"hash/maphash"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/retry"
)

// The defaults of [GroupOptions].
const (
	defaultMaxAge    = time.Hour
	defaultMaxSize   = 100
	defaultMaxGroups = 10_000
	defaultMaxBytes  = 64 << 20
)

// Groups counts occurrences that are alike together. It is a [Sink], safe for concurrent use. What
// adding one costs does not depend on how many there are, nor on how long its message is.
// [NewGroups] makes one; the zero Groups are of no use.
type Groups struct {
	by       grouping
	maxAge   time.Duration
	maxSize  int
	max      int
	maxBytes int
	clock    retry.Clock
	seed     maphash.Seed

	mu    sync.Mutex
	byID  map[string]*group
	store store
	// oldest and newest are the ends of the list of groups, by when they were seen last.
	oldest, newest *group
	// expired and evicted are what is gone because of its age, and because there was no room.
	expired, evicted Gone
	// spare is a group that can be used again.
	spare *group
	// room is where IDs are formed.
	room []byte
}

// NewGroups returns Groups without a group.
func NewGroups(o GroupOptions) *Groups {
	return &Groups{
		by:      grouping{o.ByCategory.Or(true), o.ByCode.Or(false), o.ByPattern.Or(true), o.BySeverity.Or(false)},
		maxAge:  positive(o.MaxAge, defaultMaxAge),
		maxSize: positive(o.MaxSize, defaultMaxSize), max: positive(o.MaxGroups, defaultMaxGroups),
		maxBytes: positive(o.MaxBytes, defaultMaxBytes),
		clock:    clockOr(o.Clock), seed: maphash.MakeSeed(), byID: map[string]*group{},
	}
}

// positive returns n, or the default where n is none.
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

// Report adds an occurrence to its group. One with the ID of an occurrence that is kept is taken as
// [Groups.Update].
func (g *Groups) Report(o *Occurrence) { g.Add(o) }

// Add is [Groups.Report], and returns the ID of the group.
func (g *Groups) Add(o *Occurrence) (id string) {
	if o == nil {
		return ""
	}
	a := admit(o)
	return g.add(&a)
}

func (g *Groups) add(a *admitted) (id string) {
	o, now, hash := a.Occurrence, g.clock.Now(), maphash.String(g.seed, a.ID)
	g.mu.Lock()
	defer g.mu.Unlock()
	if e := g.store.get(o.ID, hash); e != nil {
		e.update(o)
		return e.of.id
	}
	g.dropOld(now)
	gr := g.groupOf(o, now)
	g.touch(gr)
	size := gr.size
	gr.count(o, now, g.by.category)
	g.store.bytes += gr.size - size
	g.keep(gr, a, hash)
	return gr.id
}

// Update notes what has become of an occurrence that is kept; of another it does nothing. Without a
// recovery it leaves the one that is known.
func (g *Groups) Update(o *Occurrence) {
	if o == nil {
		return
	}
	o, _ = bounded(o)
	g.mu.Lock()
	defer g.mu.Unlock()
	if e := g.store.get(o.ID, maphash.String(g.seed, o.ID)); e != nil {
		e.update(o)
	}
}

// Retried does nothing.
func (g *Groups) Retried(Retry) {}

// All returns the groups that are not too old, the one seen last first.
func (g *Groups) All() []Group { return g.filter(nil, g.maxSize) }

// Get returns the group with the ID, unless it is too old.
func (g *Groups) Get(id string) (Group, bool) {
	now := g.clock.Now()
	g.mu.Lock()
	gr := g.byID[id]
	if gr == nil || g.isOld(gr, now) {
		g.mu.Unlock()
		return Group{}, false
	}
	found := gr.copy(g.maxSize)
	g.mu.Unlock()
	return found.shown(), true
}

// ByCategory returns the groups of a category. Those of none are "unknown", as in [Stats].
func (g *Groups) ByCategory(category string) []Group {
	return g.filter(func(gr *group) bool { return isOf(category, gr.category) }, g.maxSize)
}

// ByCode returns the groups of a code. Those of none are "unknown", as in [Metrics]. Where groups
// are not formed by code, there are none.
func (g *Groups) ByCode(code string) []Group {
	return g.filter(func(gr *group) bool { return g.by.code && isOf(code, gr.code) }, g.maxSize)
}

// BySeverity returns the groups whose highest severity is the one given. Those that have none of
// the taxonomy's are "unknown", as in [Stats].
func (g *Groups) BySeverity(severity string) []Group {
	return g.filter(func(gr *group) bool { return isOfSeverity(severity, gr.severity) }, g.maxSize)
}

// filter returns copies of the groups that are not too old and that f takes, each with at most so
// many occurrences.
func (g *Groups) filter(f func(gr *group) bool, errors int) []Group {
	now := g.clock.Now()
	g.mu.Lock()
	found := g.copies(now, f, errors)
	g.mu.Unlock()
	return groupsShown(found)
}

// copies returns copies as [Groups.filter] does, the occurrences as they are kept.
func (g *Groups) copies(now time.Time, f func(gr *group) bool, errors int) []heldGroup {
	out := make([]heldGroup, 0, len(g.byID))
	g.each(now, func(gr *group) {
		if f == nil || f(gr) {
			out = append(out, gr.copy(errors))
		}
	})
	return out
}

// each drops the groups that are too old, and calls f with the others, the one seen last first.
func (g *Groups) each(now time.Time, f func(gr *group)) {
	for gr := g.newest; gr != nil; {
		older := gr.older
		if g.isOld(gr, now) {
			g.drop(gr, &g.expired)
		} else {
			f(gr)
		}
		gr = older
	}
}

// Stats returns counts over the groups that are not too old, and what is gone.
func (g *Groups) Stats() Stats {
	now := g.clock.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	s := Stats{ErrorsByCategory: map[string]int{}, ErrorsBySeverity: map[string]int{}}
	g.each(now, func(gr *group) {
		s.TotalGroups++
		s.TotalErrors += gr.n
		if g.by.category {
			s.ErrorsByCategory[cmp.Or(gr.category, unknown)] += gr.n
		}
		for name, n := range gr.categories {
			s.ErrorsByCategory[name] += n
		}
		for rank, n := range gr.severities {
			if n > 0 {
				s.ErrorsBySeverity[cmp.Or(severities[rank], unknown)] += n
			}
		}
	})
	s.Expired, s.Evicted = g.expired, g.evicted
	return s
}

// Clear forgets all groups.
func (g *Groups) Clear() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.byID, g.store, g.oldest, g.newest = map[string]*group{}, store{}, nil, nil
	g.expired, g.evicted = Gone{}, Gone{}
}
