package scenarios_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/notify"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// TestResultRows tests rows A93 to A98.
func TestResultRows(t *testing.T) {
	t.Parallel()
	t.Run("A93 the error of a call keeps its text, and has category and code", func(t *testing.T) {
		r := newLight(t, answered(503), theEnd).run()
		require.Len(t, r.Errors, 1)
		assert.Equal(t, []string{"provider", "PROVIDER_API_ERROR"}, []string{r.Errors[0].Category, r.Errors[0].Code})
		assert.Contains(t, r.Errors[0].Message, "503")
	})
	t.Run("A94 the result has category, code and details beside the text", func(t *testing.T) {
		b, err := json.Marshal(newLight(t, answered(404)).run())
		require.NoError(t, err)
		var got struct {
			Error, ErrorCategory, ErrorCode string
			ErrorDetails                    map[string]any
		}
		require.NoError(t, json.Unmarshal(b, &got))
		assert.Contains(t, got.Error, "404")
		assert.Equal(t, "provider", got.ErrorCategory)
		assert.Equal(t, "PROVIDER_API_ERROR", got.ErrorCode)
		assert.EqualValues(t, 404, got.ErrorDetails["statusCode"])
	})
	t.Run("A95 who knows nothing of the new fields works as before", func(t *testing.T) {
		b, err := json.Marshal(newLight(t, theEnd).run())
		require.NoError(t, err)
		for _, field := range []string{`"error"`, "errorCategory", "errorCode", "errorDetails"} {
			assert.NotContains(t, string(b), field)
		}
		r := newLight(t, executor.Answer{Failure: "no luck"}).run()
		assert.Equal(t, []string{"no luck", "", ""}, []string{r.Error, r.ErrorCategory, r.ErrorCode})
		assert.Empty(t, r.ErrorDetails)
	})
	t.Run("A96 B-A32 every end that is no success has category and code", func(t *testing.T) {
		ends := map[executor.EndReason]func() *executor.Result{
			executor.EndFatal:       func() *executor.Result { return newLight(t, answered(404)).run() },
			executor.EndMaxFailures: func() *executor.Result { return newLight(t, answered(500)).run() },
			executor.EndRetriesUsedUp: func() *executor.Result {
				l := newLight(t, answered(500))
				l.cfg.Limits.Failures = 9
				return l.run()
			},
			executor.EndAttemptsUsedUp: func() *executor.Result {
				l := newLight(t, answered(500))
				l.cfg.Limits.Attempts = 2
				return l.run()
			},
			executor.EndMaxIterations: func() *executor.Result {
				l := newLight(t, answered(429))
				l.cfg.Limits.Iterations = 2
				return l.run()
			},
			executor.EndDeadline: func() *executor.Result {
				l := newLight(t, answered(429))
				l.cfg.Limits.Run = 6 * time.Second
				return l.run()
			},
			executor.EndBlocked: func() *executor.Result {
				return newLight(t, answered(500)).overridden(`{"codes":{"PROVIDER_API_ERROR":"block"}}`).
					run()
			},
		}
		for reason, run := range ends {
			r := run()
			assert.Equal(t, reason, r.EndReason)
			assert.Equal(t, "provider", r.ErrorCategory, reason)
			assert.NotEmpty(t, r.ErrorCode, reason)
			assert.NotContains(t, r.Error, "reached", "the real error, not that a limit was: %s", reason)
		}
	})
	t.Run("A97 the category is there for a command line, for notifications and for who runs several",
		func(t *testing.T) {
			r := newLight(t, answered(401)).run()
			assert.Equal(t, "permission", taxonomy.CategoryOf(r.Err))
			assert.True(t, r.EndsRun)
			assert.Equal(t, "permission", notify.NewMessage(r).Category)
		})
	t.Run("A98 a provider needs nothing but what it had", func(t *testing.T) {
		_, more := any(&speaker{}).(executor.Credentialed)
		assert.False(t, more)
		assert.Equal(t, executor.EndCompleted, newLight(t, executor.Answer{Signal: executor.SignalDone}).run().
			EndReason)
	})
}

func retryAfter(d time.Duration) *taxonomy.Evidence {
	ev := answered(429)
	ev.RetryAfter = taxonomy.Some(d)
	return ev
}

