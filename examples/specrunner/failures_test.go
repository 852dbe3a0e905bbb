//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/state"
	"github.com/errgen/errgen/runtime/taxonomy"

	"specrunner.example.com/runner/errs"
)

// turns is an agent that does something else each time: the steps are shell scripts, of which the
// last one goes on. It keeps what it is told in prompt-1, prompt-2 and so on.
func turns(steps ...string) agentSettings {
	script := "n=$(($(cat turn 2>/dev/null || echo 0) + 1)); echo $n > turn; cat > prompt-$n; case $n in\n"
	for i, step := range steps {
		at := fmt.Sprint(i + 1)
		if i == len(steps)-1 {
			at = "*"
		}
		script += at + ") " + step + ";;\n"
	}
	return shell(script + "esac")
}

// hurried is a clock on which waits take no time, and are noted; nothing else takes any.
type hurried struct {
	mu    sync.Mutex
	slept []time.Duration
	now   time.Time
}

func (h *hurried) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *hurried) Sleep(ctx context.Context, d time.Duration) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if d > 0 {
		h.slept, h.now = append(h.slept, d), h.now.Add(d)
	}
	return context.Cause(ctx)
}

// bench runs one task with all that the program has, but for the program itself.
type bench struct {
	t     *testing.T
	dir   string
	agent agentSettings
	hooks hookSettings
	limit time.Duration
	table taxonomy.Table
	store *state.Store
	clock *hurried
}

// within does something with a limit, and once more with a longer one as long as it has not come so
// far before the limit as it must have: on a machine that is busy nothing may have begun yet.
func within(t *testing.T, limit time.Duration, do func(limit time.Duration) (far bool)) {
	t.Helper()
	for ; !do(limit); limit *= 4 {
		require.Less(t, limit, time.Minute, "it does not begin")
	}
}

func newBench(t *testing.T, agent agentSettings, hooks hookSettings) *bench {
	t.Helper()
	return &bench{t: t, dir: t.TempDir(), agent: agent, hooks: hooks, table: errs.Table,
		clock: &hurried{now: time.Now()}}
}

func (b *bench) open() *state.Store {
	b.t.Helper()
	if b.store == nil {
		store, err := state.Open(b.t.Context(), filepath.Join(b.t.TempDir(), "state.db"),
			state.Options{Table: b.table, Clock: b.clock})
		require.NoError(b.t, err)
		b.t.Cleanup(func() { assert.NoError(b.t, store.Close()) })
		b.store = store
	}
	return b.store
}

const benchTask = "TASK-001"

func (b *bench) run(name string) *executor.Result {
	b.t.Helper()
	store := b.open()
	at := place{Dir: b.dir, Task: benchTask, Limit: b.limit}
	agent, err := newAgent(b.agent, b.hooks, at)
	require.NoError(b.t, err)
	after, err := newChecks(b.hooks, at)
	require.NoError(b.t, err)
	x, err := executor.New(executor.Config{
		Table: b.table, Classify: detect.Classifier(errs.Explain, detect.WithTable(b.table)), Decode: decode,
		Provider: agent, Validator: after, Journal: store.Journal(), Lanes: store.Lanes(),
		Budget: store.Budget(state.BudgetOptions{}), Clock: b.clock, Markers: markers,
		Prompt: store.Prompt(state.PromptOptions{MaxAttempts: 3}),
		Limits: executor.Limits{Iteration: iterationLimit(b.limit, b.hooks), Failures: maxFailures},
	})
	require.NoError(b.t, err)
	return x.Run(b.t.Context(), executor.Task{Run: name, ID: benchTask, Title: "One", Prompt: "Do it.\n"})
}

// attempts returns what the state has of the attempts.
func (b *bench) attempts() []state.Attempt {
	b.t.Helper()
	var all []state.Attempt
	for a, err := range b.open().AllAttempts(b.t.Context(), benchTask) {
		require.NoError(b.t, err)
		all = append(all, a)
	}
	return all
}

func (b *bench) prompt(n int) string { return read(b.t, b.dir, fmt.Sprintf("prompt-%d", n)) }

// calls is how often the agent was begun.
func (b *bench) calls() int {
	found, err := filepath.Glob(filepath.Join(b.dir, "prompt-*"))
	require.NoError(b.t, err)
	return len(found)
}

const wait = 5 * time.Second // of the policy attempts

