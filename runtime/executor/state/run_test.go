package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// codeError is an error of the taxonomy codes; evidence has the code that its type names.
type codeError struct {
	At   taxonomy.Row
	Text string
}

func (e *codeError) Error() string                 { return e.Text }
func (e *codeError) Taxonomy() *taxonomy.Taxonomy  { return codes.Taxonomy }
func (e *codeError) Row() taxonomy.Row             { return e.At }
func (e *codeError) AppendMessage(b []byte) []byte { return append(b, e.Text...) }
func (e *codeError) AppendContext(b []byte) []byte { return append(b, `{"output":"FAIL: TestSum"}`...) }
func (e *codeError) AppendJSON(b []byte) []byte {
	wire, _ := json.Marshal(e)
	return append(b, wire...)
}

//lint:ignore ST1008 it is a Classifier
func classify(err error, source, op string) (error, string) {
	var ev *taxonomy.Evidence
	if !errors.As(err, &ev) {
		ev = &taxonomy.Evidence{Source: source, Op: op, Err: err}
	}
	row, ok := codes.Taxonomy.Find(ev.Type)
	if !ok {
		row, _ = codes.Taxonomy.Find("UNKNOWN")
	}
	return &codeError{row, ev.Error()}, "its type"
}

// step is one call of a provider: it fails with the code, or gives the answer.
type step struct {
	code, text string
	usage      executor.Usage
	do         func()
}

// provider plays steps. The last one is repeated.
type provider struct {
	steps   []step
	prompts []string
}

func (p *provider) Name() string                    { return "agent" }
func (p *provider) Available(context.Context) error { return nil }
func (p *provider) Call(_ context.Context, req executor.Request) (executor.Answer, error) {
	s := p.steps[min(len(p.prompts), len(p.steps)-1)]
	p.prompts = append(p.prompts, req.Prompt)
	if s.do != nil {
		s.do()
	}
	a := executor.Answer{Text: s.text, Usage: s.usage}
	if s.code != "" {
		return a, &taxonomy.Evidence{Source: "agent", Op: "call", Type: s.code, Text: s.text}
	}
	return a, nil
}

func run(t testing.TB, s *Store, p *provider, task executor.Task, change ...func(*executor.Config)) *executor.Result {
	cfg := executor.Config{
		Table: codes, Classify: classify, Provider: p, Store: s.RunStore(), Clock: s.clock,
		Prompt: s.Prompt(PromptOptions{MaxAttempts: 3}), Limits: executor.Limits{Iterations: 8},
		Decode: func(b []byte) (error, error) {
			e := &codeError{}
			return e, json.Unmarshal(b, e)
		},
	}
	for _, c := range change {
		c(&cfg)
	}
	e, err := executor.New(cfg)
	require.NoError(t, err)
	return e.Run(t.Context(), task)
}

const done = "all of it\nTASK COMPLETE"

