package htmlreport

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/report"
)

// figures are the numbers that are read first.
func figures(s report.Snapshot) []figure {
	m := s.Metrics
	all, largest := 0, 0
	for i := range s.Groups {
		all += some(s.Groups[i].Count)
		largest = max(largest, s.Groups[i].Count)
	}
	all += some(s.Expired.Errors) + some(s.Evicted.Errors)
	list := []figure{
		{Name: "Errors", Value: whole(cmp.Or(m.TotalErrors, all)), Note: worst(s)},
		{Name: "Groups", Value: whole(len(s.Groups)), Note: groupsNote(s, largest)},
		rate("Recovery rate", m.SuccessfulRecoveries, m.RecoveryAttempts, "recoveries",
			open(m.RecoveryAttempts-m.SuccessfulRecoveries-m.FailedRecoveries)),
		rate("Retry rate", m.SuccessfulRetries, some(m.SuccessfulRetries)+some(m.FailedRetries), "retried operations",
			", "+whole(some(m.RetryAttempts))+" more calls"),
	}
	from, to := span(s)
	if from.IsZero() {
		return list
	}
	return append(list, figure{Name: "Time span", Value: length(to.Sub(from)), From: at(from), To: at(to)})
}

const noneStated = "no severity stated"

// worst counts the two highest severities, and the errors that have none.
func worst(s report.Snapshot) string {
	counts := named(s.Metrics.ErrorsBySeverity, severityName)
	if hasNoErrors(s) {
		return "none reported"
	}
	if len(counts) == 0 {
		return highest(s)
	}
	if len(counts) == 1 && counts[notStated] > 0 {
		return noneStated
	}
	var parts []string
	for _, word := range []string{"critical", "high"} {
		if n := counts[word]; n > 0 {
			parts = append(parts, whole(n)+" "+word)
		}
	}
	if len(parts) == 0 {
		parts = []string{"none critical or high"}
	}
	if n := counts[notStated]; n > 0 {
		parts = append(parts, whole(n)+" without a severity")
	}
	return strings.Join(parts, ", ")
}

// highest names the highest severity of groups, also of those that are gone, and of latest errors,
// where nothing has counted them.
func highest(s report.Snapshot) string {
	var top level
	see := func(word string) {
		if l := severity(word); l.Steps > top.Steps {
			top = l
		}
	}
	see(s.Expired.Severity)
	see(s.Evicted.Severity)
	for i := range s.Groups {
		see(s.Groups[i].Severity)
	}
	for i := range s.Last {
		see(s.Last[i].Severity)
	}
	if top.Steps == 0 {
		return noneStated
	}
	return "the highest severity is " + top.Word
}

func groupsNote(s report.Snapshot, largest int) string {
	said := "none seen lately"
	if largest > 0 {
		said = "the largest has " + errorCount(largest)
	}
	if gone := goneShort(s); gone != "" {
		said += "; " + gone
	}
	return said
}

func rate(name string, good, all int, of, more string) figure {
	if all <= 0 {
		return figure{Name: name, Value: "–", Note: "no " + of}
	}
	f := figure{Name: name, Value: percent(share(good, all)), Part: percentage(share(good, all))}
	f.Note = fmt.Sprintf("%s of %s %s%s", whole(good), whole(all), of, more)
	return f
}