// S40, S41: each failure of S17-S24, of real processes, by its code, what follows from it, and what
// the state knows of it.
func TestFailures(t *testing.T) {
	tests := []struct {
		name     string
		agent    agentSettings
		hooks    hookSettings
		limit    time.Duration
		profile  taxonomy.ProfileName
		code     string
		reaction string
		counts   bool
		attempts int // of which the last one ends the run
		calls    int
		status   executor.Status
		ends     bool // every other task, too
	}{
		{name: "S17", agent: turns("exec sleep 600"), limit: 200 * time.Millisecond,
			code: "TIMEOUT", reaction: "same_again", counts: true, attempts: 3, calls: 3, status: "failed"},
		{name: "S18", agent: turns(`echo "You've hit your limit" >&2; exit 1`),
			code: "RATE_LIMIT", reaction: "return_api_error", attempts: 1, calls: 1, status: "blocked", ends: true},
		{name: "S18 B-S11 as the first phase had it", agent: turns(`echo "You've hit your limit" >&2; exit 1`),
			profile: errs.ProfilePhase1,
			code:    "RATE_LIMIT", reaction: "return_api_error", counts: true, attempts: 1, calls: 1, status: "blocked",
			ends: true},
		{name: "S20", agent: turns("echo mended"),
			hooks: hookSettings{PostDone: []hook{line("echo '--- FAIL: TestSum'; exit 1", hookTests)}},
			code:  "TEST_FAILURE", reaction: "explain_and_retry", counts: true, attempts: 3, calls: 3,
			status: "failed"},
		{name: "S21", agent: turns("echo mended"),
			hooks: hookSettings{PostDone: []hook{line("echo 'a.py:1:1: F401'; exit 1", hookLint)}},
			code:  "LINT_FAILURE", reaction: "explain_and_retry", counts: true, attempts: 3, calls: 3,
			status: "failed"},
		{name: "S22", agent: turns("echo 'TASK_FAILED: no table'"),
			code: "TASK_FAILED", reaction: "explain_and_retry", counts: true, attempts: 3, calls: 3, status: "failed"},
		{name: "B-S04", agent: turns("echo 'Prompt is too long' >&2; exit 1"),
			code: "TASK_FAILED", reaction: "shorten_and_retry", counts: true, attempts: 3, calls: 3, status: "failed"},
		{name: "S23 B-S07 failed at once, counted once", agent: turns("echo mended"),
			hooks: hookSettings{PreStart: []hook{line("exit 1", "")}},
			code:  "HOOK_FAILURE", reaction: "fail_fast", counts: true, attempts: 1, calls: 0, status: "failed"},
		{name: "B-S02 a hook after the agent", agent: turns("echo mended"),
			hooks: hookSettings{PostDone: []hook{line("exit 1", "")}},
			code:  "HOOK_FAILURE", reaction: "fail_fast", counts: true, attempts: 1, calls: 1, status: "failed"},
		{name: "S24", agent: turns("echo 'panic: index out of range' >&2; exit 3"),
			code: "UNKNOWN", reaction: "explain_and_retry", counts: true, attempts: 3, calls: 3, status: "failed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b *bench
			var r *executor.Result
			within(t, tt.limit, func(limit time.Duration) bool {
				b = newBench(t, tt.agent, tt.hooks)
				b.limit = limit
				var err error
				b.table, err = errs.Table.Profile(tt.profile)
				require.NoError(t, err)
				r = b.run("run")
				return limit == 0 || b.calls() == r.Calls
			})
			assert.Equal(t, tt.code, r.ErrorCode)
			assert.Equal(t, tt.status, r.Status)
			assert.Equal(t, tt.ends, r.EndsRun)
			assert.Equal(t, tt.calls, b.calls())
			assert.Len(t, b.clock.slept, tt.attempts-1)
			for _, d := range b.clock.slept {
				assert.Equal(t, wait, d)
			}
			all := b.attempts()
			require.Len(t, all, tt.attempts)
			for i, a := range all {
				assert.False(t, a.Success)
				assert.Equal(t, tt.code, a.Code)
				assert.Equal(t, tt.code, a.CodeAsWritten)
				assert.Equal(t, taxonomy.Some(tt.counts), a.Counted)
				if i < tt.attempts-1 {
					assert.Equal(t, tt.reaction, a.Reaction)
					assert.Equal(t, "retry", a.Action)
				}
			}
			stands, err := b.open().Task(t.Context(), benchTask)
			require.NoError(t, err)
			assert.Equal(t, string(tt.status), string(stands.Status))
			counters, err := b.open().Counters(t.Context())
			require.NoError(t, err)
			want := tt.attempts
			if !tt.counts {
				want = 0
			}
			assert.Equal(t, want, counters.ConsecutiveFailures)
		})
	}
}