// What a run leaves: its state, an attempt for each iteration, its errors and calls, and the status
// of its task.
func TestRun(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	p := &provider{steps: []step{
		{code: "TEST_FAILURE", text: "tests failed", usage: cost(100, 0.5)},
		{text: "half of it", usage: cost(10, -1)},
		{text: done, usage: cost(1, 0.25)},
	}}
	r := run(t, s, p, executor.Task{Run: "r", ID: "T", Title: "A task", Prompt: "work"})
	require.Equal(t, executor.EndCompleted, r.EndReason, "%+v", r)
	assert.Contains(t, p.prompts[1], "Error code: TEST_FAILURE\nIt means: The tests fail.")
	assert.NotContains(t, p.prompts[2], "Error code", "the last attempt was clean")

	all, err := s.Attempts(ctx, "T", 9)
	require.NoError(t, err)
	require.Len(t, all, 3)
	for i, want := range []Attempt{
		{Outcome: Failed, CodeAsWritten: "TEST_FAILURE", Action: "retry", Counted: taxonomy.Some(true),
			Provider: "agent",
			Usage:    cost(100, 0.5)},
		{Outcome: Clean, Success: true, Counted: taxonomy.Some(false), Output: "half of it", Provider: "agent",
			Usage: cost(10, -1)},
		{Outcome: Clean, Success: true, Counted: taxonomy.Some(false), Output: done, Provider: "agent",
			Usage: cost(1, 0.25)},
	} {
		got := all[i]
		assert.Equal(t, []any{"r", i + 1, want.Outcome, want.Success, want.CodeAsWritten, want.Action, want.Counted,
			want.Provider, want.Output, want.Usage}, []any{got.Run, got.Iteration, got.Outcome, got.Success,
			got.CodeAsWritten,
			got.Action, got.Counted, got.Provider, got.Output, got.Usage})
		assert.Positive(t, got.Duration)
	}
	errs, err := s.Errors(ctx, "r", 1)
	require.NoError(t, err)
	require.Len(t, errs, 1)
	assert.Equal(t, []any{"call", "agent", "TEST_FAILURE", "retry", true},
		[]any{errs[0].Op, errs[0].Source, errs[0].Code, errs[0].Action, errs[0].Counted})

	statuses, err := s.Statuses(ctx)
	require.NoError(t, err)
	require.Len(t, statuses, 1)
	assert.Equal(t, TaskCompleted, statuses[0].Status)
	assert.Equal(t, r.Spending, statuses[0].Spent)
	runs, err := s.Runs(ctx, "T")
	require.NoError(t, err)
	require.Len(t, runs, 1)
	assert.Equal(t, []any{"r", "A task", executor.EndCompleted, loop.StepOver, 3, r.Spending},
		[]any{runs[0].Run, runs[0].Title, runs[0].End, runs[0].Step, runs[0].Iteration, runs[0].Spent})
	assert.False(t, runs[0].Ended.IsZero())
	assert.Nil(t, runs[0].Holder)
	st, err := s.RunStore().Peek(ctx, "r")
	require.NoError(t, err)
	assert.Equal(t, r.Spending, st.Spent)

	var outcomes []retry.Outcome
	require.NoError(t, s.Outcomes(ctx, time.Time{}, func(o retry.Outcome) error {
		assert.Positive(t, o.Took)
		outcomes = append(outcomes, retry.Outcome{Code: o.Code, After: o.After, Attempt: o.Attempt})
		return nil
	}))
	assert.Equal(t, []retry.Outcome{{Code: "TEST_FAILURE", Attempt: 1}, {After: "TEST_FAILURE", Attempt: 2},
		{Attempt: 1}},
		outcomes)
	again := run(t, s, &provider{}, executor.Task{Run: "r", ID: "T", Title: "A task", Prompt: "work"})
	assert.Equal(t, r.EndReason, again.EndReason, "a run that is over returns its result again")
}

// The status of the task after each end of a run.
func TestRunEnds(t *testing.T) {
	for _, c := range []struct {
		name     string
		step     step
		status   TaskStatus
		outcome  AttemptOutcome
		question string
	}{
		{"completed", step{text: done}, TaskCompleted, Clean, ""},
		{"fatal", step{code: "HOOK_FAILURE"}, TaskFailed, Failed, ""},
		{"blocked", step{code: "RATE_LIMIT"}, TaskBlocked, Failed, ""},
		{"question", step{text: "BLOCKED: which database?"}, TaskBlocked, Question, "which database?"},
		{"failures", step{code: "TIMEOUT"}, TaskBlocked, Failed, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			run(t, s, &provider{steps: []step{c.step}}, executor.Task{Run: "r", ID: "T", Prompt: "work"})
			all, err := s.Statuses(t.Context())
			require.NoError(t, err)
			require.Len(t, all, 1)
			assert.Equal(t, []any{c.status, c.outcome, c.question}, []any{all[0].Status, all[0].Last.Outcome,
				all[0].Question})
			told, err := s.RetryContext(t.Context(), "T", 0)
			require.NoError(t, err)
			if c.question != "" {
				assert.Equal(t, c.question, told.Question)
				attempts, err := s.Attempts(t.Context(), "T", 1)
				require.NoError(t, err)
				assert.Equal(t, []string{"", ""}, []string{attempts[0].Code, attempts[0].Category})
			}
		})
	}
	s := newStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	p := &provider{steps: []step{{code: "TIMEOUT", do: cancel}}}
	e, err := executor.New(executor.Config{Table: codes, Classify: classify, Provider: p, Store: s.RunStore(),
		Decode: func([]byte) (error, error) { return nil, nil }})
	require.NoError(t, err)
	assert.Equal(t, executor.EndCancelled, e.Run(ctx, executor.Task{Run: "r", ID: "T"}).EndReason)
	all, err := s.Statuses(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []any{TaskPending, Cancelled}, []any{all[0].Status, all[0].Last.Outcome})
}

