package htmlreport

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/predict"
)

var noon = time.Date(2026, time.March, 4, 12, 0, 0, 0, time.UTC)

func TestScale(t *testing.T) {
	for most, want := range map[int][2]int{
		1: {1, 1}, 2: {2, 1}, 5: {5, 1}, 6: {6, 2}, 10: {10, 2}, 11: {15, 5}, 47: {50, 10}, 99: {100, 20},
		101: {150, 50}, 4200: {5000, 1000},
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
		"nothing":              {time.Minute, nil, 0, 0, nil},
		"one":                  {time.Minute, minutes(0), 1, time.Minute, map[int]int{0: 1}},
		"a gap":                {time.Minute, minutes(0, 3), 4, time.Minute, map[int]int{0: 1, 1: 0, 3: 1}},
		"out of order":         {time.Minute, minutes(3, 0), 4, time.Minute, map[int]int{0: 1, 3: 1}},
		"as many as there are": {time.Minute, minutes(0, 59), 60, time.Minute, map[int]int{59: 1}},
		"one more than that":   {time.Minute, minutes(0, 1, 60), 31, 2 * time.Minute, map[int]int{0: 2, 30: 1}},
		"no step":              {0, minutes(0, 1), 31, 2 * time.Second, map[int]int{0: 1, 30: 1}},
		"two thousand years": {time.Hour,
			[]point{{time.Time{}, map[string]int{"x": 2}}, {noon, map[string]int{"x": 1}}}, 60, 0,
			map[int]int{0: 2, 59: 1}},
		"a number below zero": {time.Minute, []point{{noon, map[string]int{"x": -4}}}, 1, time.Minute,
			map[int]int{0: 0}},
		"a number that is huge": {time.Minute, []point{{noon, map[string]int{"x": math.MaxInt}}}, 1, time.Minute,
			map[int]int{0: maxCount}},
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
		{noon.Add(100 * time.Second), time.Minute, 48,
			"4 Mar 12:05, 12:10, 12:15, 12:20, 12:25, 12:30, 12:35, 12:40, 12:45"},
		{noon.Add(9 * time.Hour), 10 * time.Minute, 36, "4 Mar 21:00, 22:00, 23:00, 5 Mar 00:00, 5 Mar 01:00, 02:00"},
		{noon, 24 * time.Hour, 36, "9 Mar, 16 Mar, 23 Mar, 30 Mar, 6 Apr"},
		{noon, 4 * 24 * time.Hour, 50, "30 Mar, 27 Apr, 25 May, 22 Jun, 20 Jul, 17 Aug, 14 Sep"},
		{noon.AddDate(0, 9, 27).Add(9 * time.Hour), 10 * time.Minute, 36,
			"31 Dec 2026 21:00, 22:00, 23:00, 1 Jan 2027 00:00, 1 Jan 2027 01:00, 02:00"},
		{noon, 56 * 24 * time.Hour, 14, "2026 4 May, 3 Aug, 2 Nov, 2027 1 Feb, 2027 3 May, 2 Aug, 1 Nov, 2028 31 Jan"},
	} {
		var labels []string
		bars := make([]slot, c.n)
		for i := range bars {
			bars[i].start = c.from.Add(time.Duration(i) * c.width)
		}
		for _, m := range ticks(bars, c.width) {
			labels = append(labels, strings.TrimSpace(m.Day+" "+m.Label))
		}
		assert.Equal(t, c.want, strings.Join(labels, ", "))
	}
}

// TestCategoriesBeyondThePatterns are counted together, and none is lost. One that is called
// "other" is one of its own.
func TestCategoriesBeyondThePatterns(t *testing.T) {
	counts, all := map[string]int{"other": 8}, 8
	for i := range 12 {
		counts["c"+strconv.Itoa(i)] = i + 1
		all += i + 1
	}
	s := report.Snapshot{Metrics: report.Metrics{TotalErrors: all, ErrorsByCategory: counts},
		Timeline: report.Timeline{Step: time.Minute}}
	c := categoryChart(s, []point{{noon, counts}})
	require.Len(t, c.Series, maxKinds)
	assert.Equal(t, series{Name: "c11", Class: "c1", Total: 12, Share: "14.0%"}, c.Series[0])
	assert.Equal(t, series{Name: "other", Class: "c6", Total: 8, Share: "9.3%"}, c.Series[5])
	assert.Equal(
		t, series{Name: "6 more categories", Class: "c8", Total: 1 + 2 + 3 + 4 + 5 + 6, Share: "24.4%", Rest: true},
		c.Series[7])
	sum := 0
	for i, s := range c.Series {
		sum += s.Total
		row := breakdowns(report.Metrics{ErrorsByCategory: counts})[0].Rows[i]
		assert.Equal(t, [3]string{s.Name, whole(s.Total), s.Share}, [3]string{row.Name, row.Count, row.Share},
			"the breakdown says the same")
	}
	assert.Equal(t, all, sum)
	assert.Equal(t, all, c.Rows[0].Total)
}