// S33: what the next attempt is told about each failure that it can do something about. S17: a call
// past its limit is made again as it was.
func TestWhatTheNextAttemptIsTold(t *testing.T) {
	post := func(h hook) hookSettings { return hookSettings{PostDone: []hook{h}} }
	tests := []struct {
		name  string
		agent agentSettings
		hooks hookSettings
		says  []string
	}{
		{"S20 the tests' output", turns("echo mended"), post(
			line("[ -e mended ] && exit 0; touch mended; echo '--- FAIL: TestSum'; exit 1", hookTests)),
			[]string{"TEST_FAILURE", "--- FAIL: TestSum"}},
		{"S21 the linters' findings", turns("echo mended"), post(
			line("[ -e mended ] && exit 0; touch mended; echo 'a.py:1:1: F401'; exit 1", hookLint)),
			[]string{"LINT_FAILURE", "a.py:1:1: F401"}},
		{"S22 the reason", turns("echo 'TASK_FAILED: there is no such table'", "echo mended"), hookSettings{},
			[]string{"TASK_FAILED", "there is no such table"}},
		{"S24 the error", turns("echo 'panic: index out of range' >&2; exit 3", "echo mended"), hookSettings{},
			[]string{"UNKNOWN", "panic: index out of range"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, tt.agent, tt.hooks)
			r := b.run("run")
			require.Equal(t, executor.StatusCompleted, r.Status, "%s", r.Error)
			assert.Equal(t, 2, b.calls())
			for _, s := range tt.says {
				assert.Contains(t, b.prompt(2), s)
			}
			assert.Contains(t, b.prompt(2), "Do it.")
			assert.Equal(t, verdict{}, verdictOf(b.prompt(2)),
				"no line of a prompt is a marker, whatever was said before")
			all := b.attempts()
			require.Len(t, all, 2)
			assert.True(t, all[1].Success)
			assert.Empty(t, all[1].Code)
		})
	}
}

// S37: hooks after the agent run only when it says that the task is done.
func TestHooksAfterAnAgentThatFailedDoNotRun(t *testing.T) {
	for _, step := range []string{"exit 1", "echo TASK_FAILED", "exec sleep 600", "echo TASK_BLOCKED; exit 0"} {
		t.Run(step, func(t *testing.T) {
			b := newBench(t, turns(step), hookSettings{PostDone: []hook{line("touch hook-was-here", "")}})
			b.limit = 200 * time.Millisecond
			b.run("run")
			assert.NoFileExists(t, filepath.Join(b.dir, "hook-was-here"))
		})
	}
}

// An agent that needs a person ends its task with the question, and nothing has failed.
func TestAnAgentThatNeedsAPerson(t *testing.T) {
	for _, step := range []string{"echo 'TASK_BLOCKED: which of them?'", "echo 'TASK_BLOCKED: which of them?'; exit 1",
		"echo '`TASK_BLOCKED: which of them?`'"} {
		b := newBench(t, turns(step), hookSettings{})
		r := b.run("run")
		assert.Equal(t, executor.EndBlockedSignal, r.EndReason)
		assert.Equal(t, "which of them?", r.Question)
		assert.Empty(t, r.ErrorCode)
	}
}

// A budget that is spent is no failure of a task: it stays to be done, with the others if the
// budget is for all of them.
func TestBudgetIsSpent(t *testing.T) {
	for scope, want := range map[string]struct {
		reaction string
		ends     bool
	}{
		state.ScopeAll:               {"spend_no_more", true},
		state.ScopeTask:              {"spend_no_more_on_it", false},
		state.ScopeOfTask(benchTask): {"spend_no_more_on_it", false},
	} {
		t.Run(scope, func(t *testing.T) {
			b := newBench(t, turns("echo mended"), hookSettings{})
			require.NoError(t, b.open().SetBudget(t.Context(), scope, state.Limit{CostUSD: taxonomy.Some(0.0)}))
			r := b.run("run")
			assert.Equal(t, "RATE_LIMIT", r.ErrorCode)
			assert.Equal(t, executor.StatusBlocked, r.Status)
			assert.Equal(t, want.ends, r.EndsRun)
			assert.Zero(t, b.calls())
			require.NotEmpty(t, r.Errors)
			assert.Equal(t, want.reaction, r.Errors[0].Reaction)
			counters, err := b.open().Counters(t.Context())
			require.NoError(t, err)
			assert.Zero(t, counters.ConsecutiveFailures)
			assert.Zero(t, counters.Failed)

			require.NoError(t, b.open().SetBudget(t.Context(), scope, state.Limit{CostUSD: taxonomy.Some(1.0)}))
			assert.Equal(t, executor.StatusCompleted, b.run("again").Status, "what is raised is gone on with")
		})
	}
}

