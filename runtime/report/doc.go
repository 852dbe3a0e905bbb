// Package report counts errors and keeps the latest: occurrences with when, where and what was done
// about them, groups of similar occurrences, metrics, and reports as text, CSV and JSON. Package
// htmlreport writes a page for people, package watch connects an executor, the module report/export
// has exporters for Prometheus and OpenTelemetry, and package predict forecasts the next failure.
//
//	reporter := report.NewReporter(report.ReporterOptions{})
//	groups := report.NewGroups(report.GroupOptions{})
//	sinks := report.Sinks{reporter, groups}
//	sinks.Report(report.New(err, report.Options{Table: errs.Table}))
//	fmt.Println(reporter.Summary())
//
// All memory is bounded. An occurrence is masked and bounded once, when it is made, and not changed
// after that; reporters, groups and their callers share it. To change one, copy it with
// [Occurrence.With].
package report