// A run that ended with a question is reopened with the answer, and is then over again.
func TestRunReopened(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	p := &provider{steps: []step{{text: "BLOCKED: which database?"}, {text: done}}}
	task := executor.Task{Run: "r", ID: "T", Prompt: "work"}
	run(t, s, p, task)
	e, err := executor.New(executor.Config{Table: codes, Classify: classify, Provider: p, Store: s.RunStore(),
		Prompt: s.Prompt(PromptOptions{}), Decode: func([]byte) (error, error) { return nil, nil }})
	require.NoError(t, err)
	r := e.Reopen(ctx, task, executor.Reopening{Answer: "the second"})
	require.Equal(t, executor.EndCompleted, r.EndReason, r.Error)
	assert.Contains(t, p.prompts[1], "The question to a person:")
	assert.Contains(t, p.prompts[1], "the second")
	all, err := s.Attempts(ctx, "T", 9)
	require.NoError(t, err)
	require.Len(t, all, 2)
	assert.Equal(t, []AttemptOutcome{Question, Clean}, []AttemptOutcome{all[0].Outcome, all[1].Outcome})
	statuses, err := s.Statuses(ctx)
	require.NoError(t, err)
	assert.Equal(t, []any{TaskCompleted, ""}, []any{statuses[0].Status, statuses[0].Question})
}

// A budget that is exceeded during a run ends it, and one that is raised lets the next run begin.
func TestRunBudget(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	require.NoError(t, s.SetBudget(ctx, ScopeTask, Limit{Amount: dollars(1)}))
	budget := func(c *executor.Config) {
		c.Admission.Budget = s.Budget(BudgetOptions{})
		c.Limits.Failures = 1
	}
	p := &provider{steps: []step{{text: "more", usage: cost(1, 0.5)}}}
	r := run(t, s, p, executor.Task{Run: "r1", ID: "T", Prompt: "work"}, budget)
	assert.Len(t, p.prompts, 2)
	assert.Equal(t, "budget", r.Errors[len(r.Errors)-1].Op)
	require.NoError(t, s.SetBudget(ctx, ScopeTask, Limit{Amount: dollars(1.5)}))
	run(t, s, p, executor.Task{Run: "r2", ID: "T", Prompt: "work"}, budget)
	assert.Len(t, p.prompts, 3, "the cost of the first run counts")
}

