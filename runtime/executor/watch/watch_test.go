package watch_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/watch"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var moment = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// clock is a clock on which only sleeps take time.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	return ctx.Err()
}

// sink records the reported occurrences.
type sink struct {
	reported, updated []*report.Occurrence
	retried           []string
}

func (s *sink) Report(o *report.Occurrence) { s.reported = append(s.reported, o) }
func (s *sink) Update(o *report.Occurrence) { s.updated = append(s.updated, o) }
func (s *sink) Retried(r report.Retry) {
	s.retried = append(s.retried, fmt.Sprint(r.Reaction, " ", r.Attempts, " ", r.Succeeded))
}

// provider fails with one error after another, and then completes the task.
type provider struct{ failures []error }

func (p *provider) Name() string                    { return "anthropic-api" }
func (p *provider) Available(context.Context) error { return nil }

func (p *provider) Call(context.Context, executor.Request) (executor.Answer, error) {
	if len(p.failures) == 0 {
		return executor.Answer{Signal: executor.SignalDone,
			Usage: executor.Usage{CostUSD: taxonomy.Some(.5), OutputTokens: taxonomy.Some[int64](7)}}, nil
	}
	err := p.failures[0]
	p.failures = p.failures[1:]
	return executor.Answer{}, err
}

// D155: the errors, retries and timelines of an executor's runs.
func TestExecutor(t *testing.T) {
	limited := func() error { return &taxonomy.Evidence{Status: 529, Type: "overloaded_error"} }
	forbidden := &taxonomy.Evidence{Status: 401, Type: "authentication_error", Text: "no"}
	for name, tt := range map[string]struct {
		failures []error
		codes    []string
		retried  []string
		spans    []string
	}{
		"no failure": {nil, nil, nil, []string{"call "}},
		"succeeds": {[]error{limited(), limited()}, []string{"PROVIDER_API_ERROR", "PROVIDER_API_ERROR"},
			[]string{"backoff 2 true"}, []string{"call PROVIDER_API_ERROR", "wait ", "call PROVIDER_API_ERROR", "wait ",
				"call "}},
		"given up": {[]error{limited(), forbidden}, []string{"PROVIDER_API_ERROR", "PERMISSION_API_AUTH"},
			[]string{"backoff 1 false"}, []string{"call PROVIDER_API_ERROR", "wait ", "call PERMISSION_API_AUTH"}},
		"not retried": {[]error{forbidden}, []string{"PERMISSION_API_AUTH"}, nil, []string{"call PERMISSION_API_AUTH"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got sink
			var runs report.Runs
			x, err := executor.New(executor.Config{
				Table: errs.Table, Classify: detect.Classifier(errs.Explain), Provider: &provider{tt.failures},
				Clock: &clock{
					moment,
				}, Observer: watch.Observer(watch.Options{Table: errs.Table, Sink: &got, Runs: &runs,
					Facts: func(executor.Event) report.Facts {
						return report.Facts{Metadata: map[string]any{"mode": "test"}}
					}}),
			})
			require.NoError(t, err)
			result := x.Run(t.Context(), executor.Task{Run: "run-1", ID: "task-1", Prompt: "do it"})
			var codes, spans []string
			for _, o := range got.reported {
				codes = append(codes, o.Code)
				assert.Equal(t, &report.Source{Type: "anthropic-api", Component: "call"}, o.Source)
				for name, want := range map[string]any{"mode": "test", "run": "run-1", "task": "task-1", "op": "call"} {
					assert.Equal(t, want, o.Metadata[name], name)
				}
			}
			assert.Equal(t, tt.codes, codes)
			assert.Equal(t, tt.retried, got.retried)
			all := runs.All()
			require.Len(t, all, 1)
			assert.Equal(t, []any{"run-1", "task-1", string(result.EndReason), moment},
				[]any{all[0].ID, all[0].Task, all[0].End, all[0].Began})
			for _, s := range all[0].Spans {
				spans = append(spans, s.Kind+" "+s.Code)
			}
			assert.Equal(t, tt.spans, spans)
			if len(tt.failures) == 0 {
				assert.Equal(t, []any{.5, int64(7)}, []any{all[0].Cost, all[0].Tokens})
			}
		})
	}
}

