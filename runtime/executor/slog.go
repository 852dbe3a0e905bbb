package executor

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Slog returns an observer that logs events.
//
// An error is logged when its reaction is taken, with the level and the message of the reaction. If
// the reaction has no message, the message is the error's. Code and category are attributes. Other
// events have the text of [Describe] and the level of [Severity]. Events below the log level of
// table's profile are dropped. If the profile reports contexts, the error's context is logged,
// unless it is longer than 64 KiB. Secrets are masked everywhere.
func Slog(logger *slog.Logger, table taxonomy.Table) Observer {
	s := &slogObserver{logger: logger, least: slog.LevelDebug}
	if p := table.Overlay; p != nil {
		s.context = p.Reporting.Context
		s.least = levelOf(p.Reporting.LogLevel)
	}
	return s
}

type slogObserver struct {
	logger  *slog.Logger
	least   slog.Level
	context bool
}

// Observe logs e.
func (s *slogObserver) Observe(e Event) {
	level, ctx := Severity(e), context.Background()
	if level < s.least || !s.logger.Enabled(ctx, level) {
		return
	}
	message := Describe(e)
	if e.Kind == ReactionTaken {
		message = text.Beginning(cmp.Or(e.Reaction.LogMessage, text.Error(e.Err, maxMessage)), maxMessage)
	}
	s.logger.LogAttrs(ctx, level, message, s.attrs(e)...)
}

// attrs returns the attributes of an event, without zero values.
func (s *slogObserver) attrs(e Event) []slog.Attr {
	a := make(attrList, 0, 16)
	a.text("event", string(e.Kind))
	a.text("run", e.Run)
	a.text("task", e.Task)
	a.number("iteration", e.Iteration)
	a.number("call", e.Call)
	a.text("op", e.Op)
	a.text("source", e.Source)
	a.text("tier", e.Tier)
	if e.Err != nil {
		a = append(a, slog.String("code", text.Masked(taxonomy.CodeOf(e.Err))),
			slog.String("category", text.Masked(taxonomy.CategoryOf(e.Err))))
		if e.Kind != ReactionTaken || e.Reaction.LogMessage != "" {
			a.text("error", text.Error(e.Err, maxMessage))
		}
		s.errorContext(&a, e)
	}
	if e.Kind == ReactionTaken {
		a.text("reaction", cmp.Or(e.Reaction.Name, e.Reaction.Action.String()))
		a.text("action", e.Action.String())
		if e.Exhausted {
			a = append(a, slog.Bool("exhausted", true))
		}
	}
	if e.For != nil {
		a.text("for", taxonomy.CodeOf(e.For))
	}
	a.number("attempt", e.Attempt)
	a.number("max_attempts", e.MaxAttempts)
	a.text("likely", e.Code)
	if e.Kind != Warned {
		a.text("text", e.Text)
	}
	if len(e.Files) > 0 {
		a = append(a, slog.Any("files", maskedPaths(e.Files)))
	}
	if !e.Until.IsZero() {
		a = append(a, slog.Time("until", e.Until))
	}
	if e.Took > 0 {
		a = append(a, slog.Duration("took", e.Took.Round(time.Millisecond)))
	}
	a.number("failures", e.Failures)
	a.result(e.Result)
	return a
}

func (s *slogObserver) errorContext(a *attrList, e Event) {
	if !s.context || e.Kind != ReactionTaken && e.Kind != Warned {
		return
	}
	coded, _ := taxonomy.First(e.Err, nil)
	if own, ok := coded.(taxonomy.Error); ok {
		ignorePanic(func() {
			if shown := maskedDetails(own.AppendContext(nil)); shown != nil {
				*a = append(*a, slog.Any("context", shown))
			}
		})
	}
}

// attrList collects attributes.
type attrList []slog.Attr

func (a *attrList) text(key, value string) {
	if value != "" {
		*a = append(*a, slog.String(key, taxonomy.Redact(value)))
	}
}

func (a *attrList) number(key string, value int) {
	if value != 0 {
		*a = append(*a, slog.Int(key, value))
	}
}

func (a *attrList) result(r *Result) {
	if r == nil {
		return
	}
	a.text("status", string(r.Status))
	a.text("end_reason", string(r.EndReason))
	a.text("code", r.ErrorCode)
	a.text("category", r.ErrorCategory)
	a.text("error", r.Error)
	a.number("iterations", r.Iterations)
	a.number("errors", r.ErrorCount)
	a.number("commits", len(r.Commits))
	a.number("warnings", len(r.Warnings))
}
