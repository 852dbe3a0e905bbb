package htmlreport

import (
	"fmt"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/report"
)

// The measures of a chart in pixels. Widths are shares of the page, so that text keeps its size
// however wide that is.
const (
	plotHeight = 196
	// headroom holds what segments are drawn taller than their share, so that one error can be seen
	// beside a thousand.
	headroom   = 18
	leastShown = 2
	// leastColumns keeps a few bars from being as wide as the page.
	leastColumns = 12
	axisHeight   = 34
)

// series is one kind of segment. Class picks its colour and its pattern; Rest stands for several
// kinds.
type series struct {
	Name  string
	Class string
	Total int
	Share string
	Rest  bool
}

// chart is a stacked bar chart over time, and the same as a table.
type chart struct {
	ID, Title string
	// Summary says what is to be seen; it is the description of the picture, too.
	Summary string
	Series  []series
	Lines   []mark
	Ticks   []mark
	Bars    []bar
	// Height is the picture's, Base where bars stand.
	Height, Base int
	Rows         []chartRow
	Interval     string
	// clock is how it is written when an interval begins.
	clock string
}

// mark is a line or tick of an axis. Day is the date where that is another than the mark's before.
// Minor ones are left out where there is little room.
type mark struct {
	At, Label, Day, Anchor string
	Minor                  bool
}

type bar struct {
	X, Width string
	Tip      string
	Parts    []part
}

type part struct{ Class, Y, Height string }

type chartRow struct {
	Start  *stamp
	Counts []int
	Total  int
}

// stacked makes a chart of slots. The series come in the order in which they are stacked, the
// lowest first. Some errors of the snapshot may be in no slot.
func stacked(id, title string, list []series, bars []slot, width time.Duration, of report.Snapshot) *chart {
	total, peak := 0, 0
	for i, b := range bars {
		total += b.total()
		if b.total() > bars[peak].total() {
			peak = i
		}
	}
	if total == 0 {
		return nil
	}
	c := &chart{
		ID: id, Title: title, Series: list, Interval: length(width),
		Height: headroom + plotHeight + axisHeight, Base: headroom + plotHeight, clock: clock(bars, width),
	}
	for i := range c.Series {
		s := &c.Series[i]
		for _, b := range bars {
			s.Total += b.counts[s.Name]
		}
		s.Share = percent(share(s.Total, total))
	}
	top, every := scale(bars[peak].total())
	for n := 0; n <= top; n += every {
		c.Lines = append(c.Lines, mark{At: coordinate(height(n, top)), Label: short(n)})
	}
	c.Ticks = ticks(bars, width)
	for i, b := range bars {
		c.Bars = append(c.Bars, c.bar(b, i, columns(bars), top))
		c.Rows = append(c.Rows, c.row(b))
	}
	c.Summary = c.summary(total, bars[peak]) + missing(max(of.Metrics.TotalErrors-total, of.Timeline.Outside))
	return c
}

// height is where n stands in a plot whose highest line is top.
func height(n, top int) float64 {
	return headroom + plotHeight*(1-float64(n)/float64(top))
}

func columns(bars []slot) int { return max(len(bars), leastColumns) }

func (c *chart) bar(s slot, i, of, top int) bar {
	gap := 0.08 / float64(of)
	b := bar{X: percentage(float64(i)/float64(of) + gap), Width: percentage(1/float64(of) - 2*gap)}
	y := float64(c.Base)
	var said []string
	for _, series := range c.Series {
		n := s.counts[series.Name]
		if n == 0 {
			continue
		}
		tall := max(plotHeight*float64(n)/float64(top), leastShown)
		y -= tall
		// A pixel of the ground between two segments keeps them apart where their colours are
		// alike.
		gap := min(1, tall/3)
		b.Parts = append(b.Parts, part{Class: series.Class, Y: coordinate(y), Height: coordinate(tall - gap)})
		said = append(said, series.Name+" "+whole(n))
	}
	b.Tip = s.start.UTC().Format(c.clock) + ": " + errorCount(s.total())
	if len(said) > 0 {
		b.Tip += " (" + strings.Join(said, ", ") + ")"
	}
	return b
}

func (c *chart) row(s slot) chartRow {
	row := chartRow{Start: at(s.start), Total: s.total()}
	for _, series := range c.Series {
		row.Counts = append(row.Counts, s.counts[series.Name])
	}
	return row
}

func (c *chart) summary(total int, peak slot) string {
	said := errorCount(total)
	if len(c.Series) == 1 {
		said += ", all of them " + c.Series[0].Name + "."
	} else {
		said += "." + mostFrequent(c.Series)
	}
	if len(c.Bars) > 1 {
		said += fmt.Sprintf(" The peak is %s in the %s from %s.", whole(peak.total()), c.Interval,
			peak.start.UTC().Format(c.clock))
	}
	return said
}

// mostFrequent names the largest of the series, or those that are equally large.
func mostFrequent(all []series) string {
	var most []series
	for _, s := range all {
		switch {
		case s.Rest || len(most) > 0 && s.Total < most[0].Total:
		case len(most) > 0 && s.Total == most[0].Total:
			most = append(most, s)
		default:
			most = []series{s}
		}
	}
	switch len(most) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" The most frequent is %s (%s).", most[0].Name, most[0].Share)
	case 2:
		return fmt.Sprintf(" The most frequent are %s and %s (%s each).", most[0].Name, most[1].Name, most[0].Share)
	}
	return fmt.Sprintf(" The most frequent are %s and %d others (%s each).", most[0].Name, len(most)-1, most[0].Share)
}

// missing says how many errors are not in a chart.
func missing(n int) string {
	if n <= 0 {
		return ""
	}
	if n == 1 {
		return " One more is not in the chart: its time is too far from the others."
	}
	return " " + whole(n) + " more are not in the chart: their times are too far from the others."
}

func errorCount(n int) string {
	if n == 1 {
		return "1 error"
	}
	return whole(n) + " errors"
}

// clock is how it is written when an interval begins, as exactly as the width of the intervals asks
// for.
func clock(bars []slot, width time.Duration) string {
	if width%time.Minute != 0 {
		return date(bars) + " 15:04:05 UTC"
	}
	return date(bars) + " 15:04 UTC"
}

// date is how a day is written: with its year where the bars begin in several.
func date(bars []slot) string {
	if inYears(bars) {
		return "2 Jan 2006"
	}
	return "2 Jan"
}

func inYears(bars []slot) bool {
	return bars[0].start.UTC().Year() != bars[len(bars)-1].start.UTC().Year()
}

// scale is the highest line of an axis for numbers up to most, and how far the lines are apart: 1,
// 2 or 5 times a power of ten.
func scale(most int) (top, every int) {
	every = 1
	for power := 1; ; power *= 10 {
		for _, m := range []int{1, 2, 5} {
			if every = m * power; every*5 >= most || power >= 1e17 {
				return max((most+every-1)/every, 1) * every, every
			}
		}
	}
}
