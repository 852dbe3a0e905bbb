package temporal_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/temporal"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func decode(b []byte) (error, error) { return errs.UnmarshalError(b) }

// turn is one call of a provider.
type turn struct {
	answer executor.Answer
	err    error
	hang   bool // until the context ends
}

func says(text string) turn { return turn{answer: executor.Answer{Text: text}} }

func done() turn { return says("Done.\nTASK COMPLETE") }

func fails(ev taxonomy.Evidence) turn {
	ev.Op = executor.OpCall
	ev.Source = "claude-cli"
	return turn{err: &ev}
}

func rateLimit(after time.Duration) turn {
	return fails(taxonomy.Evidence{Type: "rate_limit_error", Status: 429, RetryAfter: taxonomy.Some(after)})
}

// script is a provider that plays its turns in order.
type script struct {
	mu      sync.Mutex
	turns   []turn
	prompts []string
	called  chan struct{}
}

func (s *script) Name() string { return "claude-cli" }

func (s *script) Available(context.Context) error { return nil }

func (s *script) Call(ctx context.Context, r executor.Request) (executor.Answer, error) {
	s.mu.Lock()
	s.prompts = append(s.prompts, r.Prompt)
	if len(s.turns) == 0 {
		s.mu.Unlock()
		return executor.Answer{}, errors.New("the script has no further turn")
	}
	t := s.turns[0]
	s.turns = s.turns[1:]
	s.mu.Unlock()
	if s.called != nil {
		s.called <- struct{}{}
	}
	if t.hang {
		<-ctx.Done()
		return executor.Answer{}, ctx.Err()
	}
	return t.answer, t.err
}

// skipping is a clock whose sleeps take no time.
type skipping struct {
	mu  sync.Mutex
	now time.Time
}

func (c *skipping) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *skipping) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(max(0, d))
	return ctx.Err()
}

// story is a task and what must come of it.
type story struct {
	name   string
	turns  []turn
	change func(c *executor.Config)
	end    executor.EndReason
	code   string
	calls  int
	waited bool
}

func stories() []story {
	crash := fails(taxonomy.Evidence{Signal: "SIGSEGV"})
	return []story{
		{name: "done", turns: []turn{done()}, end: executor.EndCompleted, calls: 1},
		{name: "two iterations", turns: []turn{says("Half of it."), done()}, end: executor.EndCompleted, calls: 2},
		{name: "rate limit", turns: []turn{rateLimit(90 * time.Second), done()}, end: executor.EndCompleted, calls: 2,
			waited: true},
		{name: "crash", turns: []turn{crash, done()}, end: executor.EndCompleted, calls: 2},
		{name: "crashes", turns: []turn{crash, crash, crash}, end: executor.EndMaxFailures, code: "PROVIDER_CRASH",
			calls: 3},
		{name: "not available", turns: []turn{fails(taxonomy.Evidence{Type: "not_found"})},
			end: executor.EndFatal, code: "PROVIDER_NOT_AVAILABLE", calls: 1},
		{name: "question", turns: []turn{says("BLOCKED: which one?")}, end: executor.EndBlockedSignal, calls: 1},
		{name: "iterations", turns: []turn{says("a"), says("b")}, end: executor.EndMaxIterations, calls: 2,
			change: func(c *executor.Config) { c.Limits.Iterations = 2 }},
		{name: "setup", turns: nil, end: executor.EndFatal,
			change: func(c *executor.Config) {
				c.Setup = func(context.Context) error {
					return &taxonomy.Evidence{Source: "config", Op: executor.OpLoadConfig, Type: "parse",
						Text: "line 3"}
				}
			}},
	}
}

func (s story) host(t *testing.T, clock *skipping) (*executor.Executor, *script) {
	p := &script{turns: append([]turn(nil), s.turns...)}
	cfg := executor.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Provider: p, Decode: decode, Clock: clock,
	}
	if s.change != nil {
		s.change(&cfg)
	}
	e, err := executor.New(cfg)
	require.NoError(t, err)
	return e, p
}

// outcome is what stays the same wherever a task runs.
type outcome struct {
	Status     executor.Status
	End        executor.EndReason
	Code       string
	Iterations int
	Calls      int
	Errors     []string
	Reactions  map[string]int
	Question   string
}

func outcomeOf(r *executor.Result) outcome {
	o := outcome{Status: r.Status, End: r.EndReason, Code: r.ErrorCode, Iterations: r.Iterations, Calls: r.Calls,
		Reactions: r.Reactions, Question: r.Question}
	for _, e := range r.Errors {
		o.Errors = append(o.Errors, fmt.Sprint(e.Iteration, e.Op, e.Code, e.Reaction, e.Action))
	}
	return o
}

func testEnvironment() *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(start)
	return env
}

// A run comes to the same on Temporal as in one process.
func TestSameAsLocal(t *testing.T) {
	task := executor.Task{Run: "run", ID: "1", Prompt: "Do it."}
	for _, s := range stories() {
		t.Run(s.name, func(t *testing.T) {
			local, _ := s.host(t, &skipping{now: start})
			want := local.Run(t.Context(), task)
			assert.Equal(t, s.end, want.EndReason)
			assert.Equal(t, s.calls, want.Calls)
			assert.Equal(t, s.waited, want.Waited > 0)
			if s.code != "" {
				assert.Equal(t, s.code, want.ErrorCode)
			}

			remote, _ := s.host(t, &skipping{now: start})
			env := testEnvironment()
			temporal.Register(registry{env}, remote, temporal.Options{})
			env.ExecuteWorkflow(temporal.WorkflowName, temporal.Input{Task: task})
			require.NoError(t, env.GetWorkflowError())
			var state *executor.RunState
			require.NoError(t, env.GetWorkflowResult(&state))
			got := executor.NewResult(state, decode)
			assert.Equal(t, outcomeOf(want), outcomeOf(got))
			assert.Equal(t, taxonomy.CodeOf(want.Err), taxonomy.CodeOf(got.Err))
		})
	}
}

// registry makes a worker's registry of a test environment.
type registry struct {
	*testsuite.TestWorkflowEnvironment
}

var _ worker.Registry = registry{}
