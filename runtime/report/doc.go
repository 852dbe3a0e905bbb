// Package report counts errors and keeps the latest. An occurrence is an error with its time, place
// and recovery. A reporter returns occurrences, groups of similar ones, metrics, and reports as
// text, CSV and JSON. Package htmlreport writes a page for people, and package watch connects an
// executor. Package predict forecasts the next failure. The module report/export has exporters for
// Prometheus and OpenTelemetry.
//
//	reporter := report.NewReporter(report.ReporterOptions{})
//	reporter.Report(report.New(err, report.Options{Table: errs.Table}))
//	fmt.Println(reporter.Metrics().Summary())
//
// All memory is bounded. [New] masks and bounds an occurrence once. After that nothing changes it,
// because reporters and their callers share it. To change one, copy it with
// [Occurrence.With].
package report