func TestRunStore(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	a, b := s.RunStore(), opened(t, s.Path()).RunStore()
	st, err := a.Open(ctx, "r")
	require.NoError(t, err)
	assert.Nil(t, st)
	_, err = b.Open(ctx, "r")
	ev, what := evidenceOf(t, err)
	assert.Equal(t, "executor lock  ", what)
	assert.NotEmpty(t, ev.Attributes["pid"])
	saved := &executor.RunState{Version: 1, Saves: 2, Task: executor.Task{Run: "r", ID: "T", Prompt: "p"},
		Step: loop.StepHead, Now: time.Now(), Seed: 1 << 63}
	require.NoError(t, a.Save(ctx, saved))
	for name, change := range map[string]func(*executor.RunState){
		"fewer saves":  func(st *executor.RunState) { st.Saves = 1 },
		"equal saves":  func(*executor.RunState) {},
		"another task": func(st *executor.RunState) { st.Saves, st.Task.ID = 3, "U" },
		"no task":      func(st *executor.RunState) { st.Saves, st.Task.ID = 3, "" },
	} {
		bad := *saved
		change(&bad)
		_, what := evidenceOf(t, a.Save(ctx, &bad))
		assert.Equal(t, "state state_write  ", what, name)
	}
	unfinished, err := s.Unfinished(ctx)
	require.NoError(t, err)
	require.Len(t, unfinished, 1)
	assert.Equal(t, os.Getpid(), unfinished[0].Holder.PID)
	require.NoError(t, a.Close())
	require.NoError(t, a.Close())
	got, err := b.Open(ctx, "r")
	require.NoError(t, err)
	want, _ := json.Marshal(saved)
	have, _ := json.Marshal(got)
	assert.JSONEq(t, string(want), string(have))
	require.NoError(t, b.Close())
	infos, err := a.Runs(ctx)
	require.NoError(t, err)
	require.Len(t, infos, 1)
	assert.Equal(t, saved.Info().Task, infos[0].Task)
	raw(t, s.Path(), func(db *sql.DB) {
		_, err := db.Exec("UPDATE runs SET state = '[]'")
		require.NoError(t, err)
	})
	_, err = a.Open(ctx, "r")
	_, what = evidenceOf(t, err)
	assert.Equal(t, "executor resume refused ", what)
	_, err = a.Open(ctx, "../r")
	require.Error(t, err)
}

// killChild runs a task whose second call never returns, and prints a line when it began.
func killChild(args []string) error {
	s, err := Open(context.Background(), args[0], Options{Table: codes})
	if err != nil {
		return err
	}
	kill := func() {
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		select {}
	}
	p := &provider{steps: []step{{code: "TIMEOUT", text: "slow", usage: cost(5, 0.5)}, {do: kill}}}
	e, err := executor.New(executor.Config{Table: codes, Classify: classify, Provider: p, Store: s.RunStore(),
		Decode: func([]byte) (error, error) { return nil, nil }})
	if err != nil {
		return err
	}
	e.Run(context.Background(), executor.Task{Run: "r", ID: "T", Prompt: "work"})
	return errors.New("it was not killed")
}

// A process that is killed during a call loses nothing: the next one resumes the run, records the
// attempt as interrupted, and the cost of the lost call is unknown.
func TestRunKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	_, err := child(t, "run", path).Output()
	require.ErrorContains(t, err, "signal: killed")
	s := opened(t, path)
	unfinished, err := s.Unfinished(t.Context())
	require.NoError(t, err)
	require.Len(t, unfinished, 1)
	assert.Nil(t, unfinished[0].Holder)
	p := &provider{steps: []step{{text: done, usage: cost(7, 0.25)}}}
	r := run(t, s, p, executor.Task{Run: "r", ID: "T", Prompt: "work"})
	assert.Equal(t, executor.EndCompleted, r.EndReason)
	assert.True(t, r.Resumed)
	assert.Contains(t, p.prompts[0], "The process of the last one died")
	all, err := s.AllAttempts(t.Context(), "T")
	require.NoError(t, err)
	var got []AttemptOutcome
	for _, a := range all {
		got = append(got, a.Outcome)
	}
	assert.Equal(t, []AttemptOutcome{Failed, Interrupted, Clean}, got)
	statuses, err := s.Statuses(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []any{3, 1, taxonomy.Some(0.75)},
		[]any{statuses[0].Spent.Calls, statuses[0].Spent.UnknownCost, statuses[0].Spent.Usage.CostUSD})
	sound(t, path)
}

