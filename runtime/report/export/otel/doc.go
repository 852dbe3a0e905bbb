// Package otelreport tells OpenTelemetry of errors: counters for metrics, and what happened on
// spans, by the semantic conventions.
//
//	exporter, err := otelreport.New(otel.Meter("errgen"), otelreport.Options{
//		Taxonomies: []*taxonomy.Taxonomy{errs.Table.Taxonomy},
//	})
//	sinks := report.Sinks{reporter, exporter}
//	otelreport.Record(ctx, occurrence) // on the span that ctx has
//
// The counters, with their attributes, are:
//
//	errgen.errors              {error}      error.type, errgen.domain, errgen.category, errgen.severity, errgen.source
//	errgen.recoveries          {recovery}   error.type, errgen.domain, errgen.category, errgen.strategy, errgen.result
//	errgen.retries             {retry}      none
//	errgen.retried_operations  {operation}  errgen.result
//
// error.type is the error's code, or "_OTHER" without a code or above the limit of values. Other
// attributes are "none" if the value is unknown and "other" above the limit. Texts of errors are
// never attributes of a metric.
package otelreport
