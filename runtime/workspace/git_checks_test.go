//go:build unix

package workspace_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/scope"
	"github.com/errgen/errgen/runtime/validate"
	"github.com/errgen/errgen/runtime/workspace"
)

// writer is a provider that writes a file and is done.
type writer struct{}

func (writer) Name() string                    { return "writer" }
func (writer) Available(context.Context) error { return nil }
func (writer) Call(_ context.Context, req executor.Request) (executor.Answer, error) {
	err := os.WriteFile(filepath.Join(req.Dir, "work.txt"), []byte("w\n"), 0o600)
	return executor.Answer{Signal: executor.SignalDone}, err
}

// TestWhatChecksLeave runs a check that changes files after everything was judged, also a forbidden
// one that git ignores: that is judged and put back, and what is allowed becomes part of the work.
func TestWhatChecksLeave(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write(".gitignore", ".env\nbuild/\n")
	r.write(".env", "secret\n")
	r.git("add", ".gitignore")
	r.git("commit", "-qm", "ignore")
	scope := newScope(t, scope.Config{Allowed: []string{"work.txt"}, Forbidden: []string{".env"}})
	ws, err := workspace.Open(t.Context(), r.dir, workspace.Options{Watch: scope})
	require.NoError(t, err)
	checks, err := validate.New(validate.Config{Dir: r.dir, PreCommit: []validate.Command{{
		Line: "echo changed > .env; echo x > report.txt; mkdir build; echo x > build/out; echo x >> work.txt"}}})
	require.NoError(t, err)
	e, err := executor.New(executor.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Provider: writer{}, Workspace: ws, Guard: scope,
		Validator: checks,
		Deliver:   executor.DeliverCommits,
	})
	require.NoError(t, err)
	res := e.Run(t.Context(), executor.Task{Run: "run-1", Prompt: "Work."})
	assert.Equal(t, executor.EndCompleted, res.EndReason, "%+v", res)
	assert.Equal(t, "SCOPE_FORBIDDEN", res.Errors[0].Code)
	assert.Equal(t, []string{".env", "report.txt"}, res.Errors[0].Files,
		"what git ignores and nothing forbids is nobody's concern")
	assert.Equal(t, []string{"work.txt"}, res.CommittedFiles)
	assert.Empty(t, res.UncheckedFiles)
	assert.Equal(t, "w\nx", r.git("show", "HEAD:work.txt"))
	assert.Equal(t, "secret\n", r.read(".env"))
	assert.False(t, r.exists("report.txt"))
	assert.True(t, r.exists("build/out"))
}
