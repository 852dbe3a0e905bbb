package executor

import (
	"cmp"
	"context"
	"log/slog"
	"reflect"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/executor/internal/describe"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Observer observes the events of runs, in their order. The run waits for it, so it must return
// quickly. It is called by one goroutine at a time for each run. Runs that share it may call it
// concurrently.
type Observer interface {
	Observe(e Event)
}

// Observers returns an observer that calls all the observers, in their order. It skips nil
// observers. A panic of an observer does not affect the others.
func Observers(all ...Observer) Observer {
	return observers(slices.DeleteFunc(slices.Clone(all), func(o Observer) bool { return o == nil }))
}

type observers []Observer

// Observe calls the observers.
func (all observers) Observe(e Event) {
	for _, o := range all {
		ignorePanic(func() { o.Observe(e) })
	}
}

// Slog returns an observer that logs events.
//
// An error is logged when its reaction is taken, with the level and the message of the reaction. If
// the reaction has no message, the message is the error's. Code and category are attributes. Events
// below the log level of table's profile are dropped. If the profile reports contexts, the error's context is logged,
// unless it is longer than 64 KiB. Secrets are masked everywhere.
func Slog(logger *slog.Logger, table taxonomy.Table) Observer {
	s := &slogObserver{logger: logger, minLevel: slog.LevelDebug, context: table.ReportsContext()}
	if p := table.Overlay; p != nil {
		s.minLevel = describe.Level(p.Reporting.LogLevel)
	}
	return s
}

type slogObserver struct {
	logger   *slog.Logger
	minLevel slog.Level
	context  bool // whether the error's context is logged
}

// Observe logs e.
func (s *slogObserver) Observe(e Event) {
	level, ctx := describe.Severity(e), context.Background()
	if level < s.minLevel || !s.logger.Enabled(ctx, level) {
		return
	}
	message := describe.Event(e)
	if e.Kind == ReactionTaken {
		message = text.Beginning(cmp.Or(e.Reaction.LogMessage, text.Error(e.Err, maxMessage)), maxMessage)
	}
	s.logger.LogAttrs(ctx, level, message, s.attrs(e)...)
}

// attrs returns the attributes of an event, without zero values.
func (s *slogObserver) attrs(e Event) []slog.Attr {
	a := attrList{}.with("event", string(e.Kind), "run", e.Run, "task", e.Task, "iteration", e.Iteration,
		"op", e.Op, "source", e.Source, "tier", e.Tier)
	if e.Err != nil {
		a = append(a, slog.String("code", text.Masked(taxonomy.CodeOf(e.Err))),
			slog.String("category", text.Masked(taxonomy.CategoryOf(e.Err))))
		if e.Kind != ReactionTaken || e.Reaction.LogMessage != "" {
			a = a.with("error", text.Error(e.Err, maxMessage))
		}
		s.errorContext(&a, e)
	}
	if e.Kind == ReactionTaken {
		a = a.with("reaction", cmp.Or(e.Reaction.Name, e.Reaction.Action.String()), "action", e.Action.String(),
			"exhausted", e.Exhausted)
	}
	if e.For != nil {
		a = a.with("for", taxonomy.CodeOf(e.For))
	}
	a = a.with("attempt", e.Attempt, "max_attempts", e.MaxAttempts)
	if e.Kind != Warned {
		a = a.with("text", e.Text)
	}
	if len(e.Files) > 0 {
		a = append(a, slog.Any("files", loop.MaskedPaths(e.Files)))
	}
	a = a.with("until", e.Until, "took", e.Took.Round(time.Millisecond))
	if r := e.Result; r != nil {
		a = a.with("status", string(r.Status), "end_reason", string(r.EndReason), "code", r.ErrorCode,
			"category", r.ErrorCategory, "error", r.Error, "iterations", r.Iterations, "errors", r.ErrorCount,
			"commits", len(r.Commits), "warnings", len(r.Warnings))
	}
	return a
}

func (s *slogObserver) errorContext(a *attrList, e Event) {
	if !s.context || e.Kind != ReactionTaken && e.Kind != Warned {
		return
	}
	coded, _ := taxonomy.First(e.Err, nil)
	if own, ok := coded.(taxonomy.Error); ok {
		if shown := maskedDetails(own.AppendContext(nil)); shown != nil {
			*a = append(*a, slog.Any("context", shown))
		}
	}
}

// attrList collects attributes.
type attrList []slog.Attr

// with appends the pairs of a key and a value whose value is not zero. It masks texts.
func (a attrList) with(pairs ...any) attrList {
	for i := 0; i < len(pairs); i += 2 {
		value := pairs[i+1]
		if reflect.ValueOf(value).IsZero() {
			continue
		}
		if s, ok := value.(string); ok {
			value = taxonomy.Redact(s)
		}
		a = append(a, slog.Any(pairs[i].(string), value))
	}
	return a
}
