package state_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/state"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/workspace"
)

// secretState is a state in a directory of its own.
func secretState(t *testing.T) (dir string, s *state.Store) {
	t.Helper()
	dir = t.TempDir()
	s, err := state.Open(t.Context(), filepath.Join(dir, "state.db"), state.Options{Table: errs.Table})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return dir, s
}

// stored looks for secrets in the files of a state, as they are while it is open, with its log, and
// after it is closed.
func (s *secrets) stored(t *testing.T, dir string, st *state.Store, but ...string) {
	t.Helper()
	log, err := os.Stat(st.Path() + "-wal")
	require.NoError(t, err)
	require.Positive(t, log.Size(), "what was written is in the log")
	s.absent(t, dir, but...)
	require.NoError(t, st.Close())
	s.absent(t, dir, but...)
}

func TestSecretsOfRecordedAttempts(t *testing.T) {
	secret := &secrets{}
	dir, s := secretState(t)
	ctx := t.Context()
	for _, form := range formNames() {
		name := func(way string) string { return secret.one(form, way) }
		_, err := s.RecordAttempt(ctx, state.Attempt{
			Task: "T", Error: name("error"), Output: name("output"), Feedback: name("feedback"),
			CodeAsWritten: name("code"),
			Category:      name("category"), Rule: name("rule"), Reaction: name("reaction"), Action: name("action"),
			Provider:    name("provider"),
			Fingerprint: name("fingerprint"), Changed: []string{"a/" + name("path"), name("path 2")},
		})
		require.NoError(t, err)
	}
	for _, n := range []int{100, 5_000, 9_000, 30_000, 90_000} {
		_, err := s.RecordAttempt(ctx, state.Attempt{
			Task: "T", Error: secret.many("long error", n), Output: secret.many("long output", n),
			Feedback: secret.many("long feedback", n),
			Changed:  []string{secret.many("long path", n)},
		})
		require.NoError(t, err)
	}
	_, err := s.RecordAttempt(ctx, state.Attempt{Task: "T", Success: true, Output: secret.lines("output of a success")})
	require.NoError(t, err)
	secret.stored(t, dir, s)
}

// The name of a task is kept exactly or not at all.
func TestSecretsAsNames(t *testing.T) {
	secret := &secrets{}
	dir, s := secretState(t)
	ctx := t.Context()
	require.NoError(t, s.MarkRunning(ctx, "T"))
	lanes := s.Lanes()
	for _, form := range formNames() {
		name := func(way string) string { return secret.one(form, way) }
		_, err := s.RecordAttempt(ctx, state.Attempt{Task: name("task"), Error: "it broke"})
		require.Error(t, err)
		secret.unsaid(t, err)
		for _, err := range []error{
			s.MarkRunning(ctx, name("running task")), s.SetStatus(ctx, name("task with a status"), state.TaskFailed),
			s.SetStatus(ctx, "T", state.TaskStatus(name("status"))),
			s.SetBudget(ctx, name("scope"), state.Limit{}), s.SetBudget(
				ctx, state.ScopeOfTask(name("scope of a task")), state.Limit{}),
		} {
			require.Error(t, err)
			secret.unsaid(t, err)
		}
		secret.unsaid(t, s.Reset(ctx, name("task to be reset")))
		_, err = s.Task(ctx, name("task that is asked for"))
		require.NoError(t, err)
		require.NoError(t, s.SetBudget(ctx, state.ScopeAll, state.Limit{Note: name("note of a budget")}))

		lane := name("lane")
		require.NoError(t, lanes.Pause(ctx, lane, time.Now().Add(time.Hour)))
		_, err = lanes.Until(ctx, lane)
		require.NoError(t, err)
	}
	require.NoError(t, s.SetBudget(ctx, state.ScopeAll, state.Limit{Note: secret.many("long note", 30_000)}))
	secret.stored(t, dir, s)
}

// unsaid looks for the secrets in an error.
func (s *secrets) unsaid(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	assert.Empty(t, s.found(err.Error()))
}

