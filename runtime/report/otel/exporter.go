package otelreport

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/internal/bounded"
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
	// Taxonomies are those whose codes, categories, sources and strategies are told apart in any case.
	Taxonomies []*taxonomy.Taxonomy
	// MaxValues is how many other values each attribute has; 50.
	MaxValues int
	// MaxSeries is how many combinations of attributes are counted apart; 1000. Of what is beyond, all are "other".
	MaxSeries int
}

// Exporter is a [report.Sink] that counts with a meter. Make one with [New]; it is safe for concurrent use.
type Exporter struct {
	labels                                  *bounded.Labels
	errors, recoveries, retries, operations metric.Int64Counter
}

var _ report.Sink = (*Exporter)(nil)

// New returns an exporter that counts with the meter. The error is the meter's, as for names that it does not take.
func New(m metric.Meter, o Options) (*Exporter, error) {
	if o.MaxValues <= 0 {
		o.MaxValues = defaultValues
	}
	if o.MaxSeries <= 0 {
		o.MaxSeries = defaultSeries
	}
	e := &Exporter{labels: bounded.NewLabels(o.MaxValues, o.MaxSeries, o.Taxonomies...)}
	for _, c := range []struct {
		counter                 *metric.Int64Counter
		name, unit, description string
	}{
		{&e.errors, "errgen.errors", "{error}", "Errors that happened."},
		{&e.recoveries, "errgen.recoveries", "{recovery}", "Recovery strategies that were run, by what came of them."},
		{&e.retries, "errgen.retries", "{retry}", "Calls that were made again."},
		{&e.operations, "errgen.retried_operations", "{operation}", "Operations that were tried again, by how they ended."},
	} {
		var err error
		if *c.counter, err = m.Int64Counter(c.name, metric.WithUnit(c.unit), metric.WithDescription(c.description)); err != nil {
			return nil, fmt.Errorf("make counter %s: %w", c.name, err)
		}
	}
	return e, nil
}

// Report counts an error, and its recovery if that is known.
func (e *Exporter) Report(o *report.Occurrence) {
	if o == nil {
		return
	}
	row := e.labels.Of(o)
	add(e.errors, 1, errorType(row.Code), domainKey.String(row.Domain), categoryKey.String(row.Category),
		severityKey.String(row.Severity), sourceKey.String(row.Source))
	e.recovered(o)
}

// Update counts the strategy that was run for an error.
func (e *Exporter) Update(o *report.Occurrence) {
	if o != nil {
		e.recovered(o)
	}
}

func (e *Exporter) recovered(o *report.Occurrence) {
	r := o.Recovery
	if r == nil || r.Successful == nil {
		return
	}
	run := e.labels.OfRun(o, r.Strategy)
	add(e.recoveries, 1, errorType(run.Code), domainKey.String(run.Domain), categoryKey.String(run.Category),
		strategyKey.String(run.Strategy), result(*r.Successful))
}

// Retried counts an operation that was tried again, and its calls after the first.
func (e *Exporter) Retried(attempts int, succeeded bool) {
	add(e.retries, int64(max(0, attempts)))
	add(e.operations, 1, result(succeeded))
}

// add counts; sinks have no context, and counters take theirs for exemplars only.
func add(c metric.Int64Counter, n int64, attributes ...attribute.KeyValue) {
	c.Add(context.Background(), n, metric.WithAttributeSet(attribute.NewSet(attributes...)))
}

// errorType is the attribute of a code as the semantic conventions have it, where a code that there is no room for is
// "_OTHER".
func errorType(code string) attribute.KeyValue {
	if code == bounded.None || code == bounded.Other {
		return semconv.ErrorTypeOther
	}
	return semconv.ErrorTypeKey.String(code)
}

func result(succeeded bool) attribute.KeyValue {
	if succeeded {
		return resultKey.String("succeeded")
	}
	return resultKey.String("failed")
}
