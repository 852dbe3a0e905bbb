package htmlreport

import (
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/report"
)

// figures are the numbers that are read first.
func figures(s report.Snapshot) []figure {
	m := s.Metrics
	all, largest := 0, 0
	for i := range s.Groups {
		all += s.Groups[i].Count
		largest = max(largest, s.Groups[i].Count)
	}
	list := []figure{
		{Name: "Errors", Value: whole(max(m.TotalErrors, all)), Note: worst(m.ErrorsBySeverity)},
		{Name: "Groups", Value: whole(len(s.Groups)), Note: largestNote(largest)},
		rate("Recovery rate", m.SuccessfulRecoveries, m.RecoveryAttempts, "recoveries", ""),
		rate("Retry rate", m.SuccessfulRetries, m.SuccessfulRetries+m.FailedRetries, "retried operations", fmt.Sprintf("%s more calls", whole(m.RetryAttempts))),
	}
	from, to := span(s)
	if from.IsZero() {
		return list
	}
	return append(list, figure{Name: "Time span", Value: length(to.Sub(from)), From: at(from), To: at(to)})
}

// worst counts the two highest severities.
func worst(bySeverity map[string]int) string {
	var parts []string
	for _, word := range []string{"critical", "high"} {
		if n := bySeverity[word]; n > 0 {
			parts = append(parts, whole(n)+" "+word)
		}
	}
	if len(parts) == 0 {
		return "none critical or high"
	}
	return strings.Join(parts, ", ")
}

func largestNote(n int) string {
	if n == 0 {
		return "none seen lately"
	}
	return "the largest has " + errorCount(n)
}

func rate(name string, good, all int, of, more string) figure {
	if all <= 0 {
		return figure{Name: name, Value: "–", Note: "no " + of}
	}
	f := figure{Name: name, Value: percent(share(good, all)), Part: percentage(share(good, all))}
	f.Note = fmt.Sprintf("%s of %s %s", whole(good), whole(all), of)
	if more != "" {
		f.Note += ", " + more
	}
	return f
}
