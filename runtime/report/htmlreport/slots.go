package htmlreport

import "time"

// maxBars is how many bars a chart has at most: on a narrow screen each is still some pixels wide.
const maxBars = 60

// maxCount bounds a number of errors, so that sums of them stay numbers.
const maxCount = 1_000_000_000_000

// slot is one bar: an interval and what happened in it.
type slot struct {
	start  time.Time
	counts map[string]int
}

// point is one interval of a timeline, with its counts by whatever the chart is about.
type point struct {
	start  time.Time
	counts map[string]int
}

// slots spreads a timeline over at most maxBars intervals of equal length, a multiple of its step,
// without gaps between them. Points that come first in time need not come first in points.
func slots(step time.Duration, points []point) ([]slot, time.Duration) {
	if len(points) == 0 {
		return nil, 0
	}
	first, last := points[0].start, points[0].start
	for _, p := range points {
		if p.start.Before(first) {
			first = p.start
		}
		if p.start.After(last) {
			last = p.start
		}
	}
	// A span longer than a Duration can say is cut to the newest 292 years.
	span := last.Sub(first)
	if last.Add(-span).After(first) {
		first = last.Add(-span)
	}
	step = max(step, time.Second)
	many := int64(span/step) + 1
	width := step * time.Duration((many+maxBars-1)/maxBars)
	bars := make([]slot, int(span/width)+1)
	for i := range bars {
		bars[i] = slot{start: first.Add(time.Duration(i) * width), counts: map[string]int{}}
	}
	for _, p := range points {
		into := bars[min(max(int(p.start.Sub(first)/width), 0), len(bars)-1)]
		for name, n := range p.counts {
			into.counts[name] += some(n)
		}
	}
	return bars, width
}

func (s slot) total() int {
	sum := 0
	for _, n := range s.counts {
		sum += n
	}
	return sum
}
