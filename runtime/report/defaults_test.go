package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is kept where nobody says how much.
func TestWhatIsKeptByDefault(t *testing.T) {
	r, g := NewReporter(ReporterOptions{}), NewGroups(GroupOptions{})
	for i := range 10_001 {
		Sinks{r, g}.Report(&Occurrence{ID: fmt.Sprint(i), At: moment, Category: fmt.Sprint("c", i%300), Message: "m"})
	}
	all := r.All()
	require.Len(t, all, 10_000)
	assert.Equal(t, "1", all[0].ID, "the oldest makes room")
	m := r.Metrics()
	assert.Equal(t, 10_001, m.TotalErrors)
	assert.Len(t, m.ErrorsByCategory, 201, "200 and the others")
	assert.Equal(t, 33, m.ErrorsByCategory["c199"])
	assert.Zero(t, m.ErrorsByCategory["c200"])
	assert.Positive(t, m.ErrorsByCategory["other"])
	s := NewSnapshot(r, g)
	require.Len(t, s.Last, 200)
	assert.Equal(t, []string{"9801", "10000"}, []string{s.Last[0].ID, s.Last[199].ID})
	require.Len(t, s.Groups, 300)
	assert.Len(t, s.Groups[0].Errors, 5)
}

// The first 4 KiB of a message are looked at.
func TestHowMuchOfAMessageIsLookedAt(t *testing.T) {
	whole := strings.Repeat("0123456789abcde ", 256)[:4095] + "x"
	assert.Equal(t, whole, New(errors.New(whole), Options{}).Message)
	assert.Len(t, New(errors.New(whole+" and more"), Options{}).Message, 4096)
}

// What is more than an hour ahead of the clock is now.
func TestHowFarAheadAnErrorMayBe(t *testing.T) {
	for _, c := range []struct{ ahead, counted time.Duration }{
		{50 * time.Minute, 50 * time.Minute},
		{time.Hour, time.Hour},
		{time.Hour + time.Second, 0},
		{2 * time.Hour, 0},
	} {
		clock := newClock()
		r, g := NewReporter(ReporterOptions{Clock: clock}), NewGroups(GroupOptions{Clock: clock})
		o := occurrence("c", "low", "m")
		o.At = moment.Add(c.ahead)
		Sinks{r, g}.Report(o)
		want := moment.Add(c.counted)
		require.Len(t, r.Timeline().Buckets, 1, c.ahead)
		assert.Equal(t, want.Truncate(time.Second), r.Timeline().Buckets[0].Start, c.ahead)
		require.Len(t, g.All(), 1, c.ahead)
		assert.Equal(t, want, g.All()[0].FirstSeen, c.ahead)
	}
}

// A clock that was set back takes what it has stamped out of the timeline where that is more than
// an hour ahead of it then.
func TestHowFarAheadAClockMayHaveBeen(t *testing.T) {
	for _, c := range []struct {
		back    time.Duration
		outside int
	}{{time.Hour, 0}, {time.Hour + 2*time.Second, 1}} {
		clock := newClock()
		r := NewReporter(ReporterOptions{Clock: clock})
		r.Report(&Occurrence{At: clock.Now()})
		clock.pass(-c.back)
		r.Report(&Occurrence{At: clock.Now()})
		assert.Equal(t, c.outside, r.Timeline().Outside, c.back)
	}
}

// D181: adding looks at the oldest groups only, however many others there are: those that were made
// to look old stay, and a group that nobody may ask for is not asked for. Of the oldest, two are
// let go at a time.
func TestAddingLooksAtFewGroups(t *testing.T) {
	const many = 10_000
	clock := newClock()
	g := NewGroups(GroupOptions{Clock: clock, MaxGroups: many + 1})
	for i := range many {
		g.Report(occurrence(fmt.Sprint("c", i), "low", "m"))
	}
	for gr := g.oldest; gr != nil; gr = gr.newer {
		gr.touched = time.Time{}
	}
	g.byID["nobody asks for it"] = nil // who looks at all of them panics
	for i := range 100 {
		g.oldest.touched, g.oldest.newer.touched = moment, moment
		g.Report(occurrence(fmt.Sprint("new", i), "low", "m"))
		g.Report(occurrence(fmt.Sprint("new", i), "low", "m"))
		require.Equal(t, []int{i + 1, 0}, []int{g.evicted.Groups, g.expired.Groups}, "one makes room for each new one")
	}
	delete(g.byID, "nobody asks for it")
	clock.pass(2 * time.Hour)
	for i := range 100 {
		g.Report(occurrence("latest", "low", "m"))
		require.Equal(t, 2*(i+1), g.expired.Groups)
	}
}