// A hook before the agent that fails has cost nothing, so that a budget in dollars is not held up
// by it.
func TestAHookCostsNothing(t *testing.T) {
	b := newBench(t, turns("echo mended"), hookSettings{PreStart: []hook{line("[ -e mended ]", "")}})
	require.NoError(t, b.open().SetBudget(t.Context(), state.ScopeAll, state.Limit{CostUSD: taxonomy.Some(1.0)}))
	assert.Equal(t, "HOOK_FAILURE", b.run("run").ErrorCode)
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, "mended"), nil, 0o600))
	assert.Equal(t, executor.StatusCompleted, b.run("again").Status)
}

// A call of which nobody knows what it cost holds the next one back, when there is a limit in
// dollars.
func TestUnknownCostIsNotNothing(t *testing.T) {
	b := newBench(t, turns("exit 1", "echo mended"), hookSettings{})
	require.NoError(t, b.open().SetBudget(t.Context(), state.ScopeAll, state.Limit{CostUSD: taxonomy.Some(1.0)}))
	r := b.run("run")
	assert.Equal(t, "RATE_LIMIT", r.ErrorCode)
	assert.Equal(t, 1, b.calls())
	assert.Equal(t, "spend_no_more", r.Errors[len(r.Errors)-1].Reaction)
}

// What the runner itself breaks down with ends all of it: no task is at fault.
func TestABrokenInstrument(t *testing.T) {
	b := newBench(t, agentSettings{Command: []string{"no-such-agent-anywhere"}}, hookSettings{})
	r := b.run("run")
	assert.Equal(t, "UNKNOWN", r.ErrorCode)
	assert.Equal(t, executor.StatusBlocked, r.Status)
	assert.True(t, r.EndsRun)
	assert.Zero(t, r.Calls)
	assert.Empty(t, b.clock.slept, "it is not tried again")
	assert.Equal(t, "stop_the_runner", r.Errors[0].Reaction)
}

// An attempt in the middle of which the process ended says nothing of its task: it is made once
// more, and does not count.
func TestAnInterruptedAttempt(t *testing.T) {
	b := newBench(t, turns("echo mended"), hookSettings{})
	now := b.clock.Now()
	j := b.open().Journal()
	_, err := j.Open(t.Context(), "run")
	require.NoError(t, err)
	x, err := executor.New(executor.Config{
		Table: b.table, Classify: detect.Classifier(errs.Explain, detect.WithTable(b.table)), Decode: decode,
		Journal: dying{j}, Markers: markers,
		Provider: silent{}, Clock: b.clock,
		Limits: executor.Limits{Iteration: iterationLimit(b.limit, b.hooks), Failures: maxFailures},
	})
	require.NoError(t, err)
	require.NoError(t, j.Close())
	x.Run(t.Context(), executor.Task{Run: "run", ID: benchTask, Title: "One", Prompt: "Do it.\n"})
	require.Empty(t, b.attempts())

	r := b.run("run")
	assert.Equal(t, executor.StatusCompleted, r.Status, r.Error)
	assert.True(t, r.Resumed)
	all := b.attempts()
	require.Len(t, all, 2)
	assert.Equal(t, "UNKNOWN", all[0].Code)
	assert.Equal(t, "begin_again", all[0].Reaction)
	assert.Equal(t, taxonomy.Some(false), all[0].Counted)
	assert.False(t, all[0].At.Before(now))
	assert.True(t, all[1].Success)
	assert.Empty(t, b.clock.slept, "it is made at once")
}

// dying is a journal of a process that dies in its first call: nothing is written after that call
// was begun.
type dying struct{ executor.Journal }

func (d dying) Append(ctx context.Context, e executor.Entry) error {
	if e.Point == executor.PointBegun || e.Point == executor.PointStarted {
		return d.Journal.Append(ctx, e)
	}
	return nil
}

// silent is a provider that does nothing.
type silent struct{}

func (silent) Name() string                    { return sourceAgent }
func (silent) Available(context.Context) error { return nil }
func (silent) Call(context.Context, executor.Request) (executor.Answer, error) {
	return executor.Answer{Signal: executor.SignalDone}, nil
}
