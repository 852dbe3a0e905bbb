package report

import (
	"cmp"
	"container/list"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/internal/normal"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Group describes similar occurrences. It marshals to JSON, with times as milliseconds since 1970.
type Group struct {
	// ID has the properties that form the group: category, code, pattern and severity, joined by
	// ':'. In category, code and severity ':' is written as "%3A", and '%' as "%25".
	ID string `json:"groupId"`
	// Category is that of the first occurrence, and Pattern its message, normalized by
	// detect.Normalize.
	Category string `json:"category"`
	// Code is the code of all occurrences if groups are formed by code.
	Code    string `json:"errorCode,omitempty"`
	Pattern string `json:"pattern"`
	// Severity is the highest one.
	Severity string `json:"severity"`
	// Count counts all occurrences, including dropped ones.
	Count int `json:"count"`
	// FirstSeen is the time of the first occurrence. LastSeen is the time of the last report, or
	// in a group of one the time of the occurrence.
	FirstSeen time.Time `json:"-"`
	LastSeen  time.Time `json:"-"`
	// Errors are the latest occurrences, the oldest first.
	Errors []Occurrence `json:"errors"`
	// Sample is the first occurrence.
	Sample Occurrence `json:"sampleError"`
}

// MarshalJSON returns an object with the keys groupId, category, errorCode (Code), pattern,
// severity, count, errors, sampleError, firstSeen and lastSeen.
func (g Group) MarshalJSON() ([]byte, error) {
	type fields Group
	if g.Errors == nil {
		g.Errors = []Occurrence{}
	}
	return json.Marshal(struct {
		fields
		First int64 `json:"firstSeen"`
		Last  int64 `json:"lastSeen"`
	}{fields(g), milliseconds(g.FirstSeen), milliseconds(g.LastSeen)})
}

// UnmarshalJSON reads an object that MarshalJSON wrote.
func (g *Group) UnmarshalJSON(b []byte) error {
	type fields Group
	var in struct {
		fields
		First int64 `json:"firstSeen"`
		Last  int64 `json:"lastSeen"`
	}
	if err := json.Unmarshal(b, &in); err != nil {
		return fmt.Errorf("group: %w", err)
	}
	*g = Group(in.fields)
	g.FirstSeen, g.LastSeen = fromMilliseconds(in.First), fromMilliseconds(in.Last)
	return nil
}

// GroupOptions configure [Groups].
type GroupOptions struct {
	// ByCategory, ByPattern, BySeverity and ByCode select the properties that form a group. The
	// default is category and pattern. If all are false, the only group is "default".
	ByCategory, ByPattern, BySeverity, ByCode taxonomy.Opt[bool]
	// MaxAge is the lifetime of a group after its last occurrence; 0 is an hour.
	MaxAge time.Duration
	// MaxSize limits the kept occurrences of a group; 0 is 100.
	MaxSize int
	// MaxGroups limits the groups; 0 is 10 000. The least recently seen group is dropped first,
	// also if all groups together keep more than 10 000 occurrences.
	MaxGroups int
	// Clock is the source of time; nil is [retry.System].
	Clock retry.Clock
}

const (
	defaultMaxAge    = time.Hour
	defaultMaxSize   = 100
	defaultMaxGroups = 10_000
	// maxInGroups limits the kept occurrences of all groups together.
	maxInGroups = 10_000
	// maxCategories limits the categories that a group counts.
	maxCategories = 64
)

// Stats are counts over groups.
type Stats struct {
	TotalGroups      int            `json:"totalGroups"`
	TotalErrors      int            `json:"totalErrors"`
	ErrorsByCategory map[string]int `json:"errorsByCategory"`
	ErrorsBySeverity map[string]int `json:"errorsBySeverity"`
	// Dropped are the groups that were dropped because of their age or a limit. The other counts
	// exclude them.
	Dropped Dropped `json:"dropped"`
}

// Dropped counts dropped groups since the beginning or the last Clear, and their errors. If an
// occurrence of a dropped group follows, it forms a new group, which counts from 1.
type Dropped struct {
	Groups int `json:"groups"`
	Errors int `json:"errors"`
}

// Groups counts similar occurrences together. It is a [Sink], safe for concurrent use. Adding an
// occurrence takes the same time for any number of groups. Make one with [NewGroups].
type Groups struct {
	category, code, pattern, severity bool
	maxAge                            time.Duration
	maxSize, maxGroups                int
	clock                             retry.Clock

	mu   sync.Mutex
	byID map[string]*group
	// byError finds the group of a kept occurrence by its ID.
	byError map[string]*group
	order   *list.List // of groups, the latest in front
	kept    int        // occurrences
	dropped Dropped
	id      []byte // reused
}

// group is a [Group] whose occurrences are shared.
type group struct {
	Group
	sample  *Occurrence
	errors  []*Occurrence // the oldest first
	touched time.Time     // when the last occurrence was reported
	place   *list.Element
	// severities and categories count by key. A group of one category does not count categories.
	severities, categories map[string]int
}

// NewGroups returns Groups without a group.
func NewGroups(o GroupOptions) *Groups {
	g := &Groups{
		category: o.ByCategory.Or(true), code: o.ByCode.Or(false), pattern: o.ByPattern.Or(true),
		severity: o.BySeverity.Or(false), maxAge: positive(o.MaxAge, defaultMaxAge),
		maxSize: positive(o.MaxSize, defaultMaxSize), maxGroups: positive(o.MaxGroups, defaultMaxGroups),
		clock: clockOr(o.Clock),
	}
	g.Clear()
	return g
}

// Report adds an occurrence to its group. If the group keeps one with the same ID, Report acts like
// [Groups.Update].
func (g *Groups) Report(o *Occurrence) { g.Add(o) }

// Add acts like [Groups.Report] and returns the ID of the group.
func (g *Groups) Add(o *Occurrence) (id string) {
	if o == nil {
		return ""
	}
	o = masked(o)
	now := g.clock.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	if gr := g.byError[o.ID]; gr != nil && o.ID != "" {
		gr.update(o)
		return gr.ID
	}
	g.expire(now)
	gr := g.groupOf(o)
	gr.count(o, now, !g.category)
	if len(gr.errors) >= g.maxSize {
		g.forget(gr)
	}
	gr.errors = append(gr.errors, o)
	if g.kept++; o.ID != "" {
		g.byError[o.ID] = gr
	}
	for g.kept > maxInGroups && g.order.Len() > 1 {
		g.drop(g.order.Back().Value.(*group))
	}
	return gr.ID
}

// groupOf returns the group of an occurrence and makes it the latest. If the group is new, the
// occurrence is its sample.
func (g *Groups) groupOf(o *Occurrence) *group {
	from, to := g.appendID(o)
	if gr := g.byID[string(g.id)]; gr != nil {
		g.order.MoveToFront(gr.place)
		return gr
	}
	for len(g.byID) >= g.maxGroups {
		g.drop(g.order.Back().Value.(*group))
	}
	gr := &group{sample: o, severities: map[string]int{}, categories: map[string]int{}}
	gr.ID, gr.Category = string(g.id), o.Category
	if gr.Pattern = gr.ID[from:to]; !g.pattern {
		gr.Pattern = normal.Text(o.Message)
	}
	if g.code {
		gr.Code = o.Code
	}
	gr.place = g.order.PushFront(gr)
	g.byID[gr.ID] = gr
	return gr
}

// appendID writes the ID of an occurrence's group to g.id and returns the bounds of the pattern in
// it.
func (g *Groups) appendID(o *Occurrence) (from, to int) {
	id := g.id[:0]
	if g.category {
		id = append(append(id, escaped(o.Category)...), ':')
	}
	if g.code {
		id = append(append(id, escaped(o.Code)...), ':')
	}
	if g.pattern {
		from = len(id)
		id = normal.Append(id, o.Message)
		to = len(id)
		id = append(id, ':')
	}
	if g.severity {
		id = append(append(id, escaped(o.Severity)...), ':')
	}
	if len(id) == 0 {
		id = append(id, "default:"...)
	}
	g.id = id[:len(id)-1]
	return from, to
}

func escaped(s string) string {
	if !strings.ContainsAny(s, ":%") {
		return s
	}
	return strings.NewReplacer("%", "%25", ":", "%3A").Replace(s)
}

// count counts an occurrence.
func (gr *group) count(o *Occurrence, now time.Time, byCategory bool) {
	at := happened(o, now).Round(0)
	if gr.Count++; gr.Count == 1 {
		gr.FirstSeen, gr.LastSeen = at, at
	} else if now.After(gr.LastSeen) {
		gr.LastSeen = now.Round(0)
	}
	if at.Before(gr.FirstSeen) {
		gr.FirstSeen = at
	}
	gr.touched = now
	gr.severities[severityKey(o.Severity)]++
	gr.Severity = highest(gr.Severity, o.Severity)
	if byCategory {
		gr.categories[keyIn(gr.categories, o.Category, maxCategories)]++
	}
}

// forget drops the oldest kept occurrence of a group.
func (g *Groups) forget(gr *group) {
	oldest := gr.errors[0]
	if oldest.ID != gr.sample.ID {
		delete(g.byError, oldest.ID)
	}
	gr.errors[0] = nil // for the garbage collector
	gr.errors = gr.errors[1:]
	g.kept--
}

// expire drops the groups that are too old.
func (g *Groups) expire(now time.Time) {
	for last := g.order.Back(); last != nil; last = g.order.Back() {
		gr := last.Value.(*group)
		if now.Sub(gr.touched) <= g.maxAge {
			return
		}
		g.drop(gr)
	}
}

// drop drops a group.
func (g *Groups) drop(gr *group) {
	g.dropped.Groups++
	g.dropped.Errors += gr.Count
	for len(gr.errors) > 0 {
		g.forget(gr)
	}
	delete(g.byError, gr.sample.ID)
	delete(g.byID, gr.ID)
	g.order.Remove(gr.place)
}

// Update replaces the recovery of a kept occurrence, and its reaction if o has one. Other updates
// have no effect.
func (g *Groups) Update(o *Occurrence) {
	if o == nil || o.ID == "" {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if gr := g.byError[o.ID]; gr != nil {
		gr.update(o)
	}
}

func (gr *group) update(o *Occurrence) {
	if gr.sample.ID == o.ID {
		gr.sample = gr.sample.updated(o)
	}
	for i, kept := range slices.Backward(gr.errors) {
		if kept.ID == o.ID {
			gr.errors[i] = kept.updated(o)
			return
		}
	}
}

// Retried does nothing.
func (g *Groups) Retried(Retry) {}

// All returns the groups that are not expired, the latest first.
func (g *Groups) All() []Group { return g.filter(func(*group) bool { return true }) }

// Get returns the group with the ID, if it is not expired.
func (g *Groups) Get(id string) (Group, bool) {
	found := g.filter(func(gr *group) bool { return gr.ID == id })
	if len(found) == 0 {
		return Group{}, false
	}
	return found[0], true
}

// ByCategory returns the groups of a category. A missing category is "unknown", as in [Stats].
func (g *Groups) ByCategory(category string) []Group {
	return g.filter(func(gr *group) bool { return matches(category, gr.Category, gr.Category == "") })
}

// BySeverity returns the groups with that highest severity. A severity outside the taxonomy is
// "unknown".
func (g *Groups) BySeverity(severity string) []Group {
	return g.filter(func(gr *group) bool { return matches(severity, gr.Severity, gr.Severity == "") })
}

func (g *Groups) filter(f func(gr *group) bool) []Group {
	now := g.clock.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.expire(now)
	return g.shown(f, g.maxSize)
}

// shown returns groups with their latest occurrences, the latest group first.
func (g *Groups) shown(f func(gr *group) bool, errors int) []Group {
	out := []Group{}
	for e := g.order.Front(); e != nil; e = e.Next() {
		gr := e.Value.(*group)
		if !f(gr) {
			continue
		}
		shown := gr.Group
		shown.Sample = *gr.sample
		for _, o := range gr.errors[max(0, len(gr.errors)-errors):] {
			shown.Errors = append(shown.Errors, *o)
		}
		out = append(out, shown)
	}
	return out
}

// Stats returns counts over the groups that are not expired.
func (g *Groups) Stats() Stats {
	now := g.clock.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.expire(now)
	s := Stats{ErrorsByCategory: map[string]int{}, ErrorsBySeverity: map[string]int{}, Dropped: g.dropped}
	for _, gr := range g.byID {
		s.TotalGroups++
		s.TotalErrors += gr.Count
		if g.category {
			s.ErrorsByCategory[cmp.Or(gr.Category, unknown)] += gr.Count
		}
		for name, n := range gr.categories {
			s.ErrorsByCategory[name] += n
		}
		for name, n := range gr.severities {
			s.ErrorsBySeverity[name] += n
		}
	}
	return s
}

// Clear drops all groups.
func (g *Groups) Clear() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.byID, g.byError, g.order = map[string]*group{}, map[string]*group{}, list.New()
	g.kept, g.dropped = 0, Dropped{}
}
