package otelreport

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/export/internal/bounded"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	defaultValues = 50
	defaultSeries = 1000
)

// The attributes outside of the semantic conventions.
const (
	domainKey   = attribute.Key("errgen.domain")
	categoryKey = attribute.Key("errgen.category")
	severityKey = attribute.Key("errgen.severity")
	sourceKey   = attribute.Key("errgen.source")
	strategyKey = attribute.Key("errgen.strategy")
	resultKey   = attribute.Key("errgen.result")
)

// Options bound the labels of an exporter. A number of 0 is its default.
type Options struct {
	// Taxonomies are those whose words are labels; any other code, category or strategy is "other".
	// Without a taxonomy, the first MaxValues of each label have labels of their own.
	Taxonomies []*taxonomy.Taxonomy
	// MaxValues is the number of sources; 50.
	MaxValues int
	// MaxSeries is the number of combinations of labels; 1000. Beyond it the source is "other", and
	// without a taxonomy every label.
	MaxSeries int
}

// Exporter is a [report.Sink] that counts with a meter. Make one with [New]; it is safe for
// concurrent use.
type Exporter struct{ sink *bounded.Sink }

var _ report.Sink = (*Exporter)(nil)

// New returns an exporter that counts with the meter.
func New(m metric.Meter, o Options) (*Exporter, error) {
	if o.MaxValues <= 0 {
		o.MaxValues = defaultValues
	}
	if o.MaxSeries <= 0 {
		o.MaxSeries = defaultSeries
	}
	var all counters
	for _, c := range []struct {
		counter                 *metric.Int64Counter
		name, unit, description string
	}{
		{&all.errors, "errgen.errors", "{error}", "Errors that happened."},
		{&all.recoveries, "errgen.recoveries", "{recovery}",
			"Recovery strategies that were run, by what came of them."},
		{&all.retries, "errgen.retries", "{retry}", "Calls that were made again."},
		{&all.operations, "errgen.retried_operations", "{operation}",
			"Operations that were tried again, by how they ended."},
	} {
		var err error
		if *c.counter,
			err = m.Int64Counter(c.name, metric.WithUnit(c.unit), metric.WithDescription(c.description)); err != nil {
			return nil, fmt.Errorf("make counter %s: %w", c.name, err)
		}
	}
	return &Exporter{bounded.NewSink(bounded.Limits(o), &all)}, nil
}

// Report counts an error, and its recovery if that has ended. If its ID is one of the latest 10
// 000, this is Update.
func (e *Exporter) Report(o *report.Occurrence) { e.sink.Report(o) }

// Update counts each run of a strategy for a reported error once.
func (e *Exporter) Update(o *report.Occurrence) { e.sink.Update(o) }

// Retried counts a retried operation, and its calls after the first.
func (e *Exporter) Retried(r report.Retry) { e.sink.Retried(r) }

type counters struct {
	errors, recoveries, retries, operations metric.Int64Counter
}

func (c *counters) CountError(r bounded.Row) {
	add(c.errors, 1, errorType(r.Code), domainKey.String(r.Domain), categoryKey.String(r.Category),
		severityKey.String(r.Severity), sourceKey.String(r.Source))
}

func (c *counters) CountRecovery(r bounded.Row, result string) {
	add(c.recoveries, 1, errorType(r.Code), domainKey.String(r.Domain), categoryKey.String(r.Category),
		strategyKey.String(r.Strategy), resultKey.String(result))
}

func (c *counters) CountRetried(calls int, result string) {
	add(c.retries, int64(calls))
	add(c.operations, 1, resultKey.String(result))
}

// add counts. Sinks have no context; counters use theirs for exemplars only.
func add(c metric.Int64Counter, n int64, attributes ...attribute.KeyValue) {
	c.Add(context.Background(), n, metric.WithAttributeSet(attribute.NewSet(attributes...)))
}

// errorType returns the attribute of a code in the semantic conventions, where any other code is
// "_OTHER".
func errorType(code string) attribute.KeyValue {
	if code == bounded.None || code == bounded.Other {
		return semconv.ErrorTypeOther
	}
	return semconv.ErrorTypeKey.String(code)
}
