package executor

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Slog returns an observer that logs what happens.
//
// An error is logged when its reaction is taken, at the level and with the message that the
// reaction gives, or else with the error's own message; code and category are always beside it. Of
// a reaction that says nothing, and of everything that is classified, there is a line at debug. The
// other events have levels of their own: info for what a person would follow a run by, warn for
// warnings, debug for the rest. What the profile of table finds too quiet is left out; if it
// reports contexts, the error's is logged, as its JSON has it. What looks like a secret is masked
// in all of it, whether or not a field is declared to be, and a context of more than 64 KiB is left
// out.
func Slog(logger *slog.Logger, table taxonomy.Table) Observer {
	s := &slogObserver{logger: logger, least: slog.LevelDebug}
	if p := table.Overlay; p != nil {
		s.context = p.Reporting.Context
		s.least = levelOf(p.Reporting.LogLevel)
	}
	return s
}

type slogObserver struct {
	logger *slog.Logger
	// least is the least level that is logged.
	least   slog.Level
	context bool
}

// levelOf returns the level of a reaction; one that says nothing is heard at debug.
func levelOf(l taxonomy.LogLevel) slog.Level {
	switch l {
	case taxonomy.LogInfo:
		return slog.LevelInfo
	case taxonomy.LogWarn:
		return slog.LevelWarn
	case taxonomy.LogError:
		return slog.LevelError
	}
	return slog.LevelDebug
}

// Observe logs e.
func (s *slogObserver) Observe(e Event) {
	level := eventLevel(e)
	ctx := context.Background()
	if level < s.least || !s.logger.Enabled(ctx, level) {
		return
	}
	s.logger.LogAttrs(ctx, level, eventMessage(e), s.attrs(e)...)
}

// eventLevel returns how loud an event is.
func eventLevel(e Event) slog.Level {
	switch e.Kind {
	case ReactionTaken:
		return levelOf(e.Reaction.LogLevel)
	case Warned:
		return slog.LevelWarn
	case RunEnded:
		return resultLevel(e.Result)
	case Asked, Committed, Escalated, IterationStarted, PROpened, Paused, Pushed, Reverted, RunStarted, Unpaused:
		return slog.LevelInfo
	case Prevented, Recovered, Validated:
		if e.Err != nil {
			return slog.LevelWarn
		}
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// resultLevel returns how loud the end of a run is.
func resultLevel(r *Result) slog.Level {
	if r == nil {
		return slog.LevelInfo
	}
	switch r.Status {
	case StatusFailed:
		return slog.LevelError
	case StatusBlocked:
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

// eventMessage returns what is said of an event: of a reaction its own words.
func eventMessage(e Event) string {
	switch e.Kind {
	case ReactionTaken:
		if e.Reaction.LogMessage != "" {
			return taxonomy.Redact(e.Reaction.LogMessage)
		}
		if e.Err != nil {
			return text.Error(e.Err, maxMessage)
		}
	case Warned:
		if e.Text != "" {
			return taxonomy.Redact(e.Text)
		}
	}
	return string(e.Kind)
}

// attrs returns the attributes of an event; what does not apply is left out.
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
	a.failure(e)
	s.failureContext(&a, e)
	if e.Kind == ReactionTaken {
		a.reaction(e)
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

// failureContext adds the error's context, where the profile wants it.
func (s *slogObserver) failureContext(a *attrList, e Event) {
	if !s.context || e.Err == nil || e.Kind != ReactionTaken && e.Kind != Warned {
		return
	}
	coded, ok := taxonomy.First(e.Err, nil)
	if !ok {
		return
	}
	if own, ok := coded.(taxonomy.Error); ok {
		if shown := contextOf(own); shown != nil {
			*a = append(*a, slog.Any("context", shown))
		}
	}
}

// contextOf returns an error's context as it may be shown, or nil. Fields are masked where they are
// declared so; that what came from elsewhere into another one is no secret is nobody's promise.
func contextOf(own taxonomy.Error) (shown json.RawMessage) {
	_ = contained(operation{}, func() error {
		shown = maskedDetails(own.AppendContext(nil))
		return nil
	})
	return shown
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

// failure adds which error it was; its message where the line does not consist of it.
func (a *attrList) failure(e Event) {
	if e.Err == nil {
		return
	}
	*a = append(*a, slog.String("code", text.Masked(taxonomy.CodeOf(e.Err))),
		slog.String("category", text.Masked(taxonomy.CategoryOf(e.Err))))
	if e.Kind != ReactionTaken || e.Reaction.LogMessage != "" {
		a.text("error", text.Error(e.Err, maxMessage))
	}
}

func (a *attrList) reaction(e Event) {
	a.text("reaction", cmp.Or(e.Reaction.Name, e.Reaction.Action.String()))
	*a = append(*a, slog.String("action", e.Action.String()))
	if e.UsedUp {
		*a = append(*a, slog.Bool("used_up", true))
	}
}

func (a *attrList) result(r *Result) {
	if r == nil {
		return
	}
	*a = append(*a, slog.String("status", string(r.Status)), slog.String("end_reason", string(r.EndReason)))
	a.text("code", r.ErrorCode)
	a.text("category", r.ErrorCategory)
	a.text("error", r.Error)
	a.number("iterations", r.Iterations)
	a.number("errors", r.ErrorCount)
	a.number("commits", len(r.Commits))
	a.number("warnings", len(r.Warnings))
}
