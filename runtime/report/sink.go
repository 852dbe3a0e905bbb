package report

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Sink receives occurrences. A [Reporter] and the exporters are sinks. Implementations are safe for
// concurrent use, return quickly, and do not change occurrences.
type Sink interface {
	// Report receives a new occurrence.
	Report(o *Occurrence)
	// Update receives a reported occurrence, identified by its ID, with another Recovery. It must
	// not count the occurrence again.
	Update(o *Occurrence)
	// Retried receives a retried operation after its last call.
	Retried(r Retry)
}

// Retry is an operation that was retried.
type Retry struct {
	// Reaction and Action are those of the failure before the last call, or empty.
	Reaction, Action string
	// Attempts is the number of calls after the first. If it is 0, nothing is counted.
	Attempts int
	// Succeeded reports whether the last call succeeded.
	Succeeded bool
}

// CountRetries returns a function for [retry.WithNotify] that reports each operation that was
// retried to the sink, after its last call. Several calls of [retry.Do] can share it.
func CountRetries(sink Sink) func(retry.Attempt) {
	return func(a retry.Attempt) {
		if a.Number > 1 && (a.Last || a.Err == nil) {
			sink.Retried(Retry{Attempts: a.Number - 1, Succeeded: a.Err == nil})
		}
	}
}

// Sinks passes everything to several sinks, in order.
type Sinks []Sink

// Report passes on an occurrence, masked once for all sinks.
func (s Sinks) Report(o *Occurrence) {
	if o == nil {
		return
	}
	o = masked(o)
	for _, sink := range s {
		sink.Report(o)
	}
}

// Update passes on an update.
func (s Sinks) Update(o *Occurrence) {
	for _, sink := range s {
		sink.Update(o)
	}
}

// Retried passes on a retried operation.
func (s Sinks) Retried(r Retry) {
	for _, sink := range s {
		sink.Retried(r)
	}
}

// Log returns a function that logs and reports the errors of a server or a worker. operation names
// the route, the method or the job. The level is [slog.LevelInfo] if the status of the error and
// that of its public view are below 500, otherwise [slog.LevelError], with the stack of a panic. An
// error of a cancelled context is ignored, because a client or the program ended the operation. The
// sink may be nil.
func Log(l *slog.Logger, sink Sink, t taxonomy.Table) func(ctx context.Context, operation string, err error) {
	return func(ctx context.Context, operation string, err error) {
		if err == nil || ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return
		}
		level, attrs := slog.LevelError, []slog.Attr{slog.String("op", operation), slog.Any("err", err)}
		if max(taxonomy.HTTPStatus(err), t.Public(err).HTTPStatus()) < http.StatusInternalServerError {
			level = slog.LevelInfo
		}
		if p, ok := errors.AsType[*taxonomy.Panic](err); ok {
			attrs = append(attrs, slog.String("stack", string(p.Stack)))
		}
		for i := range attrs {
			attrs[i] = taxonomy.ReplaceAttr(nil, attrs[i])
		}
		l.LogAttrs(ctx, level, "failed", attrs...)
		if sink != nil {
			sink.Report(New(err, Options{Table: t}))
		}
	}
}
