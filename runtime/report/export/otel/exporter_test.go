package otelreport

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// metered returns an exporter, and what reads its sums by the names of the counters.
func metered(t *testing.T) (*Exporter, func() map[string]metricdata.Metrics) {
	t.Helper()
	reader := sdkmetric.NewManualReader()
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	t.Cleanup(func() { assert.NoError(t, provider.Shutdown(context.Background())) })
	e, err := New(provider.Meter("errgen"), errs.Table.Taxonomy)
	require.NoError(t, err)
	return e, func() map[string]metricdata.Metrics {
		var all metricdata.ResourceMetrics
		require.NoError(t, reader.Collect(t.Context(), &all))
		out := map[string]metricdata.Metrics{}
		for _, scope := range all.ScopeMetrics {
			for _, m := range scope.Metrics {
				out[m.Name] = m
			}
		}
		return out
	}
}

func limited(message string) *report.Occurrence {
	return &report.Occurrence{
		ID: "1", Domain: "aidf", Category: "provider", Code: "PROVIDER_RATE_LIMIT", Severity: "high", Message: message,
		Source: &report.Source{Type: "anthropic-api"},
	}
}

func counter(name, unit, description string, points ...metricdata.DataPoint[int64]) metricdata.Metrics {
	return metricdata.Metrics{Name: name, Unit: unit, Description: description, Data: metricdata.Sum[int64]{
		Temporality: metricdata.CumulativeTemporality, IsMonotonic: true, DataPoints: points,
	}}
}

func point(n int64, attributes ...string) metricdata.DataPoint[int64] {
	var kvs []attribute.KeyValue
	for _, a := range attributes {
		key, value, _ := strings.Cut(a, "=")
		kvs = append(kvs, attribute.String(key, value))
	}
	return metricdata.DataPoint[int64]{Attributes: attribute.NewSet(kvs...), Value: n}
}

func TestMetrics(t *testing.T) {
	e, read := metered(t)
	done, failed := true, false
	e.Report(limited("slow down"))
	second := limited("slow down again")
	second.ID = "2"
	e.Report(second)
	e.Report(&report.Occurrence{Message: "of no taxonomy"})
	e.Report(nil)
	again := limited("slow down")
	again.Recovery = &report.Recovery{Attempts: 1, Strategy: "wait"}
	e.Update(again)
	again.Recovery.Successful = &failed
	e.Update(again)
	again.Recovery.Successful = &done
	e.Update(again)
	e.Update(nil)
	e.Retried(report.Retry{Attempts: 3, Succeeded: true})
	e.Retried(report.Retry{Attempts: -1, Succeeded: false})
	got := read()
	for _, want := range []metricdata.Metrics{
		counter("errgen.errors", "{error}", "Errors that happened.",
			point(2, "error.type=PROVIDER_RATE_LIMIT", "errgen.domain=aidf", "errgen.category=provider",
				"errgen.severity=high", "errgen.source=anthropic-api"),
			point(1, "error.type=_OTHER", "errgen.domain=none", "errgen.category=none", "errgen.severity=none",
				"errgen.source=none")),
		counter("errgen.recoveries", "{recovery}", "Recovery strategies that were run, by what came of them.",
			point(1, "error.type=PROVIDER_RATE_LIMIT", "errgen.domain=aidf", "errgen.category=provider",
				"errgen.strategy=other", "errgen.result=failed"),
			point(1, "error.type=PROVIDER_RATE_LIMIT", "errgen.domain=aidf", "errgen.category=provider",
				"errgen.strategy=other", "errgen.result=succeeded")),
		counter("errgen.retries", "{retry}", "Calls that were made again.", point(3)),
		counter("errgen.retried_operations", "{operation}", "Operations that were tried again, by how they ended.",
			point(1, "errgen.result=succeeded")),
	} {
		metricdatatest.AssertEqual(t, want, got[want.Name], metricdatatest.IgnoreTimestamp(),
			metricdatatest.IgnoreExemplars())
	}
}

