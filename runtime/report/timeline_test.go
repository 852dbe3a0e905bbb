package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// However the times come, what is in the timeline is where it belongs, and counted once.
func TestTimelineCountsRight(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		var tl timeline
		var all []int64
		span := int64(1) << (seed % 40)
		for range 300 {
			at := random.Int64N(2*span) - span
			all = append(all, at)
			tl.add(time.Unix(at, 0), int(at&1), 0)
			if len(all)%10 != 0 {
				continue
			}
			requireRecount(t, &tl, all, fmt.Sprintf("seed %d, %d times", seed, len(all)))
		}
	}
}

func FuzzTimeline(f *testing.F) {
	f.Add([]byte{0, 1, 200, 3}, uint8(3))
	f.Add([]byte{9, 255, 0, 128, 7}, uint8(20))
	f.Fuzz(func(t *testing.T, offsets []byte, scale uint8) {
		var tl timeline
		var all []int64
		for i, b := range offsets[:min(len(offsets), 64)] {
			all = append(all, (int64(b)-100)<<(scale%40)+int64(i))
			tl.add(time.Unix(all[i], 0), int(all[i]&1), 0)
		}
		requireRecount(t, &tl, all, fmt.Sprint(offsets, scale))
	})
}

// requireRecount compares a timeline with the times that were counted in it, each in the category
// of its last bit.
func requireRecount(t *testing.T, tl *timeline, all []int64, about string) {
	t.Helper()
	got := tl.series()
	if len(all) == 0 {
		require.Empty(t, got.buckets)
		return
	}
	apart := func(at, step int64) int64 { return floorDiv(slices.Max(all), step) - floorDiv(at, step) }
	require.LessOrEqual(t, len(got.buckets), maxBuckets, about)
	longest := steps[len(steps)-1]
	var shown []int64
	for _, at := range all {
		if apart(at, longest) < maxBuckets && at >= got.start {
			shown = append(shown, at)
		}
	}
	// What is left out is too old, or little and far away.
	require.Equal(t, len(all)-len(shown), got.outside, about)
	level := slices.Index(steps[:], got.step)
	require.Equal(t, apart(slices.Min(shown), got.step)+1, int64(len(got.buckets)), about)
	if level > 0 {
		require.GreaterOrEqual(t, apart(slices.Min(shown), steps[level-1]), int64(maxBuckets), about)
	}
	want := make([][2]int, len(got.buckets))
	for _, at := range shown {
		want[floorDiv(at-got.start, got.step)][at&1]++
	}
	for i, b := range got.buckets {
		require.Equal(t, want[i][0]+want[i][1], sum(b.severities), about)
		for odd, n := range b.categories {
			require.Equal(t, want[i][odd], n, about)
		}
		require.Equal(t, want[i][0]+want[i][1], sum(b.categories), about)
	}
}

func sum(counts []int) (n int) {
	for _, k := range counts {
		n += k
	}
	return n
}

// Times that no clock says are neither counted in a wrong bucket nor push others out.
func TestTimelineOfAbsurdTimes(t *testing.T) {
	for _, at := range []time.Time{time.Unix(math.MinInt64, 0), time.Unix(-1<<60, 0), time.Unix(math.MinInt64/2, 0),
		{}} {
		for _, times := range [][]time.Time{{moment, at, moment}, {at, moment, moment}} {
			var tl timeline
			for _, when := range times {
				tl.add(when, 0, 0)
			}
			s := tl.series()
			require.Len(t, s.buckets, 1, at)
			assert.Equal(t, []int{2}, s.buckets[0].categories, at)
			assert.Equal(t, 1, s.outside, at)
		}
	}
}

// One wrong time, of an error or of the clock, costs the others neither their places nor their
// resolution.
func TestTimelineAfterAWrongTime(t *testing.T) {
	right := func(r *Reporter, c *clock, n int) {
		for range n {
			r.Report(&Occurrence{At: c.Now(), Category: "right"})
			c.pass(time.Second)
		}
	}
	for name, c := range map[string]struct {
		wrong func(r *Reporter, c *clock)
		n     int
	}{
		"the clock was ahead": {func(r *Reporter, c *clock) {
			c.pass(10 * 365 * 24 * time.Hour)
			right(r, c, 1)
			c.pass(-10 * 365 * 24 * time.Hour)
		}, 20},
		"1970":       {func(r *Reporter, _ *clock) { r.Report(&Occurrence{At: time.Unix(1, 0)}) }, 20},
		"a year ago": {func(r *Reporter, _ *clock) { r.Report(&Occurrence{At: moment.AddDate(-1, 0, 0)}) }, 3000},
		"five years ago": {func(r *Reporter, _ *clock) { r.Report(&Occurrence{At: moment.AddDate(-5, 0, 0)}) },
			leastBeside - 1},
		"a month ago":     {func(r *Reporter, _ *clock) { r.Report(&Occurrence{At: moment.AddDate(0, -1, -1)}) }, 98},
		"the end of time": {func(r *Reporter, _ *clock) { r.Report(&Occurrence{At: time.Unix(math.MaxInt64, 0)}) }, 20},
		"a day ahead":     {func(r *Reporter, _ *clock) { r.Report(&Occurrence{At: moment.AddDate(0, 0, 1)}) }, 3000},
	} {
		t.Run(name, func(t *testing.T) {
			clock := newClock()
			r := NewReporter(ReporterOptions{Clock: clock})
			c.wrong(r, clock)
			right(r, clock, c.n)
			got := r.Timeline()
			assert.LessOrEqual(t, got.Step, time.Minute)
			n := 0
			for _, b := range got.Buckets {
				n += b.ByCategory["right"]
			}
			assert.Equal(t, c.n, n)
			assert.Equal(t, r.Metrics().TotalErrors, timelineSum(got)+got.Outside)
		})
	}
}

func timelineSum(t Timeline) (n int) {
	for _, b := range t.Buckets {
		for _, k := range b.BySeverity {
			n += k
		}
	}
	return n
}

// Of a few errors the first is shown, unless it is a month before the others and these are close
// together.
func TestTimelineOfFew(t *testing.T) {
	for name, c := range map[string]struct {
		before, apart time.Duration
		n             int
		step          time.Duration
	}{
		"alone":          {60 * 24 * time.Hour, time.Second, leastBeside - 1, 24 * time.Hour},
		"within a month": {29 * 24 * time.Hour, time.Second, 98, 6 * time.Hour},
		"among others":   {100 * 24 * time.Hour, 6 * time.Hour, 40, 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			var tl timeline
			tl.add(moment.Add(-c.before), 0, 0)
			for i := range c.n - 1 {
				tl.add(moment.Add(time.Duration(i)*c.apart), 0, 0)
			}
			s := tl.series()
			assert.Zero(t, s.outside)
			assert.Equal(t, int64(c.step/time.Second), s.step)
		})
	}
}

// What is rare and long ago is left out; what is rare is not.
func TestTimelineShowsTheQuietTimeBefore(t *testing.T) {
	var tl timeline
	for i := range 24 {
		tl.add(moment.Add(-time.Duration(i)*time.Hour), 0, 0)
	}
	for range 10_000 {
		tl.add(moment, 0, 0)
	}
	s := tl.series()
	assert.Equal(t, int64(15*60), s.step)
	assert.Zero(t, s.outside)
}
