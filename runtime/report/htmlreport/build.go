package htmlreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/report"
)

// The most bytes that texts have on the page, before they are escaped.
const (
	titleLimit   = 200
	nameLimit    = 80
	summaryLimit = 240
)

// builder makes a page of a snapshot. Details are what may be opened; they share a budget, so that
// the page stays bounded however many rows there are.
type builder struct {
	details int
	// cut reports that there was no room for a detail of the row, and short counts the rows of
	// which that holds.
	cut   bool
	short int
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
	p.Charts = charts(s)
	p.Breakdowns = breakdowns(s.Metrics)
	p.Codes, p.CodesRest = codes(s)
	p.Outcomes = outcomes(s.Outcomes)
	p.Latest, p.LatestLeft = b.latest(s.Last, positive(o.MaxLatest, defaultLatest))
	p.GroupsGone = goneLong(s)
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
	return hasNoErrors(s) && s.Metrics.RetryAttempts == 0
}

func hasNoErrors(s report.Snapshot) bool {
	return s.Metrics.TotalErrors == 0 && len(s.Groups) == 0 && len(s.Last) == 0 && s.Expired.Groups == 0 &&
		s.Evicted.Groups == 0
}

// name is a short text that may be missing.
func name(s string) string { return cmp.Or(line(s, nameLimit), unknown) }

// unknown stands for what is not known.
const unknown = "unknown"

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
	b.short = 0
	for i := range sorted {
		g := &sorted[i]
		rows = append(rows, groupRow{
			Level: severity(g.Severity), Code: line(g.Sample.Code, nameLimit), Category: name(g.Category),
			Pattern: cmp.Or(line(g.Pattern, summaryLimit), line(g.Sample.Message, summaryLimit), "no message"),
			Count:   g.Count, First: at(g.FirstSeen), Last: at(g.LastSeen),
			Sample: b.occurrence(&g.Sample),
		})
	}
	return rows, sentences(left, b.shortened("group", " of the first error"))
}

// shortened says of how many rows not all is shown; "" when of none.
func (b *builder) shortened(noun, of string) string {
	if b.short == 0 {
		return ""
	}
	if b.short > 1 {
		noun += "s"
	}
	return fmt.Sprintf(
		"Of %s %s only message, time, ID and category%s are shown, so that the page does not become too long.",
		whole(b.short), noun, of)
}

func sentences(all ...string) string { return strings.TrimSpace(strings.Join(all, " ")) }

func (b *builder) latest(last []report.Occurrence, limit int) ([]occurrenceRow, string) {
	left := ""
	if len(last) > limit {
		left = fmt.Sprintf("The latest %s of %s that are kept.", whole(limit), whole(len(last)))
		last = last[len(last)-limit:]
	}
	rows := make([]occurrenceRow, 0, len(last))
	b.short = 0
	for i := range last {
		rows = append(rows, b.occurrence(&last[len(last)-1-i]))
	}
	return rows, sentences(left, b.shortened("error", ""))
}

func outcomes(all []report.ReactionOutcome) []outcomeRow {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(x, y report.ReactionOutcome) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Reaction, y.Reaction),
			cmp.Compare(x.Action, y.Action))
	})
	rows := make([]outcomeRow, 0, len(sorted))
	for _, o := range sorted[:min(len(sorted), maxOutcomes)] {
		rows = append(rows, outcomeRow{
			Reaction: name(o.Reaction), Action: name(o.Action), Count: o.Count,
			Recoveries: newCame(o.Recovered, o.Failed, o.Pending),
			Retries:    newCame(o.SuccessfulRetries, o.FailedRetries, 0),
		})
	}
	return rows
}

// newCame counts what is pending as tried, as the rates of all errors do.
func newCame(good, bad, pending int) *came {
	good, bad, pending = some(good), some(bad), some(pending)
	all := good + bad + pending
	if all == 0 {
		return nil
	}
	return &came{
		Rate: percent(share(good, all)), Of: whole(good) + " of " + whole(all) + open(pending),
		Good: percentage(share(good, all)), Bad: percentage(share(bad, all)),
	}
}

// some is a number of errors between 0 and maxCount.
func some(n int) int { return min(max(n, 0), maxCount) }

// open says how many tries have not ended.
func open(n int) string {
	if n <= 0 {
		return ""
	}
	return ", " + whole(n) + " open"
}
