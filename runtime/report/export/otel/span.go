package otelreport

import (
	"cmp"
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/report"
)

const (
	// maxText bounds messages and stacks, in bytes.
	maxText = 8 << 10
	// maxCode bounds the code.
	maxCode = 128
)

// Record is [RecordError] for the span of ctx.
func Record(ctx context.Context, o *report.Occurrence) { RecordError(trace.SpanFromContext(ctx), o) }

// RecordError marks a span as failed: its status is an error with the message, its attribute
// error.type is the code, and it has an event "exception" at the time of the occurrence, with the
// stack if the occurrence has one. Use it for the error that an operation ends with, and not for
// one that was retried or recovered from.
func RecordError(span trace.Span, o *report.Occurrence) {
	if span == nil || o == nil || !span.IsRecording() {
		return
	}
	message, kind := text.Beginning(o.Message, maxText), semconv.ErrorTypeOther
	if o.Code != "" {
		kind = semconv.ErrorTypeKey.String(text.Beginning(o.Code, maxCode))
	}
	span.SetAttributes(kind)
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
