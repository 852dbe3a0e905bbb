//go:build unix

package escalate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filejournal"
	"github.com/errgen/errgen/runtime/proc"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/workspace"
)

// scriptRun is a run whose tier is a script, in a repository, with a journal of calls.
func scriptRun(ctx context.Context, dir string, script Script, journal string) (*run, *workspace.Git, error) {
	tree, err := workspace.Open(ctx, dir, workspace.Options{})
	if err != nil {
		return nil, nil, err
	}
	cfg := Config{Calls: executor.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Journal: filejournal.New(journal),
		Workspace: tree,
		Decode:    func(b []byte) (error, error) { return errs.UnmarshalError(b) },
	}}.completed()
	s := &State{Version: stateVersion, Result: Result{Run: "r"}}
	return &run{cfg: &cfg, state: s, result: &s.Result,
		ladder: []rung{{tier: taxonomy.Tier{Name: "low"}, provider: script}}}, tree, nil
}

func init() { children["turn"] = turnUntilKilled }

// turnUntilKilled begins a call; its arguments are the repository, the script, the directory of
// the journal, where it writes the checked tree, and the pipe by which it says that the program is
// noted.
func turnUntilKilled(args []string) error {
	ctx := context.Background()
	r, tree, err := scriptRun(ctx, args[0], Script(args[1]), args[2])
	if err != nil {
		return err
	}
	if _, err := tree.Lock(ctx, "r"); err != nil {
		return err
	}
	if r.checked, err = tree.Begin(ctx, "r"); err != nil {
		return err
	}
	if err := os.WriteFile(args[3], []byte(r.checked), 0o600); err != nil {
		return err
	}
	r.cfg.Calls.Journal = &telling{r.cfg.Calls.Journal, args[4]}
	return fmt.Errorf("the call ended: %v", r.turn(ctx, first()).err)
}

// telling is a journal that writes to a pipe once the process of a call is noted.
type telling struct {
	executor.Journal
	pipe string
}

func (j *telling) Append(ctx context.Context, e executor.Entry) error {
	if err := j.Journal.Append(ctx, e); err != nil || e.Process == nil {
		return err
	}
	return os.WriteFile(j.pipe, []byte("noted"), 0)
}

// B-X06: a process that is killed in a call has left a program that works on, and half of a file.
// Going on ends the one and puts back the other; the call is made anew.
func TestTurnKilled(t *testing.T) {
	dir, journal, note := gitRepo(t), t.TempDir(), filepath.Join(t.TempDir(), "checked")
	pipes := t.TempDir()
	begun, noted, never := filepath.Join(pipes, "begun"), filepath.Join(pipes, "noted"), filepath.Join(pipes, "never")
	require.NoError(
		t, errors.Join(syscall.Mkfifo(begun, 0o600), syscall.Mkfifo(noted, 0o600), syscall.Mkfifo(never, 0o600)))
	hang := "printf half >b.txt; " + locking() + "echo >" + begun + "; cat " + never
	cmd := exec.Command(os.Args[0], dir, hang, journal, note, noted)
	cmd.Env = append(os.Environ(), child+"=turn")
	require.NoError(t, cmd.Start())
	for _, pipe := range []string{noted, begun} {
		_, err := os.ReadFile(pipe) // until it is so far
		require.NoError(t, err)
	}
	require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
	_ = cmd.Wait()
	left := leftRunning(t, journal)
	require.True(t, proc.Alive(left))

	r, tree, err := scriptRun(t.Context(), dir, "printf whole >b.txt; echo STEP DONE", journal)
	require.NoError(t, err)
	unlock, err := tree.Lock(t.Context(), "r")
	require.NoError(t, err)
	defer func() { _ = unlock() }()
	checked, err := os.ReadFile(note)
	require.NoError(t, err)
	r.checked = executor.Checked(checked)
	again := first()
	again.resumed = true
	got := r.turn(t.Context(), again)
	assert.Equal(t, "interrupted", got.outcome(), "%v", got.err)
	assert.False(t, proc.Alive(left), "nothing works on beside it")
	assert.NoFileExists(t, filepath.Join(dir, ".git", "index.lock"))
	ref, files, err := r.putBack(t.Context(), r.checked, 1)
	require.NoError(t, err)
	assert.Equal(t, []string{"b.txt"}, files)
	assert.Equal(t, "half", git(t, dir, "show", ref+":b.txt"))
	assert.Equal(t, map[string]string{"a.txt": "a\n"}, filesIn(t, dir))

	next := first()
	next.number = 2
	got = r.turn(t.Context(), next)
	assert.Equal(t, "answered", got.outcome(), "%v", got.err)
	assert.Equal(t, "whole", filesIn(t, dir)["b.txt"])
}

// locking returns the words of a shell that has git's index locked, where a lock of the dead can be
// told from one of the living.
func locking() string {
	if runtime.GOOS != "linux" {
		return ""
	}
	return "exec 9>.git/index.lock; "
}

// leftRunning returns the process that the journal of the first call names.
func leftRunning(t *testing.T, dir string) proc.ID {
	t.Helper()
	j := filejournal.New(dir)
	entries, err := j.Open(t.Context(), "r-1")
	require.NoError(t, err)
	require.NoError(t, j.Close())
	for _, e := range entries {
		if e.Process != nil {
			return proc.ID{PID: e.Process.PID, Start: e.Process.Start}
		}
	}
	require.Fail(t, "no process is named")
	return proc.ID{}
}
