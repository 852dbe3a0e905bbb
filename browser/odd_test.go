package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/htmlreport"
	"github.com/errgen/errgen/runtime/report/predict"
)

// odd is what does not fit: an outage whose group is gone, a clock that was not set, severities
// that nobody stated, more categories than patterns, more codes than rows, a recovery of which
// nobody knows, and retries.
func odd() report.Snapshot {
	clock := &hands{start}
	reporter := report.NewReporter(report.ReporterOptions{Clock: clock})
	groups := report.NewGroups(report.GroupOptions{Clock: clock})
	sinks := report.Sinks{reporter, groups}
	add := func(id string, at time.Time, category, code, severity string) {
		sinks.Report(&report.Occurrence{
			ID: id, At: at, Category: category, Code: code, Severity: severity, Message: "down in " + category,
			Reaction: "wait", Action: "retry", Recovery: &report.Recovery{Attempts: 1, MaxAttempts: 2},
		})
	}
	for i := range 500 {
		add(fmt.Sprint("outage ", i), start, "database", fmt.Sprint("DATABASE_DOWN_", i%60), "critical")
	}
	clock.now = start.Add(61 * time.Minute)
	add("clock", time.Unix(1, 0), "other", "", "low")
	for i := range 12 {
		add(fmt.Sprint("late ", i), clock.now, fmt.Sprint("category", i), fmt.Sprint("LATE_", i), "")
	}
	sinks.Retried(report.Retry{Reaction: "wait", Action: "retry", Attempts: 3, Succeeded: true})
	return report.NewSnapshot(reporter, groups)
}

func TestWhatDoesNotFitIsSaid(t *testing.T) {
	url := serve(
		t, write(
			t, odd(),
			htmlreport.Options{Forecasts: htmlreport.Forecasts(
				"p", []predict.Forecast{{Code: "DOWN", Probability: 1, Low: .9, High: 1}})}))
	for _, v := range []view{{}, {width: 360, dark: true}, {width: 360}, {dark: true}} {
		t.Run(fmt.Sprintf("dark=%v/%d", v.dark, v.width), func(t *testing.T) {
			p := open(t, url, v)
			eval[any](p, opensAll)
			text := func(selector string) string {
				return eval[string](
					p, fmt.Sprintf(`document.querySelector(%q).innerText.replace(/\s+/g, ' ')`, selector))
			}
			assert.Contains(t, text("#overview"), "o longer kept: 1 group, with 500 errors up to critical")
			assert.Contains(
				t, text("#groups .about"),
				"No longer kept: 1 group not seen for more than 1 h, with 500 errors up to critical.")
			assert.Contains(t, text("#chart-category figcaption"), "One more is not in the chart")
			assert.Contains(t, text("#chart-severity .legend"), "not stated 12")
			assert.Regexp(t, `not stated 12 2\.3%`, text("#breakdown"))
			assert.Regexp(t, `7 more categories 7 1\.4%`, text("#breakdown"))
			assert.Contains(t, text("#codes tbody"), "critical DATABASE_DOWN_0 database 9")
			assert.Regexp(t, `^critical 24 more codes several 101.* 19\.7% `, text("#codes tbody + tbody"))
			assert.Contains(t, text("#reactions tbody"), "0.0% 0 of 513, 513 open")
			assert.Contains(t, text("#reactions tbody"), "100.0% 1 of 1")
			assert.Empty(t, eval[[]string](p, contrast+`.low`))
			assert.Empty(t, eval[[]string](p, beyondTheEdge))
			p.assertQuiet(url)
		})
	}
}
