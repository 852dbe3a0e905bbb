package htmlreport_test

import (
	"bytes"
	"fmt"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/htmlreport"
)

// The page is one file that needs no server.
func Example() {
	reporter := report.NewReporter(report.ReporterOptions{})
	o := report.New(errs.NewConfigMissing("aidf.yml"), report.Options{Table: errs.Table})
	reporter.Report(o)

	var page bytes.Buffer // or a file
	err := htmlreport.Write(&page, reporter.Snapshot(), htmlreport.Options{Table: errs.Table})
	fmt.Println(bytes.Contains(page.Bytes(), []byte("CONFIG_MISSING")), err)
	// Output: true <nil>
}
