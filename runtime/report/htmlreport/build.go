package htmlreport

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/report"
)

// The most bytes that texts have on the page, before they are escaped.
const (
	titleLimit   = 200
	nameLimit    = 80
	summaryLimit = 240
)

// builder makes a page of a snapshot. Details are what may be opened; they share a budget, so that the page stays bounded
// however many rows there are.
type builder struct {
	details int
}

// plainTitle is the title of a report that has none.
const plainTitle = "Error report"

// detailBudget is how many bytes of escaped text all details together have.
const detailBudget = 3 << 20

func newPage(s report.Snapshot, o Options) *page {
	b := &builder{details: detailBudget}
	p := &page{Title: cmp.Or(line(s.Title, titleLimit), plainTitle), Made: at(s.At)}
	p.Forecasts = forecasts(o.Forecasts)
	if p.Empty = isEmpty(s); p.Empty {
		return p
	}
	p.Figures = figures(s)
	p.Charts = charts(s.Timeline)
	p.Breakdowns = breakdowns(s.Metrics)
	p.Outcomes = outcomes(s.Outcomes)
	p.Latest, p.LatestLeft = b.latest(s.Last, positive(o.MaxLatest, defaultLatest))
	p.Groups, p.GroupsLeft = b.groups(s.Groups, positive(o.MaxGroups, defaultGroups))
	return p
}

func positive(n, otherwise int) int {
	if n <= 0 {
		return otherwise
	}
	return n
}

func isEmpty(s report.Snapshot) bool {
	return s.Metrics.TotalErrors == 0 && len(s.Groups) == 0 && len(s.Last) == 0
}

// name is a short text that may be missing.
func name(s string) string { return cmp.Or(line(s, nameLimit), "unknown") }

func (b *builder) groups(all []report.Group, limit int) ([]groupRow, string) {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(x, y report.Group) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), y.LastSeen.Compare(x.LastSeen), cmp.Compare(x.ID, y.ID))
	})
	left := ""
	if len(sorted) > limit {
		sorted = sorted[:limit]
		left = fmt.Sprintf("Shown are the %s largest of %s groups.", whole(limit), whole(len(all)))
	}
	rows := make([]groupRow, 0, len(sorted))
	for i := range sorted {
		g := &sorted[i]
		rows = append(rows, groupRow{
			Level: severity(g.Severity), Code: line(g.Sample.Code, nameLimit), Category: name(g.Category),
			Pattern: cmp.Or(line(g.Pattern, summaryLimit), line(g.Sample.Message, summaryLimit), "no message"),
			Count:   g.Count, First: at(g.FirstSeen), Last: at(g.LastSeen),
			Sample: b.occurrence(&g.Sample),
		})
	}
	return rows, left
}

func (b *builder) latest(last []report.Occurrence, limit int) ([]occurrenceRow, string) {
	left := ""
	if len(last) > limit {
		left = fmt.Sprintf("The latest %s of %s that are kept.", whole(limit), whole(len(last)))
		last = last[len(last)-limit:]
	}
	rows := make([]occurrenceRow, 0, len(last))
	for i := range last {
		rows = append(rows, b.occurrence(&last[len(last)-1-i]))
	}
	return rows, left
}

func outcomes(all []report.ReactionOutcome) []outcomeRow {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(x, y report.ReactionOutcome) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Reaction, y.Reaction), cmp.Compare(x.Action, y.Action))
	})
	rows := make([]outcomeRow, 0, len(sorted))
	for _, o := range sorted[:min(len(sorted), maxOutcomes)] {
		row := outcomeRow{Reaction: name(o.Reaction), Action: name(o.Action), Count: o.Count, Recovered: o.Recovered, Failed: o.Failed}
		if ended := o.Recovered + o.Failed; ended > 0 {
			row.Helped = percent(share(o.Recovered, ended))
		}
		helped, failed := share(o.Recovered, o.Count), share(o.Failed, o.Count)
		row.Width, row.Rest = percentage(helped), percentage(min(failed, 1-helped))
		rows = append(rows, row)
	}
	return rows
}

func forecasts(all []Forecast) []forecastRow {
	var rows []forecastRow
	for _, f := range all[:min(len(all), maxForecasts)] {
		p, low, high := unit(f.Probability), unit(f.Low), unit(f.High)
		high = max(low, high)
		rows = append(rows, forecastRow{
			Provider: name(f.Provider), Code: name(f.Code),
			Probability: percent(p), Range: percent(low) + " – " + percent(high),
			From: percentage(low), Width: percentage(high - low), Middle: percentage(p),
		})
	}
	return rows
}

// unit is a number from 0 to 1; what is none is 0.
func unit(f float64) float64 {
	if !(f > 0) {
		return 0
	}
	return min(f, 1)
}

// span is the time from the first to the last error that a snapshot knows of. Intervals of the timeline begin before their
// errors, so they count only where nothing more exact is known.
func span(s report.Snapshot) (from, to time.Time) {
	add := func(t time.Time, about time.Duration) {
		if t.IsZero() {
			return
		}
		if from.IsZero() || !t.Add(about).After(from) && t.Before(from) {
			from = t
		}
		if t.After(to) {
			to = t
		}
	}
	for i := range s.Groups {
		add(s.Groups[i].FirstSeen, 0)
		add(s.Groups[i].LastSeen, 0)
	}
	for i := range s.Last {
		add(s.Last[i].At, 0)
	}
	for _, b := range s.Timeline.Buckets {
		add(b.Start, s.Timeline.Step)
	}
	return from, to
}
