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
	// MaxGroups limits the groups; 0 is 10 000. The least recently seen group is dropped first.
	MaxGroups int
	// MaxBytes limits the estimated memory; 0 is 64 MiB. A growing group drops its oldest
	// occurrences first. Then the least recently seen groups are dropped.
	MaxBytes int
	// Clock is the source of time; nil is [retry.System].
	Clock retry.Clock
}

const (
	defaultMaxAge    = time.Hour
	defaultMaxSize   = 100
	defaultMaxGroups = 10_000
	// groupSize estimates the memory of a group without its texts. maxCategories limits the
	// categories that a group counts.
	groupSize     = 1 << 10
	maxCategories = 64
)

// Stats are counts over groups.
type Stats struct {
	TotalGroups      int            `json:"totalGroups"`
	TotalErrors      int            `json:"totalErrors"`
	ErrorsByCategory map[string]int `json:"errorsByCategory"`
	ErrorsBySeverity map[string]int `json:"errorsBySeverity"`
	// Expired are the groups that were dropped because of their age, and Evicted those that were
	// dropped because of a limit. The other counts exclude them.
	Expired Gone `json:"expired"`
	Evicted Gone `json:"evicted"`
}

// Gone counts dropped groups since the beginning or the last Clear. If an occurrence of a dropped
// group follows, it forms a new group, which counts from 1.
type Gone struct {
	Groups int `json:"groups"`
	// Errors counts the occurrences of the groups.
	Errors int `json:"errors"`
	// Severity is the highest one of the groups.
	Severity string `json:"severity,omitempty"`
}

// Groups counts similar occurrences together. It is a [Sink], safe for concurrent use. Adding an
// occurrence takes the same time for any number of groups. Make one with [NewGroups].
type Groups struct {
	category, code, pattern, severity    bool
	maxAge                               time.Duration
	maxSize, maxGroups, maxBytes, nBytes int
	clock                                retry.Clock

	mu   sync.Mutex
	byID map[string]*group
	// byError finds the group of a kept occurrence by its ID.
	byError          map[string]*group
	order            *list.List // of groups, the latest in front
	expired, evicted Gone
	id               []byte // reused
}

// group is a [Group] whose occurrences are shared.
type group struct {
	Group
	sample  *Occurrence
	errors  queue
	touched time.Time // when the last occurrence was reported
	place   *list.Element
	size    int
	// severities counts by rank, and categories by name if the group may have several.
	severities [len(severities)]int
	categories counter[string]
}

// NewGroups returns Groups without a group.
func NewGroups(o GroupOptions) *Groups {
	g := &Groups{
		category: o.ByCategory.Or(true), code: o.ByCode.Or(false), pattern: o.ByPattern.Or(true),
		severity: o.BySeverity.Or(false), maxAge: positive(o.MaxAge, defaultMaxAge),
		maxSize: positive(o.MaxSize, defaultMaxSize), maxGroups: positive(o.MaxGroups, defaultMaxGroups),
		maxBytes: positive(o.MaxBytes, defaultMaxBytes), clock: clockOr(o.Clock),
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
	if gr.errors.len() >= g.maxSize {
		g.forget(gr)
	}
	gr.errors.push(o)
	if g.grow(gr, o.size); o.ID != "" {
		g.byError[o.ID] = gr
	}
	g.makeRoom(gr)
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
		g.drop(g.order.Back().Value.(*group), &g.evicted)
	}
	gr := &group{sample: o}
	gr.ID, gr.Category = string(g.id), o.Category
	if gr.Pattern = gr.ID[from:to]; !g.pattern {
		gr.Pattern = normal.Text(o.Message)
	}
	if g.code {
		gr.Code = o.Code
	}
	if !g.category {
		gr.categories = newCounter(maxCategories, other)
	}
	gr.place = g.order.PushFront(gr)
	g.byID[gr.ID] = gr
	g.grow(gr, groupSize+2*len(gr.ID)+o.size)
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

func (g *Groups) grow(gr *group, bytes int) {
	gr.size += bytes
	g.nBytes += bytes
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
	rank := rankOf(o.Severity)
	gr.severities[rank]++
	if rank > rankOf(gr.Severity) {
		gr.Severity = severities[rank]
	}
	if byCategory {
		gr.categories.counts[gr.categories.of(cmp.Or(o.Category, unknown))]++
	}
}

// forget drops the oldest kept occurrence of a group.
func (g *Groups) forget(gr *group) {
	oldest := gr.errors.pop()
	if oldest.ID != gr.sample.ID {
		delete(g.byError, oldest.ID)
	}
	g.grow(gr, -oldest.size)
}

// makeRoom drops occurrences of the group and then other groups until the memory is within bounds.
func (g *Groups) makeRoom(gr *group) {
	for g.nBytes > g.maxBytes && gr.errors.len() > 1 {
		g.forget(gr)
	}
	for g.nBytes > g.maxBytes && g.order.Len() > 1 {
		g.drop(g.order.Back().Value.(*group), &g.evicted)
	}
}

// expire drops the groups that are too old.
func (g *Groups) expire(now time.Time) {
	for last := g.order.Back(); last != nil; last = g.order.Back() {
		gr := last.Value.(*group)
		if now.Sub(gr.touched) <= g.maxAge {
			return
		}
		g.drop(gr, &g.expired)
	}
}

// drop drops a group.
func (g *Groups) drop(gr *group, gone *Gone) {
	gone.Groups++
	gone.Errors += gr.Count
	if rankOf(gr.Severity) > rankOf(gone.Severity) {
		gone.Severity = gr.Severity
	}
	for gr.errors.len() > 0 {
		g.forget(gr)
	}
	delete(g.byError, gr.sample.ID)
	delete(g.byID, gr.ID)
	g.order.Remove(gr.place)
	g.nBytes -= gr.size
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
	all := gr.errors.last(gr.errors.len())
	for i, kept := range slices.Backward(all) {
		if kept.ID == o.ID {
			all[i] = kept.updated(o)
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

// ByCode returns the groups of a code, if groups are formed by code.
func (g *Groups) ByCode(code string) []Group {
	return g.filter(func(gr *group) bool { return g.code && matches(code, gr.Code, gr.Code == "") })
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
		shown.Errors = copies(gr.errors.last(errors))
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
	s := Stats{ErrorsByCategory: map[string]int{}, ErrorsBySeverity: map[string]int{}, Expired: g.expired,
		Evicted: g.evicted}
	for _, gr := range g.byID {
		s.TotalGroups++
		s.TotalErrors += gr.Count
		if g.category {
			s.ErrorsByCategory[cmp.Or(gr.Category, unknown)] += gr.Count
		}
		for name, n := range gr.categories.counts {
			s.ErrorsByCategory[name] += n
		}
		for rank, n := range gr.severities {
			if n > 0 {
				s.ErrorsBySeverity[cmp.Or(severities[rank], unknown)] += n
			}
		}
	}
	return s
}

// Clear drops all groups.
func (g *Groups) Clear() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.byID, g.byError, g.order, g.nBytes = map[string]*group{}, map[string]*group{}, list.New(), 0
	g.expired, g.evicted = Gone{}, Gone{}
}
