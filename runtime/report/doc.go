// Package report keeps count of errors: occurrences with when, where and what was done, groups of
// those that are alike, metrics, and reports of them as text, CSV and JSON. Package htmlreport
// makes a page for people, prometheus and otel export metrics, predict says what is likely to come
// next.
//
//	reporter := report.NewReporter(report.ReporterOptions{})
//	groups := report.NewGroups(report.GroupOptions{})
//	sinks := report.Sinks{reporter, groups}
//	sinks.Report(report.New(err, report.Options{Table: errs.Table}))
//	fmt.Println(reporter.Summary())
//
// Everything is bounded: however many errors there are, memory stays where it is.
package report
