package escalate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filejournal"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// B-X05: what is cancelled is put back, although the context is over.
func TestTurnCancelled(t *testing.T) {
	dir := gitRepo(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	act := acts(func(ctx context.Context, req executor.Request) (executor.Answer, error) {
		cancel(why)
		return hangs(ctx, req)
	})
	r := begunRun(t, reactions{"call": {Action: taxonomy.Retry}}, dir,
		&actor{acts: []acts{act.writes(t, "b.txt", "half")}})
	got := r.turn(ctx, first())
	assert.Equal(t, "cancelled", got.outcome())
	require.ErrorIs(t, got.err, why)
	ref, files, err := r.putBack(ctx, r.checked, 1)
	require.NoError(t, err)
	assert.Equal(t, []string{"b.txt"}, files)
	assert.Equal(t, "half", git(t, dir, "show", ref+":b.txt"))
	assert.Equal(t, map[string]string{"a.txt": "a\n"}, filesIn(t, dir))
}

// dying is a tree whose process dies at the look at it that follows an answer.
type dying struct{ executor.Workspace }

func (d *dying) Detect(context.Context, executor.Checked) ([]executor.Change, error) {
	runtime.Goexit()
	return nil, nil
}

// An answer that was written down before its process died is not asked for again; a call that was
// over is not made again.
func TestTurnGoesOn(t *testing.T) {
	dir := gitRepo(t)
	p := &actor{acts: []acts{says("STEP DONE").writes(t, "b.txt", "b")}}
	r := begunRun(t, nil, dir, p)
	r.cfg.Calls.Journal = filejournal.New(t.TempDir())
	real := r.cfg.Calls.Workspace
	r.cfg.Calls.Workspace = &dying{real}
	died := make(chan struct{})
	go func() {
		defer close(died)
		r.turn(t.Context(), first())
		t.Error("it did not die")
	}()
	<-died
	r.cfg.Calls.Workspace = real
	again := first()
	again.resumed = true
	for range 2 {
		got := r.turn(t.Context(), again)
		assert.Equal(t, "answered", got.outcome(), "%v", got.err)
		assert.Equal(t, "STEP DONE", got.text)
		assert.Equal(t, []string{"b.txt"}, got.files)
	}
	assert.Len(t, p.prompts, 1)

	require.NoError(t, os.WriteFile(filepath.Join(dir, ".git", "hooks", "post-commit"), []byte("#!/bin/sh\n"), 0o755))
	got := r.turn(t.Context(), again)
	assert.Equal(t, "interrupted", got.outcome(), "what changed since was judged by nobody: %v", got.err)
	_, _, err := r.putBack(t.Context(), r.checked, 1)
	require.NoError(t, err)

	other := again
	other.prompt = "Do something else."
	assert.Equal(t, "interrupted", r.turn(t.Context(), other).outcome(), "it is another call now")

	r.cfg.Calls.Journal = nil
	assert.Equal(t, "interrupted", r.turn(t.Context(), again).outcome(), "nobody knows what became of it")
	assert.Len(t, p.prompts, 1)
}

// A process may have died before the executor knew of the call: what git left locked then is no
// lock any more.
func TestTurnBegunAnew(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a lock of the dead cannot be told from one of the living")
	}
	dir := gitRepo(t)
	r := begunRun(t, nil, dir, &actor{acts: []acts{says("x")}})
	r.cfg.Calls.Journal = filejournal.New(t.TempDir())
	lock := filepath.Join(dir, ".git", "index.lock")
	require.NoError(t, os.WriteFile(lock, nil, 0o600))
	a := first()
	a.resumed = true
	assert.Equal(t, "answered", r.turn(t.Context(), a).outcome())
	assert.NoFileExists(t, lock)
}

// A provider has what it had before it was wrapped, and nothing more: the executor asks for it by
// type.
func TestWrap(t *testing.T) {
	c := &calling{}
	for _, tt := range []struct {
		provider   executor.Provider
		credential bool
		ends       bool
	}{
		{&actor{}, false, false},
		{struct {
			*actor
			credentialed
		}{}, true, false},
		{struct {
			*actor
			ender
		}{}, false, true},
		{struct {
			*actor
			credentialed
			ender
		}{}, true, true},
	} {
		w := c.wrap(tt.provider)
		_, credential := w.(executor.Credentialed)
		_, ends := w.(executor.Ender)
		assert.Equal(t, []bool{tt.credential, tt.ends}, []bool{credential, ends})
		assert.Equal(t, "actor", w.Name())
	}
}

type credentialed struct{}

func (credentialed) Credential() string { return "key" }

type ender struct{}

func (ender) End(context.Context, executor.Process) error { return nil }
