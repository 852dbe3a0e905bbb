package promreport_test

import (
	"fmt"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/report"
	promreport "github.com/errgen/errgen/runtime/report/export/prometheus"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func Example() {
	registry := prometheus.NewRegistry()
	exporter, err := promreport.Register(registry, errs.Table.Taxonomy)
	if err != nil {
		fmt.Println(err)
		return
	}
	http.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))

	sinks := report.Sinks{report.NewReporter(report.ReporterOptions{}), exporter}
	failed := errs.Classify(taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: 429})
	sinks.Report(report.New(failed, report.Options{Table: errs.Table}))

	families, err := registry.Gather()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(families[0].GetName(), families[0].GetMetric()[0].GetCounter().GetValue())
	// Output: errgen_errors_total 1
}