// A request marks the span of a server as failed unless its client has to act.
func TestRequests(t *testing.T) {
	e, read := metered(t)
	spans := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	defer func() { assert.NoError(t, provider.Shutdown(context.Background())) }()
	const limit = "PROVIDER_RATE_LIMIT"
	for _, tt := range []struct {
		request report.Request
		status  codes.Code
		kind    string // error.type of the span
		point   metricdata.DataPoint[int64]
	}{
		{report.Request{Domain: "aidf"}, codes.Unset, "", point(1, "errgen.fault=none")},
		{report.Request{Domain: "aidf", Code: limit, Failed: true, Fault: taxonomy.FaultClient}, codes.Unset, "",
			point(1, "errgen.fault=client", "error.type="+limit)},
		{report.Request{Domain: "aidf", Code: limit, Failed: true, Fault: taxonomy.FaultDependency}, codes.Error, limit,
			point(1, "errgen.fault=dependency", "error.type="+limit)},
		{report.Request{Domain: "aidf", Failed: true}, codes.Error, "_OTHER",
			point(1, "errgen.fault=server", "error.type=_OTHER")},
	} {
		spans.Reset()
		ctx, span := provider.Tracer("errgen").Start(t.Context(), "serve", trace.WithSpanKind(trace.SpanKindServer))
		e.Request(ctx, tt.request)
		span.End()
		ended := spans.GetSpans().Snapshots()[0]
		assert.Equal(t, tt.status, ended.Status().Code, "%v", tt.request)
		var want []attribute.KeyValue
		if tt.kind != "" {
			want = append(want, attribute.String("error.type", tt.kind))
		}
		assert.Equal(t, want, ended.Attributes(), "%v", tt.request)
		all := append(tt.point.Attributes.ToSlice(), attribute.String("errgen.domain", "aidf"),
			attribute.String("errgen.operation", "none"))
		tt.point.Attributes = attribute.NewSet(all...)
		assert.True(t, slices.ContainsFunc(read()["errgen.requests"].Data.(metricdata.Sum[int64]).DataPoints,
			func(p metricdata.DataPoint[int64]) bool {
				return p.Value == 1 && p.Attributes.Equals(&tt.point.Attributes)
			}),
			"%v", tt.request)
	}
	e.Request(t.Context(), report.Request{Failed: true}) // without a span
}

// recorded returns the span on which the occurrence was recorded.
func recorded(t *testing.T, o *report.Occurrence) sdktrace.ReadOnlySpan {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	defer func() { assert.NoError(t, provider.Shutdown(context.Background())) }()
	ctx, span := provider.Tracer("errgen").Start(t.Context(), "call")
	Record(ctx, o)
	span.End()
	require.Len(t, exporter.GetSpans(), 1)
	return exporter.GetSpans().Snapshots()[0]
}

func TestSpans(t *testing.T) {
	at := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name   string
		in     *report.Occurrence
		status sdktrace.Status
		kind   string
		event  map[string]string
	}{
		{"an error", &report.Occurrence{At: at, Code: "PROVIDER_RATE_LIMIT", Message: "slow down"},
			sdktrace.Status{Code: codes.Error, Description: "slow down"}, "PROVIDER_RATE_LIMIT",
			map[string]string{"exception.type": "PROVIDER_RATE_LIMIT", "exception.message": "slow down"}},
		{"with a stack", &report.Occurrence{At: at, Code: "X", Message: "m", Stack: "main.go:1"},
			sdktrace.Status{Code: codes.Error, Description: "m"}, "X",
			map[string]string{"exception.type": "X", "exception.message": "m", "exception.stacktrace": "main.go:1"}},
		{"of no taxonomy", &report.Occurrence{At: at, Message: "oh"},
			sdktrace.Status{Code: codes.Error, Description: "oh"}, "_OTHER",
			map[string]string{"exception.type": "error", "exception.message": "oh"}},
		{"a secret",
			&report.Occurrence{At: at, Code: "X", Message: "password=hunter2secret\xff",
				Stack: "token: ghp_0123456789abcdefghijklmnopqrstuvwxyz"},
			sdktrace.Status{Code: codes.Error, Description: "password=[REDACTED]\uFFFD"}, "X", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			span := recorded(t, c.in)
			if c.event != nil {
				assert.Equal(t, c.status, span.Status())
			}
			assert.Equal(t, []attribute.KeyValue{attribute.String("error.type", c.kind)}, span.Attributes())
			require.Len(t, span.Events(), 1)
			event := span.Events()[0]
			assert.Equal(t, "exception", event.Name)
			assert.Equal(t, at, event.Time.UTC())
			got := map[string]string{}
			for _, a := range event.Attributes {
				got[string(a.Key)] = a.Value.AsString()
			}
			if c.event != nil {
				assert.Equal(t, c.event, got)
			}
			all := fmt.Sprint(span.Status(), got)
			assert.NotContains(t, all, "hunter2")
			assert.NotContains(t, all, "ghp_")
		})
	}
}

func TestTextsOfSpansAreBounded(t *testing.T) {
	span := recorded(
		t, &report.Occurrence{Code: strings.Repeat("c", 1<<20), Message: strings.Repeat("m", 10<<20),
			Stack: strings.Repeat("s", 10<<20)})
	assert.LessOrEqual(t, len(span.Status().Description), maxText)
	for _, a := range append(span.Attributes(), span.Events()[0].Attributes...) {
		assert.LessOrEqual(t, len(a.Value.AsString()), maxText)
	}
}

func TestNoSpan(t *testing.T) {
	Record(t.Context(), limited("m"))
	Record(t.Context(), nil)
	assert.Equal(t, codes.Unset, recorded(t, nil).Status().Code)
}
