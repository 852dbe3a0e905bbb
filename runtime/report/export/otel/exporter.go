// Package otelreport counts errors with an OpenTelemetry meter and records them on spans, by the
// semantic conventions.
//
//	exporter, err := otelreport.New(otel.Meter("errgen"), errs.Table.Taxonomy)
//	sinks := report.Sinks{reporter, exporter}
//	otelreport.Record(ctx, occurrence) // on the span that ctx has
//
// The counters, with their attributes, are:
//
//	errgen.errors              error.type, errgen.{domain,category,severity,source}
//	errgen.recoveries          error.type, errgen.{domain,category,strategy,result}
//	errgen.retries             none
//	errgen.retried_operations  errgen.result
//	errgen.requests            error.type, errgen.{domain,operation,fault}; of servers
//
// error.type is the error's code, or "_OTHER" without one. A request that succeeded has no
// error.type, and the fault "none". Attributes are words of the taxonomies,
// or "other"; an unknown value is "none". Texts of errors are never attributes of a metric.
package otelreport

import (
	"cmp"
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/export/internal/bounded"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The attributes outside of the semantic conventions.
const (
	domainKey   = attribute.Key("errgen.domain")
	categoryKey = attribute.Key("errgen.category")
	severityKey = attribute.Key("errgen.severity")
	sourceKey   = attribute.Key("errgen.source")
	strategyKey = attribute.Key("errgen.strategy")
	resultKey   = attribute.Key("errgen.result")

	operationKey = attribute.Key("errgen.operation")
	faultKey     = attribute.Key("errgen.fault")
)

// Exporter is a [report.Sink] that counts with a meter. Make one with [New]; it is safe for
// concurrent use.
type Exporter struct{ *bounded.Sink }

var (
	_ report.Sink        = (*Exporter)(nil)
	_ report.RequestSink = (*Exporter)(nil)
)

// New returns an exporter that counts with the meter. The words of the taxonomies are its
// attributes.
func New(m metric.Meter, taxonomies ...*taxonomy.Taxonomy) (*Exporter, error) {
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
		{&all.requests, "errgen.requests", "{request}", "Requests to servers, by how they ended."},
	} {
		var err error
		if *c.counter,
			err = m.Int64Counter(c.name, metric.WithUnit(c.unit), metric.WithDescription(c.description)); err != nil {
			return nil, fmt.Errorf("make counter %s: %w", c.name, err)
		}
	}
	return &Exporter{bounded.NewSink(&all, taxonomies)}, nil
}

type counters struct {
	errors, recoveries, retries, operations, requests metric.Int64Counter
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

func (c *counters) CountRequest(o bounded.Outcome) {
	all := []attribute.KeyValue{domainKey.String(o.Domain), operationKey.String(o.Operation), faultKey.String(o.Fault)}
	if o.Fault != bounded.None {
		all = append(all, errorType(o.Code))
	}
	add(c.requests, 1, all...)
}

// Request counts a request of a server. If it failed, and not by a fault of the client, the status
// of the span of ctx becomes an error, and its error.type is the code. Otherwise the span stays
// unchanged, as the semantic conventions demand for the spans of servers.
func (e *Exporter) Request(ctx context.Context, r report.Request) {
	e.Sink.Request(ctx, r)
	if span := trace.SpanFromContext(ctx); r.Failed && r.Fault != taxonomy.FaultClient && span.IsRecording() {
		span.SetAttributes(errorTypeOf(r.Code))
		span.SetStatus(codes.Error, "")
	}
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

const (
	// maxText bounds messages and stacks, in bytes.
	maxText = 8 << 10
	// maxCode bounds the code.
	maxCode = 128
)

// errorTypeOf returns the attribute of a code, which may be empty.
func errorTypeOf(code string) attribute.KeyValue {
	if code == "" {
		return semconv.ErrorTypeOther
	}
	return semconv.ErrorTypeKey.String(text.Beginning(code, maxCode))
}

// Record marks the span of ctx as failed: its status is an error with the message, its attribute
// error.type is the code, and it has an event "exception" at the time of the occurrence, with the
// stack if the occurrence has one. Use it for the error that an operation ends with, and not for
// one that was retried or recovered from. A server uses [Exporter.Request] instead.
func Record(ctx context.Context, o *report.Occurrence) {
	span := trace.SpanFromContext(ctx)
	if o == nil || !span.IsRecording() {
		return
	}
	message := text.Beginning(o.Message, maxText)
	span.SetAttributes(errorTypeOf(o.Code))
	span.SetStatus(codes.Error, message)
	event := []attribute.KeyValue{
		semconv.ExceptionType(cmp.Or(text.Beginning(o.Code, maxCode), "error")),
		semconv.ExceptionMessage(message),
	}
	if o.Stack != "" {
		event = append(event, semconv.ExceptionStacktrace(text.Beginning(o.Stack, maxText)))
	}
	options := []trace.EventOption{trace.WithAttributes(event...)}
	if !o.At.IsZero() {
		options = append(options, trace.WithTimestamp(o.At))
	}
	span.AddEvent(semconv.ExceptionEventName, options...)
}
