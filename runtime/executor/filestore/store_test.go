package filestore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const holdVariable = "FILESTORE_HOLD"

// TestMain makes the test program a process that holds a run, if its variable is set.
func TestMain(m *testing.M) {
	if dir := os.Getenv(holdVariable); dir != "" {
		_, err := filestore.New(dir).Open(context.Background(), "run")
		fmt.Println("held", err)
		select {}
	}
	os.Exit(m.Run())
}

func stateOf(run string, saves int) *executor.RunState {
	s := loop.Begin(executor.Task{Run: run, ID: "task", Prompt: "p"}, loop.Config{Dir: "/tree"}, "word")
	s.Saves, s.Step, s.Now = saves, loop.StepHead, time.Unix(int64(saves), 0).UTC()
	s.Approved = executor.Paths{"a\xffb"}
	return s
}

func TestStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	ctx := t.Context()
	s := filestore.New(dir)
	state, err := s.Open(ctx, "run")
	require.NoError(t, err)
	require.Nil(t, state)
	require.NoError(t, s.Save(ctx, stateOf("run", 1)))
	require.NoError(t, s.Save(ctx, stateOf("run", 2)))
	assert.Error(t, s.Save(ctx, stateOf("run", 1)), "an older state")
	assert.Error(t, s.Save(ctx, stateOf("other", 1)), "another run")

	other := filestore.New(dir)
	_, err = other.Open(ctx, "run")
	var ev *taxonomy.Evidence
	require.ErrorAs(t, err, &ev)
	assert.Equal(t, []string{"executor", "lock"}, []string{ev.Source, ev.Op})
	peeked, err := other.Peek(ctx, "run")
	require.NoError(t, err)
	assert.Equal(t, stateOf("run", 2), peeked)
	missing, err := other.Peek(ctx, "missing")
	require.NoError(t, err)
	assert.Nil(t, missing)

	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	state, err = other.Open(ctx, "run")
	require.NoError(t, err)
	assert.Equal(t, 2, state.Saves)
	require.NoError(t, other.Close())

	for _, run := range []string{"", "..", "a/b", "a\x00b"} {
		_, err := s.Open(ctx, run)
		assert.Error(t, err, "%q", run)
	}
}

func TestRunsAndPermissions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	ctx := t.Context()
	empty, err := filestore.New(dir).Runs(ctx)
	require.NoError(t, err)
	assert.Empty(t, empty)
	for i, run := range []string{"one", "two"} {
		s := filestore.New(dir)
		_, err := s.Open(ctx, run)
		require.NoError(t, err)
		require.NoError(t, s.Save(ctx, stateOf(run, i+1)))
		require.NoError(t, s.Close())
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "broken.json"), []byte("{"), 0o600))
	runs, err := filestore.New(dir).Runs(ctx)
	require.NoError(t, err)
	require.Len(t, runs, 2)
	assert.Equal(t, "two", runs[0].Run)
	assert.Equal(t, "/tree", runs[0].Dir)
	_, err = filestore.New(dir).Open(ctx, "broken")
	var ev *taxonomy.Evidence
	require.ErrorAs(t, err, &ev)
	assert.Equal(t, []string{"resume", "refused"}, []string{ev.Op, ev.Type})

	info, err := os.Stat(dir)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		info, err := entry.Info()
		require.NoError(t, err)
		assert.Zero(t, info.Mode().Perm()&0o077, entry.Name())
	}
}

// TestLockOfKilledProcess takes over a run whose process was killed.
func TestLockOfKilledProcess(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdVariable+"="+dir)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	held := make([]byte, len("held <nil>"))
	_, err = out.Read(held)
	require.NoError(t, err)
	require.Equal(t, "held <nil>", string(held))
	s := filestore.New(dir)
	_, err = s.Open(t.Context(), "run")
	require.Error(t, err)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	_, err = s.Open(t.Context(), "run")
	require.NoError(t, err)
	require.NoError(t, s.Close())
}

func BenchmarkSave(b *testing.B) {
	s, state := filestore.New(b.TempDir()), stateOf("run", 1)
	for range 100 {
		state.Errors = append(
			state.Errors, executor.ErrorRecord{Message: "provider rate limit", Details: json.RawMessage(`{}`)})
	}
	_, err := s.Open(b.Context(), "run")
	require.NoError(b, err)
	for b.Loop() {
		require.NoError(b, s.Save(b.Context(), state))
	}
	require.NoError(b, s.Close())
}
