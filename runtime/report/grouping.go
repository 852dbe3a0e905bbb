package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/normal"
)

// grouping says what makes a group.
type grouping struct{ category, code, pattern, severity bool }

// appendID appends the ID of the group that an occurrence belongs to, and says where in it the
// pattern is.
func (by grouping) appendID(dst []byte, o *Occurrence) (id []byte, from, to int) {
	if by == (grouping{}) {
		return append(dst, "default"...), 0, 0
	}
	if by.category {
		dst = append(appendEscaped(dst, o.Category), ':')
	}
	if by.code {
		dst = append(appendEscaped(dst, o.Code), ':')
	}
	if by.pattern {
		from = len(dst)
		dst = normal.Append(dst, o.Message)
		to = len(dst)
		dst = append(dst, ':')
	}
	if by.severity {
		dst = append(appendEscaped(dst, o.Severity), ':')
	}
	return dst[:len(dst)-1], from, to
}

// appendEscaped appends a category, a code or a severity without ':', so that different groups have
// different IDs.
func appendEscaped(dst []byte, s string) []byte {
	if strings.IndexByte(s, ':') < 0 && strings.IndexByte(s, '%') < 0 {
		return append(dst, s...)
	}
	return append(dst, strings.NewReplacer("%", "%25", ":", "%3A").Replace(s)...)
}

// severities are the taxonomy's words, by how bad they are. What is none of them is as none.
var severities = [...]string{"", "low", "medium", "high", "critical"}

func rankOf(severity string) int { return max(0, slices.Index(severities[:], severity)) }

// maxCategories is how many categories a group tells apart.
const maxCategories = 64

// group is a [Group] on its way.
type group struct {
	id, category, code, pattern, severity string
	n                                     int
	// size is about how many bytes it takes, without its entries.
	size        int
	first, last time.Time
	// touched is when the last occurrence came, by the clock; it decides about the age.
	touched time.Time
	// severities counts by rank. categories counts by category where the group may have several; it
	// is nil otherwise.
	severities [len(severities)]int
	categories map[string]int
	// oldestEntry and newestEntry are the ends of the list of what is kept, entries its length;
	// sample is the first of all.
	oldestEntry, newestEntry *entry
	entries                  int
	sample                   *entry
	older, newer             *group
}

// count counts an occurrence.
func (gr *group) count(o *Occurrence, now time.Time, ofCategory bool) {
	gr.n++
	gr.touched = now
	at := happened(o, now).Round(0)
	if gr.n == 1 {
		gr.first, gr.last = at, at
	}
	if at.Before(gr.first) {
		gr.first = at
	}
	if gr.n > 1 && now.After(gr.last) {
		gr.last = now.Round(0)
	}
	rank := rankOf(o.Severity)
	gr.severities[rank]++
	if rank > rankOf(gr.severity) {
		gr.severity = severities[rank]
	}
	if !ofCategory {
		gr.countCategory(cmp.Or(o.Category, unknown))
	}
}

// happened returns when an occurrence happened: now, where it does not say, or is ahead of the
// clock.
func happened(o *Occurrence, now time.Time) time.Time {
	if o.At.IsZero() || isAhead(o.At, now) {
		return now
	}
	return o.At
}

// isAhead reports whether a time is too far in the future. One that is farther than a [time.Time]
// reaches would be taken as long past otherwise.
func isAhead(t, now time.Time) bool { return t.Unix() > maxTime/1000 || t.Sub(now) > ahead }

func (gr *group) countCategory(category string) {
	if gr.categories == nil {
		gr.categories = map[string]int{}
	}
	if _, known := gr.categories[category]; !known {
		category = gr.newCategory(category)
	}
	gr.categories[category]++
}

// newCategory returns the name under which a category is counted that was not seen, or that has a
// secret.
func (gr *group) newCategory(category string) string {
	category = kept(category, maxName)
	if _, known := gr.categories[category]; known {
		return category
	}
	if len(gr.categories) >= maxCategories {
		return other
	}
	gr.size += len(category) + categorySize
	return category
}

// push appends an entry.
func (gr *group) push(e *entry) {
	e.of = gr
	if gr.newestEntry != nil {
		gr.newestEntry.next = e
	} else {
		gr.oldestEntry = e
	}
	gr.newestEntry = e
	gr.entries++
	if gr.sample == nil {
		gr.sample = e
	}
}

// pop takes the oldest entry out; nil when there is none.
func (gr *group) pop() *entry {
	e := gr.oldestEntry
	if e == nil {
		return nil
	}
	if gr.oldestEntry = e.next; gr.oldestEntry == nil {
		gr.newestEntry = nil
	}
	e.next = nil
	gr.entries--
	return e
}

// heldGroup is a copy of a group, its occurrences as they are kept.
type heldGroup struct {
	Group
	sample held
	errors []held
}

// copy returns the group with its latest occurrences, at most so many.
func (gr *group) copy(errors int) heldGroup {
	out := heldGroup{Group: Group{
		ID: gr.id, Category: gr.category, Code: gr.code, Pattern: gr.pattern, Severity: gr.severity, Count: gr.n,
		FirstSeen: gr.first, LastSeen: gr.last,
	}, sample: gr.sample.held}
	skip := max(0, gr.entries-errors)
	out.errors = make([]held, 0, gr.entries-skip)
	for e := gr.oldestEntry; e != nil; e = e.next {
		if skip--; skip < 0 {
			out.errors = append(out.errors, e.held)
		}
	}
	return out
}

// shown returns the group, which shares nothing with that of which it is a copy.
func (gr *heldGroup) shown() Group {
	gr.Sample, gr.Errors = gr.sample.shown(), allShown(gr.errors)
	return gr.Group
}

func groupsShown(all []heldGroup) []Group {
	out := make([]Group, len(all))
	for i := range all {
		out[i] = all[i].shown()
	}
	return out
}
