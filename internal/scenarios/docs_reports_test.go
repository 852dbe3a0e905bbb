package scenarios_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/prevent"
	"github.com/errgen/errgen/runtime/executor/state"
	"github.com/errgen/errgen/runtime/executor/watch"
	"github.com/errgen/errgen/runtime/report"
	otelreport "github.com/errgen/errgen/runtime/report/export/otel"
	promreport "github.com/errgen/errgen/runtime/report/export/prometheus"
	"github.com/errgen/errgen/runtime/report/htmlreport"
	"github.com/errgen/errgen/runtime/report/predict"
	"github.com/errgen/errgen/runtime/retry"
)

// The functions here are the samples of docs/reports.md. TestBlocks in docs finds them.

func reportOn(failures []error, text, page io.Writer) error {
	reporter := report.NewReporter(report.ReporterOptions{})
	for _, err := range failures {
		reporter.Report(report.New(errs.Classify(err), report.Options{Table: errs.Table}))
	}
	fmt.Fprintln(text, reporter.Metrics().Summary())
	for _, g := range reporter.Groups(report.Query{}) {
		fmt.Fprintln(text, g.Count, g.Severity, g.Pattern)
	}
	return htmlreport.Write(page, reporter.Snapshot(), htmlreport.Options{})
}

func observed(c executor.Config, sink report.Sink, runs *report.Runs) executor.Config {
	c.Observer = executor.Observers(c.Observer, watch.Observer(watch.Options{
		Table: c.Table,
		Sink:  sink,
		Runs:  runs,
		Facts: func(executor.Event) report.Facts {
			return report.Facts{Metadata: map[string]any{"mode": "nightly"}}
		},
	}))
	return c
}

func learnFrom(ctx context.Context, history *state.Store, config *executor.Config, checks prevent.Checker) (
	*predict.Model, error) {
	model := predict.New()
	err := history.Outcomes(ctx, time.Now().AddDate(0, -1, 0), func(o retry.Outcome) error {
		model.Learn(o)
		return nil
	})
	if err != nil {
		return nil, err
	}
	config.Admission.Learners = append(config.Admission.Learners, model)
	// takes the measures of `prevent`, and runs its checks; see below
	config.Admission.Preventer = prevent.New(model, errs.Table, checks)
	return model, nil
}

func forecast(w io.Writer, model *predict.Model) {
	for _, f := range model.Next("anthropic-api") {
		fmt.Fprintf(w, "%s: %.0f %%, between %.0f %% and %.0f %%\n", f.Code, 100*f.Probability, 100*f.Low, 100*f.High)
	}
}

func writePage(page io.Writer, s report.Snapshot, runs *report.Runs, model *predict.Model) error {
	s.Runs = runs.All()
	return htmlreport.Write(page, s, htmlreport.Options{
		Table:     errs.Table, // has the resolutions of the codes
		Forecasts: htmlreport.Forecasts("anthropic-api", model.Next("anthropic-api")),
	})
}

func serveMetrics(mux *http.ServeMux) (report.Sink, error) {
	registry := prometheus.NewRegistry()
	exporter, err := promreport.Register(registry, errs.Table.Taxonomy)
	if err != nil {
		return nil, err
	}
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return exporter, nil
}

func exportMetrics(meters metric.MeterProvider) (report.Sink, error) {
	return otelreport.New(meters.Meter("errgen"), errs.Table.Taxonomy)
}

func traced(ctx context.Context, tracer trace.Tracer, call func(ctx context.Context) error) error {
	ctx, span := tracer.Start(ctx, "call")
	defer span.End()
	err := errs.Classify(call(ctx))
	if err != nil {
		otelreport.Record(ctx, report.New(err, report.Options{Table: errs.Table}))
	}
	return err
}
