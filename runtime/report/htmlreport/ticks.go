package htmlreport

import "time"

// maxTicks is how many labels stand under a chart; half of them on a narrow screen.
const maxTicks = 10

var tickSteps = []time.Duration{
	time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	day, 2 * day, 7 * day, 14 * day, 28 * day, 91 * day, 182 * day, 365 * day,
}

const day = 24 * time.Hour

// ticks marks round times. Positions are shares of the width.
func ticks(bars []slot, width time.Duration) []mark {
	first := bars[0].start.UTC()
	span := width * time.Duration(columns(bars))
	step := tickStep(span)
	label, day := tickFormats(bars, step)
	var marks []mark
	// What the last tick of all, and the last of those that are always there, say below their
	// labels.
	var last, lastMajor string
	for t, i := first.Truncate(step), 0; i <= maxTicks+1; t, i = t.Add(step), i+1 {
		into := float64(t.Sub(first)) / float64(span)
		if into < 0 || into >= 1 {
			continue
		}
		m := mark{At: percentage(into), Label: t.Format(label), Anchor: anchor(into), Minor: len(marks)%2 == 1}
		below := t.Format(day)
		if below != last || !m.Minor && below != lastMajor {
			m.Day = below
		}
		if last = below; !m.Minor {
			lastMajor = below
		}
		marks = append(marks, m)
	}
	return marks
}

// anchor keeps labels at the edges inside of the picture.
func anchor(into float64) string {
	switch {
	case into < 0.05:
		return "start"
	case into > 0.94:
		return "end"
	}
	return "middle"
}

// tickStep is the shortest step that needs no more than maxTicks labels.
func tickStep(span time.Duration) time.Duration {
	for _, step := range tickSteps {
		if span/step < maxTicks {
			return step
		}
	}
	return max(span/maxTicks, day)
}

// tickFormats are how labels are written, and what stands below them where that is another than
// before.
func tickFormats(bars []slot, step time.Duration) (label, below string) {
	switch {
	case step >= day && inYears(bars):
		return "2 Jan", "2006"
	case step >= day:
		return "2 Jan", ""
	case step < time.Minute:
		return "15:04:05", date(bars)
	}
	return "15:04", date(bars)
}