func TestSecretsOfTheOlderForm(t *testing.T) {
	secret := &secrets{}
	var attempts []map[string]any
	for _, form := range formNames() {
		attempts = append(attempts, map[string]any{
			"timestamp": "2025-01-02T03:04:05.678", "success": false, "duration_seconds": 1.5,
			"error":      secret.one(form, "error"),
			"error_code": secret.one(form, "code"), "claude_output": secret.one(form, "output"),
		})
	}
	for _, n := range []int{9_000, 21_000, 60_000} {
		attempts = append(attempts, map[string]any{
			"timestamp": "2025-01-02T03:04:05.678", "success": false, "duration_seconds": 1.5,
			"error":      secret.many("long error", n),
			"error_code": "TASK_FAILED", "claude_output": secret.many("long output", n),
		})
	}
	old, err := json.Marshal(map[string]any{"tasks": map[string]any{
		"T": map[string]any{"status": secret.lines("status"), "attempts": attempts, "started_at": nil,
			"completed_at": nil},
	}, "consecutive_failures": 1, "total_completed": 0, "total_failed": 0})
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".executor-state.json"), old, 0o600))
	s, err := state.Open(t.Context(), filepath.Join(dir, ".executor-state.db"), state.Options{Table: errs.Table})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	task, err := s.Task(t.Context(), "T")
	require.NoError(t, err)
	assert.Equal(t, len(attempts), task.Attempts)
	require.NoError(t, s.MarkRunning(t.Context(), "T"))
	secret.stored(t, dir, s, ".executor-state.json.bak") // which somebody else wrote, and is as it was
}

func TestSecretsAsNamesInTheOlderForm(t *testing.T) {
	secret := &secrets{}
	for _, form := range formNames() {
		old, err := json.Marshal(map[string]any{"tasks": map[string]any{secret.one(form, "task"): map[string]any{
			"status": "pending", "attempts": []any{}, "started_at": nil, "completed_at": nil,
		}}, "consecutive_failures": 0, "total_completed": 0, "total_failed": 0})
		require.NoError(t, err)
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, ".executor-state.json"), old, 0o600))
		s, err := state.Open(t.Context(), filepath.Join(dir, ".executor-state.db"), state.Options{})
		secret.unsaid(t, err)
		if assert.Error(t, err, form) {
			assert.NoFileExists(t, filepath.Join(dir, ".executor-state.db"))
			continue
		}
		assert.NoError(t, s.Close())
	}
}

// leaky is a provider and a validator that say secrets wherever they say something.
type leaky struct {
	dir    string
	calls  []func(dir string) (executor.Answer, error)
	checks int
	said   func(way string) string
}

func (*leaky) Name() string                    { return "claude-cli" }
func (*leaky) Available(context.Context) error { return nil }

func (p *leaky) Call(context.Context, executor.Request) (executor.Answer, error) {
	if len(p.calls) == 0 {
		return executor.Answer{Text: p.said("last text"), Signal: executor.SignalDone}, nil
	}
	call := p.calls[0]
	p.calls = p.calls[1:]
	return call(p.dir)
}

func (p *leaky) Validate(context.Context, executor.Phase) error {
	if p.checks++; p.checks > 1 {
		return nil
	}
	return &taxonomy.Evidence{
		Source: "validator", Op: "validate_pre_commit", Type: "exit", ExitCode: taxonomy.Some(1),
		Text:       p.said("text of a check"),
		Output:     p.said("output of a check"),
		Attributes: map[string]string{"command": "make test " + p.said("command of a check")},
	}
}