// D94: a strategy that ran for an error updates it; what follows a failed one is not another error.
func TestRecoveries(t *testing.T) {
	var got sink
	w := watch.Observer(watch.Options{Table: errs.Table, Sink: &got})
	failure, broken := error(errs.NewProviderRateLimit("p")), uncomparable{"x"}
	fix := taxonomy.Reaction{Name: "fix", Action: taxonomy.Recover, Strategy: "fix"}
	for _, e := range []executor.Event{
		{Kind: executor.ErrorClassified, Err: failure, Op: "call", Source: "p"},
		{Kind: executor.ReactionTaken, Err: failure, Op: "call", Source: "p", Reaction: fix, Action: taxonomy.Recover},
		{Kind: executor.Recovered, For: failure, Attempt: 1, MaxAttempts: 3, Text: "fix", Err: errors.New("failed")},
		{Kind: executor.ReactionTaken, Err: failure, Op: "call", Source: "p", Action: taxonomy.Abort},
		{Kind: executor.ErrorClassified, Err: broken, Op: "save", Source: "git"},
		{Kind: executor.ReactionTaken, Err: broken, Op: "save", Source: "git", Reaction: fix, Action: taxonomy.Recover},
		{Kind: executor.Recovered, For: broken, Attempt: 2, Text: "fix"},
		{Kind: executor.Recovered, For: errors.New("another"), Attempt: 2, Text: "fix"},
		{Kind: executor.ErrorClassified, Err: failure, Op: "call"},
		{Kind: executor.RunEnded},
	} {
		e.Run, e.At = "r", moment
		w.Observe(e)
	}
	require.Len(t, got.reported, 3, "the last one without a reaction")
	assert.Equal(t, []string{"fix", "recover"}, []string{got.reported[0].Reaction, got.reported[0].Action})
	no, yes := false, true
	require.Len(t, got.updated, 2)
	assert.Equal(t, &report.Recovery{Attempts: 1, MaxAttempts: 3, Strategy: "fix", Successful: &no},
		got.updated[0].Recovery)
	assert.Equal(t, &report.Recovery{Attempts: 2, Strategy: "fix", Successful: &yes}, got.updated[1].Recovery)
	assert.Equal(t, "x", got.updated[1].Message)
}

// uncomparable is an error for which == panics.
type uncomparable []string

func (u uncomparable) Error() string { return u[0] }

// D136.
func TestRetries(t *testing.T) {
	type event = executor.Event
	taken := func(op string, a taxonomy.Action) event {
		return event{Kind: executor.ReactionTaken, Err: errors.New("e"), Op: op, Action: a}
	}
	iteration, ended, call := event{Kind: executor.IterationStarted}, event{Kind: executor.IterationEnded},
		event{Kind: executor.CallStarted}
	over := event{Kind: executor.RunEnded}
	for name, tt := range map[string]struct {
		events []event
		want   []string
	}{
		"in place": {[]event{iteration, call, taken("call", taxonomy.RetryOperation), call, ended, over},
			[]string{" 1 true"}},
		"in place, given up": {[]event{iteration, call, taken("call", taxonomy.RetryOperation), call,
			taken("call", taxonomy.RetryOperation), call, taken("call", taxonomy.Abort), ended, over},
			[]string{" 2 false"}},
		"iteration": {[]event{iteration, call, taken("call", taxonomy.Retry), ended, iteration, call, ended, over},
			[]string{" 1 true"}},
		"never called again": {[]event{iteration, call, taken("call", taxonomy.RetryOperation), ended, over}, nil},
		"commit": {[]event{iteration, taken("commit", taxonomy.RetryOperation),
			{Kind: executor.Committed, Op: "commit"}, ended,
			over},
			[]string{" 1 true"}},
		"push, twice": {[]event{iteration, taken("push", taxonomy.RetryOperation),
			taken("push", taxonomy.RetryOperation), {Kind: executor.Delivered, Op: "push"}, over}, []string{" 2 true"}},
		"check": {[]event{iteration, taken("validate_pr", taxonomy.Retry), ended, iteration,
			{Kind: executor.Validated, Op: "validate_pr"}, ended, over}, []string{" 1 true"}},
		"check fails again": {[]event{iteration, taken("v", taxonomy.Retry), ended, iteration,
			{Kind: executor.Validated, Op: "v", Err: errors.New("e")}, taken("v", taxonomy.Block), ended, over},
			[]string{" 1 false"}},
		"another failure first": {[]event{iteration, taken("v", taxonomy.Retry), ended, iteration,
			taken("call", taxonomy.Abort), ended, over}, nil},
		"setup":      {[]event{taken("prepare", taxonomy.RetryOperation), iteration, ended, over}, []string{" 1 true"}},
		"a strategy": {[]event{iteration, call, taken("call", taxonomy.Recover), call, ended, over}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got sink
			w := watch.Observer(watch.Options{Table: errs.Table, Sink: &got})
			for _, e := range tt.events {
				w.Observe(e)
			}
			assert.Equal(t, tt.want, got.retried)
		})
	}
	watch.Observer(watch.Options{}).Observe(event{Kind: executor.ErrorClassified, Err: errors.New("no sink")})
}

// D59, D159, B-D23.
func TestFacts(t *testing.T) {
	for _, tt := range []struct {
		sources         []string
		given           map[string]any
		status, session string
	}{
		{[]string{"other", "github"}, nil, "503", "s-1"},
		{[]string{"other"}, nil, "", "s-1"},
		{nil, map[string]any{"conversation": "s-2"}, "", "s-2"},
	} {
		var got sink
		watch.Observer(watch.Options{Table: errs.Table, Sink: &got, StatusSources: tt.sources,
			Facts: func(executor.Event) report.Facts { return report.Facts{Metadata: tt.given} },
		}).Observe(executor.Event{Kind: executor.ReactionTaken, Err: errors.New("GET /: HTTP 503"), Source: "github",
			Op: "read", Session: "s-1", Task: "t-1", Evidence: &taxonomy.Evidence{Text: "GET /: HTTP 503"}})
		require.Len(t, got.reported, 1)
		o := got.reported[0]
		assert.Equal(t, tt.status, o.SourceCode)
		assert.Equal(t, map[string]any{"task": "t-1", "op": "read", "conversation": tt.session}, o.Metadata)
	}
}
