package scenarios_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/executor/state"
	"github.com/errgen/errgen/runtime/executor/validate"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/providers/claudecli"
)

// childVariable makes this program a process that runs the executor; it names the file of an order.
const childVariable = "SCENARIOS_EXECUTOR"

// order is what such a process is to do.
type order struct {
	Home                           string // of the clones
	Dir, CLI, Journal, Run, Result string
	Forbidden                      []string
	Iteration                      time.Duration
	// State has all that is remembered be in a file of SQLite.
	State bool
	// Check is a line for the shell that checks work before it is committed.
	Check string
	// Reopen continues the run as a person does who has fixed the cause of its end.
	Reopen bool
}

// playExecutor carries out an order and ends this process, if there is one. It is interrupted as a
// program would be.
func playExecutor() {
	file := os.Getenv(childVariable)
	if file == "" {
		return
	}
	if err := carryOut(file); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func carryOut(file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var o order
	if err := json.Unmarshal(b, &o); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cfg, err := o.config(ctx)
	if err != nil {
		return err
	}
	r, err := o.runWith(ctx, cfg)
	if err != nil {
		return err
	}
	result, err := json.Marshal(r)
	return errors.Join(err, os.WriteFile(o.Result, result, 0o600))
}

// runWith runs the order's task, with a state if it asks for one.
func (o order) runWith(ctx context.Context, cfg executor.Config) (*executor.Result, error) {
	if o.State {
		store, err := state.Open(ctx, o.statePath(), state.Options{Table: errs.Table})
		if err != nil {
			return nil, err
		}
		defer func() { _ = store.Close() }() // what it was asked to write is written
		cfg.Store, cfg.Admission.Lanes = store.RunStore(), store.Lanes()
	}
	e, err := executor.New(cfg)
	if err != nil {
		return nil, err
	}
	if o.Reopen {
		return e.Reopen(ctx, o.task(), executor.Reopening{}), nil
	}
	return e.Run(ctx, o.task()), nil
}

func (o order) statePath() string { return filepath.Join(o.Journal, "state.db") }

func (o order) task() executor.Task {
	return executor.Task{Run: o.Run, ID: "task-42", Title: "Write a chapter", Prompt: thePrompt}
}

func (o order) config(ctx context.Context) (executor.Config, error) {
	guard, err := scope.New(scope.Config{Forbidden: o.Forbidden})
	if err != nil {
		return executor.Config{}, err
	}
	tree, err := workspace.New(ctx, o.Dir, o.Run, workspace.Options{Home: o.Home, Share: []string{ignoredFile}})
	if err != nil {
		return executor.Config{}, err
	}
	cli, err := claudecli.New(claudecli.Options{Path: o.CLI, Grace: 300 * time.Millisecond})
	if err != nil {
		return executor.Config{}, err
	}
	checks := validate.Config{Dir: tree.Dir()}
	if o.Check != "" {
		checks.PreCommit = []validate.Command{{Line: o.Check}}
	}
	validator, err := validate.New(checks)
	if err != nil {
		return executor.Config{}, err
	}
	return executor.Config{
		Validator: validator,
		Table:     errs.Table, Classify: detect.Classifier(errs.Explain),
		Decode:   func(b []byte) (error, error) { return errs.UnmarshalError(b) },
		Provider: cli, Workspace: tree, Guard: guard, Store: filestore.New(o.Journal),
		Deliver: executor.DeliverCommits,
		Clock:   &jumpingClock{now: time.Now()},
		Limits:  executor.Limits{Failures: 5, Iterations: 100, Iteration: o.Iteration, Grace: 20 * time.Second},
	}, nil
}

// order returns what a process is to do that plays the stage's story.
func (s *stage) order(run string) order {
	s.t.Helper()
	dir := s.t.TempDir()
	return order{
		Dir: s.dir, Home: s.home, CLI: s.cli.Path, Journal: filepath.Join(dir, "journal"), Run: run,
		Result:    filepath.Join(dir, "result.json"),
		Forbidden: s.scope.Forbidden, Iteration: time.Minute,
	}
}

// start starts a process that carries out the order.
func (o order) start(t *testing.T) *exec.Cmd {
	t.Helper()
	b, err := json.Marshal(o)
	require.NoError(t, err)
	file := o.Result + ".order"
	require.NoError(t, os.WriteFile(file, b, 0o600))
	cmd := exec.Command(os.Args[0])
	cmd.Dir = filepath.Dir(o.Result)
	cmd.Env = append(os.Environ(), childVariable+"="+file)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// result returns what came of it; ok is false when the process did not get that far.
func (o order) result(t *testing.T) (r executor.Result, ok bool) {
	t.Helper()
	b, err := os.ReadFile(o.Result)
	if errors.Is(err, os.ErrNotExist) {
		return r, false
	}
	require.NoError(t, err)
	if json.Unmarshal(b, &r) != nil {
		return r, false
	}
	return r, true
}

// tracks reports whether the saved state of the run has a process.
func (o order) tracks() bool {
	var runs executor.Store = filestore.New(o.Journal)
	if o.State {
		store, err := state.Open(context.Background(), o.statePath(), state.Options{ReadOnly: true})
		if err != nil {
			return false
		}
		defer func() { _ = store.Close() }()
		runs = store.RunStore()
	}
	s, err := runs.Peek(context.Background(), o.Run)
	return err == nil && s != nil && len(s.Processes) > 0
}

// run continues the run in this process, to its end.
func (o order) run(t *testing.T, change ...func(*executor.Config)) *executor.Result {
	t.Helper()
	cfg, err := o.config(t.Context())
	require.NoError(t, err)
	for _, f := range change {
		f(&cfg)
	}
	r, err := o.runWith(t.Context(), cfg)
	require.NoError(t, err)
	return r
}

// await waits until something real has come about.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	require.Eventually(t, is, 3*time.Minute, 10*time.Millisecond, what)
}
