package htmlreport

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/errgen/errgen/runtime/report"
)

// maxKinds is how many kinds are told apart, as there are patterns; if there are more, the last is
// that of all others.
const maxKinds = 8

// kinds are names by how many errors there are of them.
type kinds struct {
	counts map[string]int
	// names are those that are told apart, the most frequent first.
	names []string
	// rest is what all others together are called, "" without any, and left how many errors that
	// are.
	rest string
	left int
}

// newKinds tells the most frequent names apart, so that there are at most so many kinds. What is
// left out is called by its number and noun, so that it is not taken for a kind that is called
// "other".
func newKinds(counts map[string]int, noun string, limit int) kinds {
	k := kinds{counts: counts, names: byCount(counts)}
	if len(k.names) <= limit {
		return k
	}
	more := k.names[limit-1:]
	k.names = k.names[:limit-1]
	k.rest = whole(len(more)) + " more " + noun
	for _, name := range more {
		k.left += counts[name]
	}
	return k
}

// of returns the name under which one is counted.
func (k *kinds) of(name string) string {
	if slices.Contains(k.names, name) {
		return name
	}
	return k.rest
}

func (k *kinds) total() int {
	sum := k.left
	for _, name := range k.names {
		sum += k.counts[name]
	}
	return sum
}

// named counts together what has the same name on the page.
func named(counts map[string]int, to func(string) string) map[string]int {
	out := make(map[string]int, len(counts))
	for key, n := range counts {
		out[to(key)] += some(n)
	}
	return out
}

// byCount are the keys of counts above zero, the largest first, and equals by name.
func byCount(counts map[string]int) []string {
	keys := slices.Collect(maps.Keys(counts))
	keys = slices.DeleteFunc(keys, func(key string) bool { return counts[key] <= 0 })
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	return keys
}

func severityName(key string) string { return severity(key).Word }

func charts(s report.Snapshot) []*chart {
	var byCategory, bySeverity []point
	for _, b := range s.Timeline.Buckets {
		byCategory = append(byCategory, point{b.Start, b.ByCategory})
		bySeverity = append(bySeverity, point{b.Start, b.BySeverity})
	}
	var list []*chart
	for _, c := range []*chart{categoryChart(s, byCategory), severityChart(s, bySeverity)} {
		if c != nil {
			list = append(list, c)
		}
	}
	return list
}

// categoryChart tells those categories apart that the breakdown does.
func categoryChart(s report.Snapshot, points []point) *chart {
	bars, width := slots(s.Timeline.Step, points)
	bars = fold(bars, name)
	counts := named(s.Metrics.ErrorsByCategory, name)
	for key, n := range totals(bars) {
		counts[key] = max(counts[key], n)
	}
	k := newKinds(counts, "categories", maxKinds)
	bars = fold(bars, k.of)
	var list []series
	for i, key := range k.names {
		if hasAny(bars, key) {
			list = append(list, series{Name: key, Class: "c" + strconv.Itoa(i+1)})
		}
	}
	if k.rest != "" && hasAny(bars, k.rest) {
		list = append(list, series{Name: k.rest, Class: "c" + strconv.Itoa(maxKinds), Rest: true})
	}
	return stacked("category", "Errors over time by category", list, bars, width, s)
}

// severityChart has the highest severity lowest, where bars are compared best.
func severityChart(s report.Snapshot, points []point) *chart {
	bars, width := slots(s.Timeline.Step, points)
	bars = fold(bars, severityName)
	var list []series
	for _, l := range levels() {
		if hasAny(bars, l.Word) {
			list = append(list, series{Name: l.Word, Class: l.class()})
		}
	}
	return stacked("severity", "Errors over time by severity", list, bars, width, s)
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

func totals(bars []slot) map[string]int {
	sums := map[string]int{}
	for _, b := range bars {
		for key, n := range b.counts {
			sums[key] += n
		}
	}
	return sums
}

func hasAny(bars []slot, key string) bool {
	return slices.ContainsFunc(bars, func(b slot) bool { return b.counts[key] > 0 })
}

func breakdowns(m report.Metrics) []breakdown {
	var list []breakdown
	for _, b := range []struct {
		id, noun string
		counts   map[string]int
		name     func(string) string
		class    func(string) string
	}{
		{"category", "categories", m.ErrorsByCategory, name, plain},
		{"severity", "severities", m.ErrorsBySeverity, severityName,
			func(word string) string { return severity(word).class() }},
		{"source", "sources", m.ErrorsBySource, name, plain},
		{"recoverability", "kinds", m.ErrorsByRecoverability, name, plain},
	} {
		k := newKinds(named(b.counts, b.name), b.noun, maxKinds)
		if len(k.names) > 0 {
			list = append(list, breakdown{ID: b.id, Title: "By " + b.id, Rows: breakdownRows(k, b.class)})
		}
	}
	return list
}

func plain(string) string { return "fill" }

func breakdownRows(k kinds, class func(string) string) []breakdownRow {
	total := k.total()
	var rows []breakdownRow
	add := func(name, class string, n int) {
		part := share(n, total)
		rows = append(
			rows, breakdownRow{Name: name, Count: whole(n), Share: percent(part), Width: percentage(part),
				Class: class})
	}
	for _, name := range k.names {
		add(name, class(name), k.counts[name])
	}
	if k.rest != "" {
		add(k.rest, "k8", k.left)
	}
	return rows
}
