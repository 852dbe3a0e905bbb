package report

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/errgen/errgen/runtime/taxonomy"
)

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
