package report_test

import (
	"fmt"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/report"
)

// Errors are counted, and grouped by their message without numbers and names.
func Example() {
	reporter := report.NewReporter(report.ReporterOptions{})
	for _, err := range []error{
		errs.NewProviderAPIError("anthropic-api", "request 17 failed"),
		errs.NewProviderAPIError("anthropic-api", "request 18 failed"),
		errs.NewConfigMissing("aidf.yml"),
	} {
		reporter.Report(report.New(err, report.Options{Table: errs.Table}))
	}

	fmt.Println(reporter.Metrics().TotalErrors)
	for _, g := range reporter.Groups(report.Query{}) {
		fmt.Println(g.Count, g.Pattern)
	}
	// Output:
	// 3
	// 1 configuration file not found: aidf.yml
	// 2 provider anthropic-api API error: request N failed
}
