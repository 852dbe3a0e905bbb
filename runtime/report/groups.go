package report

import (
	"container/list"
	"encoding/json"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/normal"
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

// GroupOptions configure the groups of a [Reporter].
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
}

const (
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

// groups are the groups of a [Reporter].
type groups struct {
	byID    map[string]*group
	order   *list.List // of groups, the latest in front
	kept    int        // occurrences
	dropped Dropped
}

// group is a [Group] whose occurrences are shared.
type group struct {
	Group
	sample  *entry
	errors  []*entry  // the oldest first
	touched time.Time // when the last occurrence was reported
	place   *list.Element
	// severities and categories count by key.
	severities, categories map[string]int
}

// group adds an entry to its group.
func (r *Reporter) group(e *entry, now time.Time) {
	r.expire(now)
	gr := r.groupOf(e)
	gr.count(e, now)
	if len(gr.errors) >= r.options.Groups.MaxSize {
		gr.errors = r.dropFirst(gr.errors)
		r.groups.kept--
	}
	gr.errors = append(gr.errors, r.use(e))
	r.groups.kept++
	for r.groups.kept > maxInGroups && r.groups.order.Len() > 1 {
		r.drop(r.groups.order.Back().Value.(*group))
	}
}

// groupOf returns the group of an entry and makes it the latest. The entry becomes the sample of a
// new group.
func (r *Reporter) groupOf(e *entry) *group {
	g, o := &r.groups, &r.options.Groups
	id := r.key[:0]
	for _, part := range []struct {
		on   bool
		text string
	}{{o.ByCategory.Or(true), e.Category}, {o.ByCode.Or(false), e.Code}} {
		if part.on {
			id = append(append(id, escaped(part.text)...), ':')
		}
	}
	from, to := len(id), len(id)
	if o.ByPattern.Or(true) {
		id = normal.Append(id, e.Message)
		to = len(id)
		id = append(id, ':')
	}
	if o.BySeverity.Or(false) {
		id = append(append(id, escaped(e.Severity)...), ':')
	}
	if len(id) == 0 {
		id = append(id, "default:"...)
	}
	r.key = id[:len(id)-1]
	if gr := g.byID[string(r.key)]; gr != nil {
		g.order.MoveToFront(gr.place)
		return gr
	}
	for len(g.byID) >= o.MaxGroups {
		r.drop(g.order.Back().Value.(*group))
	}
	gr := &group{sample: r.use(e), severities: map[string]int{}, categories: map[string]int{}}
	gr.ID, gr.Category = string(r.key), e.Category
	if o.ByPattern.Or(true) {
		gr.Pattern = gr.ID[from:to]
	} else {
		gr.Pattern = normal.Text(e.Message)
	}
	if o.ByCode.Or(false) {
		gr.Code = e.Code
	}
	gr.place = g.order.PushFront(gr)
	g.byID[gr.ID] = gr
	return gr
}

func escaped(s string) string {
	if !strings.ContainsAny(s, ":%") {
		return s
	}
	return strings.NewReplacer("%", "%25", ":", "%3A").Replace(s)
}

// count counts an occurrence.
func (gr *group) count(e *entry, now time.Time) {
	at := e.at.Round(0)
	if gr.Count++; gr.Count == 1 {
		gr.FirstSeen, gr.LastSeen = at, at
	} else if now.After(gr.LastSeen) {
		gr.LastSeen = now.Round(0)
	}
	if at.Before(gr.FirstSeen) {
		gr.FirstSeen = at
	}
	gr.touched = now
	gr.severities[severityKey(e.Severity)]++
	gr.Severity = highest(gr.Severity, e.Severity)
	gr.categories[keyIn(gr.categories, e.Category, maxCategories)]++
}

// expire drops the groups that are too old.
func (r *Reporter) expire(now time.Time) {
	for last := r.groups.order.Back(); last != nil; last = r.groups.order.Back() {
		gr := last.Value.(*group)
		if now.Sub(gr.touched) <= r.options.Groups.MaxAge {
			return
		}
		r.drop(gr)
	}
}

// drop drops a group.
func (r *Reporter) drop(gr *group) {
	g := &r.groups
	g.dropped.Groups++
	g.dropped.Errors += gr.Count
	g.kept -= len(gr.errors)
	for _, e := range append(gr.errors, gr.sample) {
		r.release(e)
	}
	delete(g.byID, gr.ID)
	g.order.Remove(gr.place)
}

// Groups returns the groups that a query selects and that are not expired, the latest first.
func (r *Reporter) Groups(q Query) []Group {
	now := r.options.Clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expire(now)
	return r.shownGroups(q, r.options.Groups.MaxSize)
}

// shownGroups returns groups, each with at most limit occurrences.
func (r *Reporter) shownGroups(q Query, limit int) []Group {
	out := []Group{}
	for e := r.groups.order.Front(); e != nil; e = e.Next() {
		if gr := e.Value.(*group); q.matches(gr.ID, gr.Category, gr.Severity, gr.LastSeen) {
			shown := gr.Group
			shown.Sample, shown.Errors = *gr.sample.Occurrence, latest(gr.errors, limit)
			out = append(out, shown)
		}
	}
	return out
}

// Stats returns counts over the groups that are not expired.
func (r *Reporter) Stats() Stats {
	now := r.options.Clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expire(now)
	s := Stats{ErrorsByCategory: map[string]int{}, ErrorsBySeverity: map[string]int{}, Dropped: r.groups.dropped}
	for _, gr := range r.groups.byID {
		s.TotalGroups++
		s.TotalErrors += gr.Count
		for name, n := range gr.categories {
			s.ErrorsByCategory[name] += n
		}
		for name, n := range gr.severities {
			s.ErrorsBySeverity[name] += n
		}
	}
	return s
}
