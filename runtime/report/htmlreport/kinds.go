package htmlreport

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/errgen/errgen/runtime/report"
)

const (
	// maxSeries is how many patterns there are; the last is that of all others.
	maxSeries = 8
	// maxKinds is how many rows a breakdown has.
	maxKinds = 8
	others   = "other"
)

func charts(t report.Timeline) []*chart {
	var byCategory, bySeverity []point
	for _, b := range t.Buckets {
		byCategory = append(byCategory, point{b.Start, b.ByCategory})
		bySeverity = append(bySeverity, point{b.Start, b.BySeverity})
	}
	var list []*chart
	for _, c := range []*chart{categoryChart(t, byCategory), severityChart(t, bySeverity)} {
		if c != nil {
			list = append(list, c)
		}
	}
	return list
}

// categoryChart tells the most frequent categories apart and counts the rest as one.
func categoryChart(t report.Timeline, points []point) *chart {
	bars, width := slots(t.Step, points)
	bars = fold(bars, name)
	totals := map[string]int{}
	for _, b := range bars {
		for key, n := range b.counts {
			totals[key] += n
		}
	}
	delete(totals, others)
	ranked := byCount(totals)
	var list []series
	for i, key := range ranked[:min(len(ranked), maxSeries-1)] {
		list = append(list, series{Name: key, Class: "c" + strconv.Itoa(i+1)})
	}
	bars = fold(bars, func(key string) string {
		if slices.ContainsFunc(list, func(s series) bool { return s.Name == key }) {
			return key
		}
		return others
	})
	if hasAny(bars, others) {
		list = append(list, series{Name: others, Class: "c" + strconv.Itoa(maxSeries)})
	}
	return stacked("category", "Errors over time by category", list, bars, width)
}

// severityChart has the highest severity lowest, where bars are compared best.
func severityChart(t report.Timeline, points []point) *chart {
	bars, width := slots(t.Step, points)
	folded := fold(bars, func(key string) string { return severity(key).Word })
	var list []series
	for steps := len(severityWords) - 1; steps >= 0; steps-- {
		l := level{Word: severityWords[steps], Steps: steps}
		if hasAny(folded, l.Word) {
			list = append(list, series{Name: l.Word, Class: l.class()})
		}
	}
	return stacked("severity", "Errors over time by severity", list, folded, width)
}

// fold counts together what has the same name.
func fold(bars []slot, to func(string) string) []slot {
	names := map[string]string{}
	folded := make([]slot, len(bars))
	for i, b := range bars {
		folded[i] = slot{start: b.start, counts: map[string]int{}}
		for key, n := range b.counts {
			if _, known := names[key]; !known {
				names[key] = to(key)
			}
			folded[i].counts[names[key]] += n
		}
	}
	return folded
}

func hasAny(bars []slot, key string) bool {
	return slices.ContainsFunc(bars, func(b slot) bool { return b.counts[key] > 0 })
}

// byCount are the keys of counts above zero, the largest first, and equals by name.
func byCount(counts map[string]int) []string {
	keys := slices.Collect(maps.Keys(counts))
	keys = slices.DeleteFunc(keys, func(key string) bool { return counts[key] <= 0 })
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	return keys
}

func breakdowns(m report.Metrics) []breakdown {
	var list []breakdown
	for _, b := range []struct {
		id, title string
		counts    map[string]int
		class     func(string) string
	}{
		{"category", "By category", m.ErrorsByCategory, plain},
		{"severity", "By severity", m.ErrorsBySeverity, func(key string) string { return severity(key).class() }},
		{"source", "By source", m.ErrorsBySource, plain},
		{"recoverability", "By recoverability", m.ErrorsByRecoverability, plain},
	} {
		if made := newBreakdown(b.counts, b.class); len(made.Rows) > 0 {
			made.ID, made.Title = b.id, b.title
			list = append(list, made)
		}
	}
	return list
}

func plain(string) string { return "fill" }

func newBreakdown(counts map[string]int, class func(string) string) breakdown {
	total := 0
	keys := byCount(counts)
	for _, key := range keys {
		total += min(counts[key], maxCount)
	}
	var b breakdown
	for _, key := range keys[:min(len(keys), maxKinds)] {
		n := min(counts[key], maxCount)
		b.Rows = append(b.Rows, breakdownRow{
			Name: name(key), Count: whole(n), Share: percent(share(n, total)), Width: percentage(share(n, total)), Class: class(key),
		})
	}
	if more := len(keys) - len(b.Rows); more > 0 {
		b.Left = fmt.Sprintf("And %s more.", whole(more))
	}
	return b
}
