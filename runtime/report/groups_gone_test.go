package report

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is gone is told of, with how bad it was.
func TestGroupsThatAreGone(t *testing.T) {
	c := newClock()
	r, g := NewReporter(ReporterOptions{Clock: c}), NewGroups(GroupOptions{Clock: c, MaxGroups: 3, MaxAge: time.Minute})
	for range 500 {
		Sinks{r, g}.Report(occurrence("outage", "critical", "m"))
	}
	c.pass(time.Hour)
	Sinks{r, g}.Report(occurrence("a", "low", "m"))
	s := NewSnapshot(r, g)
	assert.Len(t, s.Groups, 1)
	assert.Equal(t, 501, s.Metrics.TotalErrors)
	assert.Equal(t, time.Minute, s.GroupAge)
	assert.Equal(t, Gone{Groups: 1, Errors: 500, Severity: "critical"}, s.Expired)
	assert.Zero(t, s.Evicted)

	for _, severity := range []string{"low", "high", "", "weird"} {
		for range 2 {
			g.Report(occurrence("of "+severity, severity, "m"))
		}
	}
	assert.Equal(t, Gone{Groups: 2, Errors: 3, Severity: "low"}, g.Stats().Evicted)
	g.Report(occurrence("b", "low", "m"))
	stats := g.Stats()
	assert.Equal(t, Gone{Groups: 3, Errors: 5, Severity: "high"}, stats.Evicted)
	assert.Equal(t, 5, stats.TotalErrors)
	c.pass(time.Hour)
	_, ok := g.Get("b:m")
	assert.False(t, ok)
	g.Report(occurrence("b", "low", "m"))
	assert.Empty(t, g.BySeverity("high"))
	assert.Equal(t, Gone{Groups: 4, Errors: 505, Severity: "critical"}, g.Stats().Expired)
	g.Clear()
	assert.Zero(t, g.Stats().Expired)
	assert.Zero(t, g.Stats().Evicted)
	assert.Zero(t, NewSnapshot(r, nil).GroupAge)
}

func TestBytesOfGroupsThatAreGone(t *testing.T) {
	g := NewGroups(GroupOptions{MaxBytes: 64 << 10})
	for i := range 1000 {
		g.Report(occurrence(fmt.Sprint("c", i), "low", "m"))
	}
	s := g.Stats()
	assert.Equal(t, Stats{
		TotalGroups: s.TotalGroups, TotalErrors: s.TotalGroups, ErrorsByCategory: s.ErrorsByCategory,
		ErrorsBySeverity: s.ErrorsBySeverity,
		Evicted:          Gone{Groups: 1000 - s.TotalGroups, Errors: 1000 - s.TotalGroups, Severity: "low"},
	}, s)
}

// Different groups have different IDs, whatever is in a category.
func TestGroupIDsAreUnambiguous(t *testing.T) {
	g := NewGroups(GroupOptions{BySeverity: some(true)})
	ids := map[string]bool{}
	for _, o := range []*Occurrence{
		occurrence("a:b", "low", "c"), occurrence("a", "low", "b:c"), occurrence("a%3Ab", "low", "c"),
		occurrence("a%b", "low", "c"),
		occurrence("a", "c:low", "b"), occurrence("a", "low", "b:c:low"), occurrence("a:", "low", ""),
		occurrence("a", "low", ":"),
	} {
		id := g.Add(o)
		assert.False(t, ids[id], id)
		ids[id] = true
		got, ok := g.Get(id)
		require.True(t, ok)
		assert.Equal(t, o.Category, got.Category)
		assert.Equal(t, o.Message, got.Pattern)
		assert.Equal(t, 1, got.Count)
	}
	assert.Len(t, g.ByCategory("a"), 4)
	assert.Len(t, g.ByCategory("a:b"), 1)
}

// A time that cannot be is now; one that is earlier than the first that came moves the beginning.
func TestGroupTimes(t *testing.T) {
	for name, c := range map[string]struct {
		at, later   time.Time
		first, last time.Time
	}{
		"year 9000": {time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC), moment, moment, moment.Add(time.Minute)},
		"none":      {time.Time{}, time.Time{}, moment, moment.Add(time.Minute)},
		"a little ahead": {moment.Add(10 * time.Second), moment.Add(70 * time.Second), moment.Add(10 * time.Second),
			moment.Add(time.Minute)},
		"an hour earlier": {moment, moment.Add(-time.Hour), moment.Add(-time.Hour), moment.Add(time.Minute)},
	} {
		t.Run(name, func(t *testing.T) {
			clock := newClock()
			g := NewGroups(GroupOptions{Clock: clock})
			for _, at := range []time.Time{c.at, c.later} {
				o := occurrence("c", "low", "m")
				o.At = at
				g.Report(o)
				clock.pass(time.Minute)
			}
			clock.pass(-time.Minute)
			got, _ := g.Get("c:m")
			assert.Equal(t, c.first, got.FirstSeen)
			assert.Equal(t, c.last, got.LastSeen)
		})
	}
}

// A report that says nothing of a recovery takes none away.
func TestARepeatedReportKeepsTheRecovery(t *testing.T) {
	r, g := NewReporter(ReporterOptions{}), NewGroups(GroupOptions{})
	sinks := Sinks{r, g}
	o := occurrence("c", "low", "m")
	sinks.Report(o)
	sinks.Update(withRecovery(o, 1, true))
	sinks.Report(o)
	sinks.Update(o)
	assert.Equal(t, 1, r.Metrics().SuccessfulRecoveries)
	assert.Equal(t, 1, r.Metrics().RecoveryAttempts)
	assert.True(t, *r.Last(1)[0].Recovery.Successful)
	assert.True(t, *g.All()[0].Errors[0].Recovery.Successful)
}