// TestPolicyRows tests rows about limits and about what can be configured.
func TestPolicyRows(t *testing.T) {
	t.Parallel()
	t.Run("A113 categories behave differently", func(t *testing.T) {
		seen := map[string]bool{}
		for _, says := range []any{
			&taxonomy.Evidence{Source: "config", Op: "load_config", Type: "parse"}, answered(401), timedOut(),
			answered(429), answered(500), answered(404),
			&taxonomy.Evidence{Source: "validator", Op: "validate_pre_commit", Type: "exit"},
			&taxonomy.Evidence{Source: "scope", Op: "scope", Type: "forbidden", Files: []string{"a"}},
			&taxonomy.Evidence{Source: "git", Op: "commit"},
		} {
			l := newLight(t, says)
			l.run()
			seen[l.seen.reactions()[0]] = true
		}
		assert.GreaterOrEqual(t, len(seen), 6, seen)
	})
	t.Run("A116 reactions are data, and a run may have its own", func(t *testing.T) {
		l := newLight(t, timedOut()).overridden(`{"codes":{"timeout":"stop"}}`)
		assert.Equal(t, executor.EndFatal, l.run().EndReason)
		l = newLight(t, timedOut())
		l.cfg.Table, _ = errs.Table.Profile("strict")
		r := l.run()
		assert.Equal(t, []any{executor.StatusBlocked, 1}, []any{r.Status, r.Calls}, "a profile that retries nothing")
		l = newLight(t, answered(429), theEnd).overridden(`{"policies":{"rate_limit":{"initial_delay":"7s"}}}`)
		l.run()
		assert.Equal(t, []time.Duration{7 * time.Second}, l.clock.slept())
	})
	t.Run("A117 backoff fits on top by data alone", func(t *testing.T) {
		l := newLight(t, timedOut(), timedOut(), theEnd).overridden(
			`{"codes":{"timeout":"backoff"},` +
				`"policies":{"api":{"initial_delay":"3s","max_delay":"1m","multiplier":3,"jitter":0}}}`)
		l.run()
		assert.Equal(t, []time.Duration{3 * time.Second, 9 * time.Second}, l.clock.slept())
	})
	t.Run("B-X02 waits are on a clock that is given, and end with their context", func(t *testing.T) {
		l := newLight(t, answered(429))
		ctx, cancel := context.WithCancel(t.Context())
		l.clock.during = func(time.Duration) { cancel() }
		e, err := executor.New(l.cfg)
		require.NoError(t, err)
		r := e.Run(ctx, executor.Task{Prompt: thePrompt})
		assert.Equal(t, []any{executor.EndCancelled, executor.StatusCancelled, 0},
			[]any{r.EndReason, r.Status, r.Failures})
	})
	t.Run("B-A31 a dry run has an end of its own", func(t *testing.T) {
		l := newLight(t, theEnd)
		l.cfg.DryRun = true
		r := l.run()
		assert.Equal(t, []any{executor.StatusCompleted, executor.EndDryRun}, []any{r.Status, r.EndReason})
		assert.Contains(t, r.Text, thePrompt)
		assert.Empty(t, l.p.prompts)
	})
	t.Run("A118 one limit of a credential holds everybody who uses it", func(t *testing.T) {
		clock := &jumpingClock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
		lanes := retry.NewSharedWait(clock, noJitter)
		first, second := newLight(t, retryAfter(time.Minute), theEnd), newLight(t, theEnd)
		for _, l := range []*light{first, second} {
			l.cfg.Admission.Lanes, l.cfg.Clock = lanes, clock
		}
		begun := false
		clock.during = func(time.Duration) {
			if !begun {
				begun = true
				second.run()
			}
		}
		first.run()
		require.NotEmpty(t, clock.slept())
		assert.GreaterOrEqual(t, clock.slept()[0], time.Minute, "the second was not limited, and waits")
		require.Len(t, second.seen.of(executor.Waiting), 1)
		assert.Equal(t, "lane", second.seen.of(executor.Waiting)[0].Text)
	})
}

// TestMessageRows tests rows A146 to A149.
func TestMessageRows(t *testing.T) {
	t.Parallel()
	r := newLight(t, timedOut()).run()
	t.Run("A146 A147 the notification has category and code", func(t *testing.T) {
		m := notify.NewMessage(r)
		assert.Equal(t, []string{"timeout", "ITERATION_TIMEOUT"}, []string{m.Category, m.Code})
	})
	t.Run("A148 B-A02b the category is in front, in capitals, and the status is the true one", func(t *testing.T) {
		assert.Equal(t, "[TIMEOUT] Task blocked: iteration 1 exceeded the limit of 1s", notify.NewMessage(r).Text)
		failed := newLight(t, &taxonomy.Evidence{Source: "git", Op: "revert", Text: "no"}).run()
		assert.True(t, strings.HasPrefix(notify.NewMessage(failed).Text, "[GIT] Task failed: git revert failed"))
	})
	t.Run("A149 without a category there is none", func(t *testing.T) {
		m := notify.NewMessage(newLight(t, executor.Answer{Failure: "no luck"}).run())
		assert.Equal(t, "Task blocked: no luck", m.Text)
	})
	t.Run("B-A15 people are told when the result is complete, and every channel has the fields", func(t *testing.T) {
		var told executor.Result
		l := newLight(t, answered(404))
		l.cfg.Notifier = notifierFunc(func(r *executor.Result) error {
			told = *r
			return errors.New("no")
		})
		r := l.run()
		assert.Equal(t, r.ErrorCode, told.ErrorCode)
		assert.Equal(t, r.Status, told.Status)
		assert.False(t, told.EndedAt.IsZero())
		require.Len(t, r.Warnings, 1, "that it failed changes nothing")
	})
}

type notifierFunc func(r *executor.Result) error

func (f notifierFunc) Notify(_ context.Context, r *executor.Result) error { return f(r) }
