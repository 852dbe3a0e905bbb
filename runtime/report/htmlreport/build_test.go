package htmlreport

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/report"
)

// The group with the most errors is first; of equals the one that was seen last, and of those seen
// at once the first by ID.
func TestOrderOfGroups(t *testing.T) {
	seen := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	group := func(id string, count int, after time.Duration) report.Group {
		return report.Group{ID: id, Pattern: id, Count: count, LastSeen: seen.Add(after)}
	}
	rows, left := (&builder{details: detailBudget}).groups([]report.Group{
		group("d", 2, 0), group("c", 2, 0), group("a", 1, time.Hour), group("e", 2, time.Minute), group("b", 3, 0),
	}, 4)
	var got []string
	for _, r := range rows {
		got = append(got, r.Pattern)
	}
	assert.Equal(t, []string{"b", "e", "c", "d"}, got)
	assert.Equal(t, "Shown are the 4 largest of 5 groups.", left)
}

// Where no reporter has counted, all errors of groups are counted, also of those that are gone.
func TestErrorsOfGroups(t *testing.T) {
	s := report.Snapshot{
		Groups:  []report.Group{{ID: "a", Count: 3}, {ID: "b", Count: 4}},
		Expired: report.Gone{Groups: 1, Errors: 10}, Evicted: report.Gone{Groups: 2, Errors: 100},
	}
	errors := func() string { return figures(s)[0].Value }
	assert.Equal(t, "117", errors())
	s.Metrics.TotalErrors = 120
	assert.Equal(t, "120", errors())
	s = report.Snapshot{Evicted: report.Gone{Groups: 2, Errors: 5}}
	assert.Equal(t, "5", errors())
	assert.False(t, isEmpty(s))
}

// Names have 80 bytes, patterns and messages 240, the title 200.
func TestLimitsOfTexts(t *testing.T) {
	cut := func(n int) string { return strings.Repeat("x", n-len(ellipsis)) + ellipsis }
	long := strings.Repeat("x", 1000)
	p := newPage(report.Snapshot{
		Title: long,
		Groups: []report.Group{{ID: "a", Count: 1, Category: long, Pattern: long,
			Sample: report.Occurrence{Code: long}}},
		Metrics:  report.Metrics{TotalErrors: 1, ErrorsByCode: map[string]int{long: 1}},
		Codes:    []report.CodeCount{{Code: long, Category: long, Count: 1}},
		Last:     []report.Occurrence{{Code: long, Category: long, Message: long}},
		Outcomes: []report.ReactionOutcome{{Reaction: long, Action: long, Count: 1}},
	}, Options{})
	assert.Equal(t, cut(200), p.Title)
	require.Len(t, p.Groups, 1)
	assert.Equal(
		t, []string{cut(80), cut(80), cut(240)}, []string{p.Groups[0].Code, p.Groups[0].Category, p.Groups[0].Pattern})
	require.Len(t, p.Codes, 1)
	assert.Equal(t, []string{cut(80), cut(80)}, []string{p.Codes[0].Code, p.Codes[0].Category})
	require.Len(t, p.Outcomes, 1)
	assert.Equal(t, []string{cut(80), cut(80)}, []string{p.Outcomes[0].Reaction, p.Outcomes[0].Action})
	require.Len(t, p.Latest, 1)
	assert.Equal(t, cut(240), p.Latest[0].Summary)
}