// TestSeveritiesBesideTheTaxonomys are told apart: none was stated, or another word was.
func TestSeveritiesBesideTheTaxonomys(t *testing.T) {
	counts := map[string]int{"unknown": 4, "": 1, "weird": 2, "odd": 1, "low": 9, "critical": 3}
	c := severityChart(report.Snapshot{Timeline: report.Timeline{Step: time.Minute}}, []point{{noon, counts}})
	rows := breakdowns(report.Metrics{ErrorsBySeverity: counts})[0].Rows
	var charted, listed []string
	for _, s := range c.Series {
		charted = append(charted, s.Class+" "+s.Name+" "+strconv.Itoa(s.Total))
	}
	for _, r := range rows {
		listed = append(listed, r.Class+" "+r.Name+" "+r.Count)
	}
	assert.Equal(t, []string{"v4 critical 3", "v1 low 9", "v5 other 3", "v0 not stated 5"}, charted)
	assert.ElementsMatch(t, charted, listed)
}

// TestYears are said where there are several.
func TestYears(t *testing.T) {
	chart := func(from, to time.Time) *chart {
		counts := map[string]int{"a": 1}
		return categoryChart(report.Snapshot{Timeline: report.Timeline{Step: time.Minute}},
			[]point{{from, map[string]int{"a": 2}}, {to, counts}})
	}
	within := chart(noon, noon.AddDate(0, 6, 0))
	assert.Contains(t, within.Summary, "from 4 Mar 12:00 UTC.")
	assert.Equal(t, "4 Mar 12:00 UTC: 2 errors (a 2)", within.Bars[0].Tip)
	across := chart(noon, noon.AddDate(1, 0, 0))
	assert.Contains(t, across.Summary, "from 4 Mar 2026 12:00 UTC.")
	assert.Equal(t, "4 Mar 2026 12:00 UTC: 2 errors (a 2)", across.Bars[0].Tip)
	assert.Contains(t, chart(noon.AddDate(0, 9, 27), noon.AddDate(0, 9, 28)).Bars[0].Tip, "31 Dec 2026")
}

// TestSeveritiesWithoutColours have patterns that differ in more than colour and size.
func TestSeveritiesWithoutColours(t *testing.T) {
	b, err := files.ReadFile("page/patterns.html")
	require.NoError(t, err)
	drawings := map[string]string{}
	for _, l := range append(levels(), level{Word: otherSeverity}) {
		of := regexp.MustCompile(`<pattern id="` + l.class() + `"(.*)</pattern>`).FindSubmatch(b)
		require.NotNil(t, of, l.Word)
		drawing := regexp.MustCompile(`[ks]?\d+(\.\d+)?|\.\d+`).
			ReplaceAllString(strings.Replace(string(of[1]), "rotate(45)", "turned", 1), "")
		if same, known := drawings[drawing]; known {
			assert.Equal(t, same, l.Word)
		}
		drawings[drawing] = l.Word
	}
}

func TestSummary(t *testing.T) {
	for want, c := range map[string]struct {
		counts  map[string]int
		counted int
	}{
		"3 errors, all of them a.": {
			map[string]int{"a": 3}, 3,
		},
		"1 error, all of them a.": {
			map[string]int{"a": 1}, 1,
		},
		"23 errors. The most frequent is a (17.4%).": {
			map[string]int{"a": 4, "b": 3, "c": 3, "d": 3, "e": 3, "f": 3, "g": 2, "h": 2}, 0,
		},
		"40 errors. The most frequent are a and b (50.0% each).": {
			map[string]int{"a": 20, "b": 20}, 40,
		},
		"7 errors. The most frequent are a and 2 others (28.6% each).": {
			map[string]int{"a": 2, "b": 2, "c": 2, "d": 1}, 7,
		},
		"2 errors, all of them a. One more is not in the chart: its time is too far from the others.": {
			map[string]int{"a": 2}, 3,
		},
		"2 errors, all of them a. 1,000 more are not in the chart: their times are too far from the others.": {
			map[string]int{"a": 2}, 1002,
		},
	} {
		s := report.Snapshot{Metrics: report.Metrics{TotalErrors: c.counted},
			Timeline: report.Timeline{Step: time.Minute}}
		assert.Equal(t, want, categoryChart(s, []point{{noon, c.counts}}).Summary)
	}
}

