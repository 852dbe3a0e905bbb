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

// The attributes that are not of the semantic conventions.
const (
	domainKey   = attribute.Key("errgen.domain")
	categoryKey = attribute.Key("errgen.category")
	severityKey = attribute.Key("errgen.severity")
	sourceKey   = attribute.Key("errgen.source")
	strategyKey = attribute.Key("errgen.strategy")
	resultKey   = attribute.Key("errgen.result")
)

// Options bound what an exporter counts apart. What is 0 or less is as it says.
type Options struct {
	// Taxonomies are those whose codes, categories, sources and strategies are told apart in any
	// case.
	Taxonomies []*taxonomy.Taxonomy
	// MaxValues is how many other values each attribute has; 50.
	MaxValues int
	// MaxSeries is how many combinations of attributes are counted apart; 1000. At least half of
	// them are for the taxonomies' words: where there is no room for others, these are "other", and
	// beyond that all attributes are.
	MaxSeries int
}

// Exporter is a [report.Sink] that counts with a meter. Make one with [New]; it is safe for
// concurrent use.
type Exporter struct{ sink *bounded.Sink }

var _ report.Sink = (*Exporter)(nil)

// New returns an exporter that counts with the meter. The error is the meter's, as for names that
// it does not take.
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
	return &Exporter{bounded.NewSink(bounded.NewLabels(o.MaxValues, o.MaxSeries, o.Taxonomies...), &all)}, nil
}

// Report counts an error, and its recovery if that is known. One with an ID of the latest 10 000 is
// taken as Update.
func (e *Exporter) Report(o *report.Occurrence) { e.sink.Report(o) }

// Update counts the strategy that was run for an error that was reported, once for each run.
func (e *Exporter) Update(o *report.Occurrence) { e.sink.Update(o) }

// Retried counts an operation that was tried again, and its calls after the first; without such
// calls nothing.
func (e *Exporter) Retried(r report.Retry) { e.sink.Retried(r) }

// counters are what is counted with.
type counters struct {
	errors, recoveries, retries, operations metric.Int64Counter
}

func (c *counters) CountError(r bounded.Row) {
	add(c.errors, 1, errorType(r.Code), domainKey.String(r.Domain), categoryKey.String(r.Category),
		severityKey.String(r.Severity), sourceKey.String(r.Source))
}

func (c *counters) CountRun(r bounded.Run, result string) {
	add(c.recoveries, 1, errorType(r.Code), domainKey.String(r.Domain), categoryKey.String(r.Category),
		strategyKey.String(r.Strategy), resultKey.String(result))
}

func (c *counters) CountRetried(calls int, result string) {
	add(c.retries, int64(calls))
	add(c.operations, 1, resultKey.String(result))
}

// add counts; sinks have no context, and counters take theirs for exemplars only.
func add(c metric.Int64Counter, n int64, attributes ...attribute.KeyValue) {
	c.Add(context.Background(), n, metric.WithAttributeSet(attribute.NewSet(attributes...)))
}

// errorType is the attribute of a code as the semantic conventions have it, where a code that there
// is no room for is "_OTHER".
func errorType(code string) attribute.KeyValue {
	if code == bounded.None || code == bounded.Other {
		return semconv.ErrorTypeOther
	}
	return semconv.ErrorTypeKey.String(code)
}
