package otelreport_test

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/report"
	otelreport "github.com/errgen/errgen/runtime/report/export/otel"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func Example() {
	meters, tracers := metric.NewMeterProvider(), trace.NewTracerProvider() // with your readers and exporters
	exporter, err := otelreport.New(meters.Meter("errgen"), errs.Table.Taxonomy)
	if err != nil {
		fmt.Println(err)
		return
	}
	sinks := report.Sinks{report.NewReporter(report.ReporterOptions{}), exporter}

	ctx, span := tracers.Tracer("app").Start(context.Background(), "call")
	defer span.End()
	failed := errs.Classify(taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: 429})
	o := report.New(failed, report.Options{Table: errs.Table})
	sinks.Report(o)
	otelreport.Record(ctx, o)
	fmt.Println(o.Code)
	// Output: PROVIDER_RATE_LIMIT
}
