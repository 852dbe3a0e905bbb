package htmlreport

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/report"
)

var noon = time.Date(2026, time.March, 4, 12, 0, 0, 0, time.UTC)

func TestScale(t *testing.T) {
	for most, want := range map[int][2]int{
		1: {1, 1}, 2: {2, 1}, 5: {5, 1}, 6: {6, 2}, 10: {10, 2}, 11: {15, 5}, 47: {50, 10}, 99: {100, 20}, 101: {150, 50}, 4200: {5000, 1000},
	} {
		top, every := scale(most)
		assert.Equal(t, want, [2]int{top, every}, "most %d", most)
	}
	top, every := scale(math.MaxInt / 1000)
	assert.Positive(t, every)
	assert.GreaterOrEqual(t, top, math.MaxInt/1000)
}

func TestSlots(t *testing.T) {
	minutes := func(list ...int) []point {
		var points []point
		for _, m := range list {
			points = append(points, point{noon.Add(time.Duration(m) * time.Minute), map[string]int{"x": 1}})
		}
		return points
	}
	for name, c := range map[string]struct {
		step   time.Duration
		points []point
		bars   int
		width  time.Duration
		counts map[int]int
	}{
		"nothing":               {time.Minute, nil, 0, 0, nil},
		"one":                   {time.Minute, minutes(0), 1, time.Minute, map[int]int{0: 1}},
		"a gap":                 {time.Minute, minutes(0, 3), 4, time.Minute, map[int]int{0: 1, 1: 0, 3: 1}},
		"out of order":          {time.Minute, minutes(3, 0), 4, time.Minute, map[int]int{0: 1, 3: 1}},
		"as many as there are":  {time.Minute, minutes(0, 59), 60, time.Minute, map[int]int{59: 1}},
		"one more than that":    {time.Minute, minutes(0, 1, 60), 31, 2 * time.Minute, map[int]int{0: 2, 30: 1}},
		"no step":               {0, minutes(0, 1), 31, 2 * time.Second, map[int]int{0: 1, 30: 1}},
		"two thousand years":    {time.Hour, []point{{time.Time{}, map[string]int{"x": 2}}, {noon, map[string]int{"x": 1}}}, 60, 0, map[int]int{0: 2, 59: 1}},
		"a number below zero":   {time.Minute, []point{{noon, map[string]int{"x": -4}}}, 1, time.Minute, map[int]int{0: 0}},
		"a number that is huge": {time.Minute, []point{{noon, map[string]int{"x": math.MaxInt}}}, 1, time.Minute, map[int]int{0: maxCount}},
	} {
		t.Run(name, func(t *testing.T) {
			bars, width := slots(c.step, c.points)
			require.Len(t, bars, c.bars)
			if c.width != 0 {
				assert.Equal(t, c.width, width)
			}
			for i, n := range c.counts {
				assert.Equal(t, n, bars[i].total(), "bar %d", i)
			}
		})
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		from  time.Time
		width time.Duration
		n     int
		want  string
	}{
		{noon, time.Second, 12, "4 Mar 12:00:00, 12:00:05, 12:00:10"},
		{noon.Add(100 * time.Second), time.Minute, 48, "4 Mar 12:05, 12:10, 12:15, 12:20, 12:25, 12:30, 12:35, 12:40, 12:45"},
		{noon.Add(9 * time.Hour), 10 * time.Minute, 36, "4 Mar 21:00, 22:00, 23:00, 5 Mar 00:00, 01:00, 02:00"},
		{noon, 24 * time.Hour, 36, "9 Mar, 16 Mar, 23 Mar, 30 Mar, 6 Apr"},
	} {
		var labels []string
		for _, m := range ticks(append([]slot{{start: c.from}}, make([]slot, c.n-1)...), c.width) {
			labels = append(labels, strings.TrimSpace(m.Day+" "+m.Label))
		}
		assert.Equal(t, c.want, strings.Join(labels, ", "))
	}
}

// TestCategoriesBeyondThePatterns are counted together, and none is lost.
func TestCategoriesBeyondThePatterns(t *testing.T) {
	counts, all := map[string]int{"other": 3}, 3
	for i := range 12 {
		counts["c"+strconv.Itoa(i)] = i + 1
		all += i + 1
	}
	c := categoryChart(report.Timeline{Step: time.Minute}, []point{{noon, counts}})
	require.Len(t, c.Series, maxSeries)
	assert.Equal(t, series{Name: "c11", Class: "c1", Total: 12, Share: "14.8%"}, c.Series[0])
	assert.Equal(t, series{Name: "other", Class: "c8", Total: 1 + 2 + 3 + 4 + 5 + 3, Share: "22.2%"}, c.Series[7])
	sum := 0
	for _, s := range c.Series {
		sum += s.Total
	}
	assert.Equal(t, all, sum)
	assert.Equal(t, all, c.Rows[0].Total)
}

// TestOneErrorBesideAThousandIsSeen has each segment at least leastShown tall, and the bar within the picture.
func TestOneErrorBesideAThousandIsSeen(t *testing.T) {
	bars := []slot{{noon, map[string]int{"critical": 1, "high": 1, "medium": 1, "low": 1_000_000}}}
	c := severityChart(report.Timeline{Step: time.Minute}, []point{{noon, bars[0].counts}})
	require.Len(t, c.Bars[0].Parts, 4)
	for _, p := range c.Bars[0].Parts {
		tall, err := strconv.ParseFloat(p.Height, 64)
		require.NoError(t, err)
		assert.Greater(t, tall, 1.0)
		y, err := strconv.ParseFloat(p.Y, 64)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, y, 0.0)
	}
}