// answers returns calls that answer, fail by evidence, and fail by errors of the taxonomy, with
// secrets in all of what they say.
func (p *leaky) answers() []func(dir string) (executor.Answer, error) {
	failing := func(err error) func(string) (executor.Answer, error) {
		return func(string) (executor.Answer, error) {
			return executor.Answer{Text: p.said("text beside an error")}, err
		}
	}
	said := p.said
	return []func(string) (executor.Answer, error){
		failing(
			&taxonomy.Evidence{Type: "timeout", Text: said("text"), Output: said("output"),
				Code: said("code of evidence")}),
		failing(&taxonomy.Evidence{
			Source: "claude-cli", Type: "network", Errno: said("errno"), Signal: said("signal"),
			Err: errors.New(said("cause")),
			Attributes: map[string]string{"model": said("model"), "resource": said("resource"),
				"request_id": said("request")},
		}),
		failing(&taxonomy.Evidence{Source: said("source"), Op: said("op"), Type: said("type"), Text: "503"}),
		failing(errors.New(said("plain error"))),
		failing(errors.Join(errors.New(said("joined error")), errors.New(said("joined error 2")))),
		failing(errs.NewProviderAPIError(said("field provider"), said("field rawError"))),
		failing(errs.NewPermissionCommandBlocked(said("field command"), said("field policy"))),
		failing(errs.NewConfigInvalid(said("field field"), said("field value"), said("field expected"))),
		failing(errs.NewValidationPreCommit(said("field command of a check"), 1, said("field output"))),
		failing(errs.NewPermissionFileAccess(said("field resource"))),
		func(string) (executor.Answer, error) { return executor.Answer{Failure: said("failure")}, nil },
		func(string) (executor.Answer, error) { panic(said("panic")) },
		func(dir string) (executor.Answer, error) {
			err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(said("content")), 0o600)
			return executor.Answer{Text: said("text of an answer"), Question: said("question")}, err
		},
	}
}

// Runs that say secrets everywhere leave none in their state: neither in entries nor in what
// follows from them.
func TestSecretsOfRuns(t *testing.T) {
	secret := &secrets{}
	dir, s := secretState(t)
	run := func(number int, text func(way string) string, answer int, delivered bool) {
		p := &leaky{said: text}
		calls := p.answers()
		p.calls = calls[answer : answer+1]
		name := fmt.Sprintf("%d-%d-%t", number, answer, delivered)
		runLeaky(
			t, s, p,
			executor.Task{Run: "run-" + name, ID: "T-" + name, Title: "Do " + p.said("title"),
				Prompt: p.said("prompt")}, delivered)
	}
	answers := len((&leaky{said: func(string) string { return "" }}).answers())
	for answer := range answers {
		for number, form := range formNames() {
			if number%3 == answer%3 || answer == answers-1 {
				run(number, func(way string) string { return secret.one(form, way) }, answer, false)
			}
		}
		run(100, secret.lines, answer, false)
	}
	for answer := range 4 {
		run(200, func(way string) string { return secret.many(way, 25_000) }, answer, false)
	}
	run(300, func(way string) string { return secret.one("password", way) }, answers-1, true)
	run(301, secret.lines, answers-1, true)
	secret.stored(t, dir, s)
}

// runLeaky runs a task, in a working tree if it is to be delivered.
func runLeaky(t *testing.T, s *state.Store, p *leaky, task executor.Task, delivered bool) {
	t.Helper()
	p.dir = t.TempDir()
	cfg := executor.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Provider: p, Validator: p, Journal: s.Journal(),
		Lanes:  s.Lanes(),
		Decode: func(b []byte) (error, error) { return errs.UnmarshalError(b) }, Clock: instantly{},
		Budget: s.Budget(state.BudgetOptions{}), Limits: executor.Limits{Iterations: 2},
	}
	cfg.Prompt = s.Prompt(state.PromptOptions{})
	if delivered {
		git := exec.Command("git", "init", "-q", p.dir)
		git.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1")
		if out, err := git.CombinedOutput(); err != nil {
			t.Skipf("git: %s: %s", err, out)
		}
		tree, err := workspace.Open(t.Context(), p.dir, workspace.Options{Env: []string{
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a",
			"GIT_COMMITTER_EMAIL=a@example.org",
		}})
		require.NoError(t, err)
		cfg.Workspace, cfg.Deliver = tree, executor.DeliverCommits
	}
	x, err := executor.New(cfg)
	require.NoError(t, err)
	result := x.Run(t.Context(), task)
	assert.NotEmpty(t, result.EndReason)
	for _, w := range result.Warnings {
		assert.NotContains(t, w, "write to the journal")
	}
	assert.False(t, strings.Contains(result.Error, "state"), result.Error)
}

// instantly is a clock on which waits take no time.
type instantly struct{}

func (instantly) Now() time.Time                                   { return time.Now() }
func (instantly) Sleep(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }
