package report

import (
	"time"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Group is what occurrences that are alike have in common. It marshals to JSON, times as
// milliseconds since 1970.
type Group struct {
	// ID consists of what the group is formed by: category, code, pattern and severity, joined by
	// ':'. In category, code and severity ':' is written as "%3A", and '%' as "%25".
	ID string
	// Category is that of the first occurrence, Pattern its message as [Normalise] returns it.
	Category, Pattern string
	// Code is that of all of them where groups are formed by code, otherwise empty.
	Code string
	// Severity is the highest that was seen.
	Severity string
	// Count counts all occurrences, also those that are not kept any more.
	Count int
	// FirstSeen is when the first of them happened, LastSeen when the last one was reported; of a
	// group of one that is when it happened. An occurrence that does not say when, or is more than
	// an hour ahead of the clock, happened when it came.
	FirstSeen, LastSeen time.Time
	// Errors are the latest occurrences, the oldest first.
	Errors []Occurrence
	// Sample is the first occurrence.
	Sample Occurrence
}

// GroupOptions say how occurrences are grouped. What is zero has the default.
type GroupOptions struct {
	// ByCategory, ByPattern and BySeverity say what makes a group; by default category and pattern
	// do. With none of them there is one group, "default".
	ByCategory, ByPattern, BySeverity taxonomy.Opt[bool]
	// ByCode says that the code makes a group, too; by default it does not.
	ByCode taxonomy.Opt[bool]
	// MaxAge is how long a group lives after its last occurrence; 0 is an hour.
	MaxAge time.Duration
	// MaxSize is how many occurrences a group keeps; 0 is 100.
	MaxSize int
	// MaxGroups is how many groups there are; 0 is 10 000. The one that was seen longest ago makes
	// room.
	MaxGroups int
	// MaxBytes bounds about how much memory all that is kept takes, metadata included; 0 is 64 MiB.
	// The oldest occurrences make room.
	MaxBytes int
	// Clock is where time comes from; nil is [retry.System].
	Clock retry.Clock
}

// Stats are counts over groups.
type Stats struct {
	TotalGroups      int            `json:"totalGroups"`
	TotalErrors      int            `json:"totalErrors"`
	ErrorsByCategory map[string]int `json:"errorsByCategory"`
	ErrorsBySeverity map[string]int `json:"errorsBySeverity"`
	// Expired are the groups that are gone because of their age, Evicted those that had to make
	// room. Neither are in the other counts.
	Expired Gone `json:"expired"`
	Evicted Gone `json:"evicted"`
}

// Gone is what is known of groups that are not kept any more, since the beginning or the last
// Clear. A group that comes back is a new one, which counts from 1.
type Gone struct {
	Groups int `json:"groups"`
	// Errors counts the occurrences that the groups had counted.
	Errors int `json:"errors"`
	// Severity is the highest among them; empty when none stated one.
	Severity string `json:"severity,omitempty"`
}

func (g *Gone) count(gr *group) {
	g.Groups++
	g.Errors += gr.n
	if rankOf(gr.severity) > rankOf(g.Severity) {
		g.Severity = severities[rankOf(gr.severity)]
	}
}
