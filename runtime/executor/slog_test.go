package executor_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// logged returns what the observer logs of events, without the times.
func logged(table taxonomy.Table, least slog.Level, events ...executor.Event) []string {
	var b bytes.Buffer
	handler := slog.NewTextHandler(
		&b, &slog.HandlerOptions{Level: least, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})
	o := executor.Slog(slog.New(handler), table)
	for _, e := range events {
		o.Observe(e)
	}
	if b.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// taken is the event of an error of the shipped taxonomy whose reaction is taken.
func taken(table taxonomy.Table, ev taxonomy.Evidence) executor.Event {
	err := errs.Classify(ev)
	r := table.Reaction(err)
	return executor.Event{
		Kind: executor.ReactionTaken, Run: "r", Task: "t", Iteration: 2, Op: ev.Op, Source: ev.Source, Err: err,
		Reaction: r, Action: r.Action,
	}
}

func TestSlogSaysWhatTheReactionSays(t *testing.T) {
	for _, c := range []struct {
		name string
		ev   taxonomy.Evidence
		want string
	}{
		{"a configuration that is wrong",
			taxonomy.Evidence{Source: "config", Op: "load_config", Type: "missing",
				Attributes: map[string]string{"path": "c.yml"}},
			`level=ERROR msg="configuration file not found: c.yml" event=reaction_taken run=r task=t iteration=2 ` +
				`op=load_config source=config code=CONFIG_MISSING category=config reaction=stop_all action=abort`},
		{"a rate limit", taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: 429},
			`level=INFO msg="Rate limited, waiting..." event=reaction_taken run=r task=t iteration=2 op=call ` +
				`source=anthropic-api code=PROVIDER_RATE_LIMIT category=provider error="provider anthropic-api ` +
				`limits the rate" reaction=wait action=retry`},
		{"a timeout",
			taxonomy.Evidence{Source: "executor", Op: "call", Type: "timeout",
				Attributes: map[string]string{"iteration": "2", "timeout_ms": "300000"}},
			`level=WARN`},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := logged(errs.Table, slog.LevelDebug, taken(errs.Table, c.ev))
			require.Len(t, lines, 1)
			assert.Contains(t, lines[0], c.want)
		})
	}
}

func TestSlogOfQuietReactions(t *testing.T) {
	e := taken(errs.Table, taxonomy.Evidence{Source: "git", Op: "push", ExitCode: taxonomy.Some(1)})
	e.Reaction = taxonomy.Reaction{Action: taxonomy.Retry}
	e.UsedUp, e.Until = true, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	lines := logged(errs.Table, slog.LevelDebug, e)
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], "level=DEBUG")
	assert.Contains(t, lines[0], "reaction=retry action=retry_operation used_up=true until=2026-01-02T03:04:05.000Z")
	assert.Empty(t, logged(errs.Table, slog.LevelInfo, e))
}

func TestSlogOfErrorsWithoutCode(t *testing.T) {
	lines := logged(errs.Table, slog.LevelDebug, executor.Event{
		Kind: executor.ReactionTaken, Err: errors.New("token=abc123def\nx"),
		Reaction: taxonomy.Reaction{Action: taxonomy.Retry, LogLevel: taxonomy.LogWarn},
	})
	assert.Equal(
		t, []string{`level=WARN msg="token=[REDACTED]\nx" event=reaction_taken code="" category="" reaction=retry ` +
			`action=abort`}, lines)
}