// TestSpan is not that of one clock that is wrong.
func TestSpan(t *testing.T) {
	bucket := func(minute, n int) report.Bucket {
		return report.Bucket{Start: noon.Add(time.Duration(minute) * time.Minute), ByCategory: map[string]int{"a": n}}
	}
	at := func(seconds ...int) []report.Occurrence {
		list := []report.Occurrence{{At: time.Unix(1, 0)}, {}, {At: noon.AddDate(7000, 0, 0)}}
		for _, s := range seconds {
			list = append(list, report.Occurrence{At: noon.Add(time.Duration(s) * time.Second)})
		}
		return list
	}
	for name, c := range map[string]struct {
		snapshot report.Snapshot
		from, to int
	}{
		"intervals alone": {report.Snapshot{Timeline: report.Timeline{Buckets: []report.Bucket{bucket(0, 0),
			bucket(1, 2), bucket(2, 1), bucket(3, 0)}}, Last: at()}, 60, 120},
		"exact in them": {report.Snapshot{Timeline: report.Timeline{Buckets: []report.Bucket{bucket(0, 1),
			bucket(1, 2)}}, Last: at(20, 115)}, 20, 115},
		"exact in the last": {report.Snapshot{Timeline: report.Timeline{Buckets: []report.Bucket{bucket(1, 2),
			bucket(0, 1)}}, Last: at(70)}, 0, 70},
		"no timeline": {report.Snapshot{Last: at(20, 115)[3:]}, 20, 115},
	} {
		t.Run(name, func(t *testing.T) {
			c.snapshot.Timeline.Step = time.Minute
			from, to := span(c.snapshot)
			assert.Equal(t, noon.Add(time.Duration(c.from)*time.Second), from)
			assert.Equal(t, noon.Add(time.Duration(c.to)*time.Second), to)
		})
	}
}

func TestWorst(t *testing.T) {
	groups := []report.Group{{Severity: "medium"}, {Severity: "critical"}, {}}
	counted := func(counts map[string]int) report.Snapshot {
		return report.Snapshot{Metrics: report.Metrics{ErrorsBySeverity: counts}, Groups: groups}
	}
	for _, c := range []struct {
		snapshot report.Snapshot
		want     string
	}{
		{counted(map[string]int{"high": 9, "critical": 2, "low": 1}), "2 critical, 9 high"},
		{counted(map[string]int{"low": 1}), "none critical or high"},
		{counted(map[string]int{"unknown": 5, "low": 1}), "none critical or high, 5 without a severity"},
		{counted(map[string]int{"unknown": 5, "": 1}), "no severity stated"},
		{report.Snapshot{Groups: groups}, "the highest severity is critical"},
		{report.Snapshot{Groups: groups[2:]}, "no severity stated"},
		{report.Snapshot{Groups: groups[2:], Expired: report.Gone{Severity: "high"}}, "the highest severity is high"},
		{report.Snapshot{Last: []report.Occurrence{{Severity: "high"}}}, "the highest severity is high"},
	} {
		assert.Equal(t, c.want, worst(c.snapshot))
	}
}

// TestGone says what groups are not kept, and how bad they were.
func TestGone(t *testing.T) {
	for name, c := range map[string]struct {
		expired, evicted report.Gone
		short, long      string
	}{
		"nothing": {},
		"too old": {
			report.Gone{Groups: 1, Errors: 500, Severity: "critical"}, report.Gone{},
			"no longer kept: 1 group, with 500 errors up to critical",
			"No longer kept: 1 group not seen for more than 1 h, with 500 errors up to critical. A group that " +
				"comes back counts from 1.",
		},
		"both": {
			report.Gone{Groups: 2, Errors: 2}, report.Gone{Groups: 50_000, Errors: 60_000, Severity: "low"},
			"no longer kept: 50,002 groups, with 60,002 errors up to low",
			"No longer kept: 2 groups not seen for more than 1 h, with 2 errors; 50,000 groups that made room for " +
				"others, with 60,000 errors up to low. A group that comes back counts from 1.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := report.Snapshot{GroupAge: time.Hour, Expired: c.expired, Evicted: c.evicted}
			assert.Equal(t, c.short, goneShort(s))
			assert.Equal(t, c.long, strings.ReplaceAll(goneLong(s), "\u00a0", " "))
		})
	}
}

func TestForecasts(t *testing.T) {
	assert.Equal(
		t, []Forecast{{"p", "X", .5, .25, .75}},
		Forecasts("p", []predict.Forecast{{Code: "X", Probability: .5, Low: .25, High: .75, Seen: 3, Why: "why"}}))
	assert.Empty(t, Forecasts("p", nil))
}

// TestOneErrorBesideAThousandIsSeen has each segment at least leastShown tall, and the bar within
// the picture.
func TestOneErrorBesideAThousandIsSeen(t *testing.T) {
	bars := []slot{{noon, map[string]int{"critical": 1, "high": 1, "medium": 1, "low": 1_000_000}}}
	c := severityChart(report.Snapshot{Timeline: report.Timeline{Step: time.Minute}}, []point{{noon, bars[0].counts}})
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