// loopChild works on a run whose calls all fail, and kills itself at a random moment soon after its
// third call.
func loopChild(args []string) error {
	s, err := Open(context.Background(), args[0], Options{Table: codes})
	if err != nil {
		return err
	}
	calls := 0
	p := &provider{steps: []step{{code: "TIMEOUT", text: "slow", usage: cost(5, 0.5), do: func() {
		if calls++; calls == 3 {
			time.AfterFunc(rand.N(10*time.Millisecond), func() {
				self, _ := os.FindProcess(os.Getpid())
				_ = self.Kill()
			})
		}
	}}}}
	e, err := executor.New(executor.Config{Table: codes, Classify: classify, Provider: p, Store: s.RunStore(),
		Limits: executor.Limits{Iterations: 100_000, Failures: executor.Unlimited},
		Decode: func([]byte) (error, error) { return nil, nil }})
	if err != nil {
		return err
	}
	return errors.New(e.Run(context.Background(), executor.Task{Run: "r", ID: "T", Prompt: "work"}).Error)
}

// Processes of one run are killed at random moments: each iteration has one attempt, each failed
// call its cost, and the tables agree with the state.
func TestRunKilledAtRandom(t *testing.T) {
	kills := 25
	if testing.Short() {
		kills = 6
	}
	path := filepath.Join(t.TempDir(), "state.db")
	for range kills {
		out, err := child(t, "loop", path).Output()
		require.ErrorContains(t, err, "signal: killed", string(out))
	}
	s, ctx := opened(t, path), t.Context()
	st, err := s.RunStore().Peek(ctx, "r")
	require.NoError(t, err)
	all, err := s.AllAttempts(ctx, "T")
	require.NoError(t, err)
	closed := st.Iter.Number
	if st.Iter.Open {
		closed--
	}
	require.Len(t, all, closed)
	require.Greater(t, closed, kills)
	unknown := 0
	for i, a := range all {
		assert.Equal(t, i+1, a.Iteration)
		assert.Equal(t, a.Outcome == Failed, a.Counted.Or(false))
		assert.Equal(t, a.Outcome == Interrupted, a.Usage.CostUSD.IsZero())
		if a.Outcome == Interrupted {
			unknown++
		}
	}
	if st.Iter.Open {
		unknown += st.Iter.Spent.UnknownCost
	}
	runs, err := s.Runs(ctx, "T")
	require.NoError(t, err)
	require.Len(t, runs, 1)
	assert.Equal(t, st.Spent, runs[0].Spent)
	assert.Equal(t, unknown, st.Spent.UnknownCost)
	sound(t, path)
}

// TestSecrets checks that no text from outside reaches the file unmasked.
func TestSecrets(t *testing.T) {
	secret := "q9zxA1b2C3d4E5f6G7h8I9j0K1l2M3n4"
	forms := []string{"sk-ant-api03-" + secret, "password=" + secret, `{"api_key": "` + secret + `"}`,
		"Authorization: Bearer " + secret, "https://user:" + secret + "@example.org/r.git"}
	text := strings.Join(forms, "\n")
	quoted, err := json.Marshal(text)
	require.NoError(t, err)
	path := files(t, `{"tasks": {"OLD": {"status": "failed", "attempts": [{"timestamp": "2026-02-22T10:00:02", "success": false,
		"error": `+string(quoted)+`, "claude_output": `+string(quoted)+`}]}}}`, "")
	s, ctx := opened(t, path), t.Context()
	_, err = s.RecordAttempt(ctx, Attempt{Task: "T", Error: text, Code: forms[0], Output: text, Feedback: text,
		Category: forms[0], Reaction: forms[0], Action: forms[0], Provider: forms[0], Changed: forms})
	require.NoError(t, err)
	require.NoError(t, s.SetBudget(ctx, ScopeAll, Limit{Note: text}))
	require.Error(t, s.MarkRunning(ctx, forms[0]))
	require.NoError(t, s.Lanes().Pause(ctx, forms[0], time.Now().AddDate(1, 0, 0)))
	p := &provider{steps: []step{{code: "TEST_FAILURE", text: text}, {text: "BLOCKED: " + text}}}
	run(t, s, p, executor.Task{Run: "r", ID: "U", Title: forms[1], Prompt: text})
	require.NoError(t, s.Close())
	for _, suffix := range []string{"", "-wal"} {
		assert.NotContains(t, content(t, path+suffix), secret, suffix)
		assert.NotContains(t, content(t, path+suffix), "q9zx", suffix)
	}
}