func TestSlogOfEveryEvent(t *testing.T) {
	err := errs.Classify(
		taxonomy.Evidence{Source: "git", Op: "commit", ExitCode: taxonomy.Some(128), Text: "fatal: no"})
	for _, c := range []struct {
		event executor.Event
		want  string
	}{
		{executor.Event{Kind: executor.RunStarted, Run: "r", Text: "resumed"},
			`level=INFO msg=run_started event=run_started run=r text=resumed`},
		{executor.Event{Kind: executor.IterationStarted, Iteration: 1, Tier: "opus"},
			`level=INFO msg=iteration_started event=iteration_started iteration=1 tier=opus`},
		{executor.Event{Kind: executor.CallEnded, Call: 1, Source: "p", Took: 1234567 * time.Microsecond},
			`level=DEBUG msg=call_ended event=call_ended call=1 source=p took=1.235s`},
		{executor.Event{Kind: executor.ErrorClassified, Op: "commit", Source: "git", Err: err, Text: "rule X/1"},
			`level=DEBUG msg=error_classified event=error_classified op=commit source=git code=GIT_COMMIT_FAILED ` +
				`category=git error="` + err.Error() + `" text="rule X/1"`},
		{executor.Event{Kind: executor.Reverted, Files: []string{"a", "b"}},
			`level=INFO msg=reverted event=reverted files="[a b]"`},
		{executor.Event{Kind: executor.Warned, Text: "the journal is behind", Err: errors.New("full")},
			`level=WARN msg="the journal is behind" event=warned code="" category="" error=full`},
		{executor.Event{Kind: executor.Validated, Op: "validate_pre_commit", Err: errors.New("exit 1")},
			`level=WARN msg=validated event=validated op=validate_pre_commit code="" category="" error="exit 1"`},
		{executor.Event{Kind: executor.Recovered, Text: "reduce"},
			`level=INFO msg=recovered event=recovered text=reduce`},
		{executor.Event{Kind: executor.Recovered, Text: "reduce", For: err, Attempt: 1, MaxAttempts: 3,
			Err: errors.New("no")},
			`level=WARN msg=recovered event=recovered code="" category="" error=no for=GIT_COMMIT_FAILED attempt=1 ` +
				`max_attempts=3 text=reduce`},
		{executor.Event{Kind: executor.Prevented, Text: "wait 2s", Code: "C"},
			`level=INFO msg=prevented event=prevented likely=C text="wait 2s"`},
		{executor.Event{Kind: executor.RunEnded,
			Result: &executor.Result{Status: executor.StatusFailed, EndReason: executor.EndFatal, ErrorCode: "C",
				ErrorCategory: "c", Error: "e", Iterations: 3, ErrorCount: 2}},
			`level=ERROR msg=run_ended event=run_ended status=failed end_reason=fatal code=C category=c error=e ` +
				`iterations=3 errors=2`},
		{executor.Event{Kind: executor.RunEnded,
			Result: &executor.Result{Status: executor.StatusBlocked, EndReason: executor.EndBlocked}},
			`level=WARN msg=run_ended event=run_ended status=blocked end_reason=blocked`},
		{executor.Event{Kind: executor.RunEnded,
			Result: &executor.Result{Status: executor.StatusCompleted, EndReason: executor.EndCompleted}},
			`level=INFO msg=run_ended event=run_ended status=completed end_reason=completed`},
		{executor.Event{Kind: executor.RunEnded}, `level=INFO msg=run_ended event=run_ended`},
	} {
		assert.Equal(t, []string{c.want}, logged(errs.Table, slog.LevelDebug, c.event), string(c.event.Kind))
	}
}

func TestSlogAsTheProfileReports(t *testing.T) {
	table := errs.Table
	table.Overlay = &taxonomy.Profile{Reporting: taxonomy.Reporting{LogLevel: taxonomy.LogWarn, Context: true}}
	limit := taken(errs.Table, taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: 429})
	assert.Empty(t, logged(table, slog.LevelDebug, limit), "the profile finds info too quiet")
	missing := taken(
		errs.Table,
		taxonomy.Evidence{Source: "config", Op: "load_config", Type: "missing",
			Attributes: map[string]string{"path": "c.yml"}})
	lines := logged(table, slog.LevelDebug, missing)
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], `context="{\"configPath\":\"c.yml\"}"`)
	table.Overlay = &taxonomy.Profile{}
	assert.Len(t, logged(table, slog.LevelDebug, limit), 1, "a profile that does not say changes nothing")
}
