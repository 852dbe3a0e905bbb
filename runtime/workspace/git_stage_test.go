package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/scope"
	"github.com/errgen/errgen/runtime/taskfile"
	"github.com/errgen/errgen/runtime/workspace"
)

// TestStage has the task's file moved in the index as it was moved on the disk, whatever it is
// called, and nothing else.
func TestStage(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"plain": "1.md", "like an option": "-f.md", "like a pattern": ":(top)*.md", "a line break": "a\nb\t.md",
		"a quote": `"1".md`, "not UTF-8": "\xff.md",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			from, to := "pending/"+file, "completed/"+file
			r.write(from, "the task\n")
			if err := os.WriteFile(r.path(from), []byte("the task\n"), 0o644); err != nil {
				t.Skip("no file can be called that: ", err)
			}
			r.git("add", "-A")
			r.git("commit", "-qm", "task")
			r.write("a.txt", "staged\n")
			r.git("add", "a.txt")
			r.write("a.txt", "not staged\n")
			r.write("dir/b.txt", "not staged\n")
			r.write(from, "the task, changed\n")
			ws, err := workspace.Open(t.Context(), r.dir, workspace.Options{})
			require.NoError(t, err)
			f, err := taskfile.NewFiler(taskfile.FilerConfig{Root: ws.Dir(), Path: from, Stage: ws.Stage})
			require.NoError(t, err)
			done := &executor.Result{Status: executor.StatusCompleted, EndReason: executor.EndCompleted}
			require.NoError(t, f.File(t.Context(), done))
			want := "M\x00a.txt\x00R100\x00" + from + "\x00" + to + "\x00"
			assert.Equal(t, want, r.git("diff", "--cached", "--name-status", "-z", "-M"))
			assert.Equal(t, "a.txt\x00"+to+"\x00dir/b.txt\x00", r.git("diff", "--name-only", "-z"),
				"what was not staged is not")
			require.NoError(t, ws.Stage(t.Context(), []string{from, to}), "twice is like once")
			assert.Equal(t, want, r.git("diff", "--cached", "--name-status", "-z", "-M"))
		})
	}
}

func TestStageFails(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	ws, err := workspace.Open(t.Context(), r.dir, workspace.Options{})
	require.NoError(t, err)
	r.write("new.txt", "n\n")
	require.NoError(t, os.Rename(r.path("new.txt"), r.path("moved.txt")))
	require.NoError(t, ws.Stage(t.Context(), []string{"new.txt", "moved.txt"}), "git does not know it")
	assert.Equal(t, "?? moved.txt", r.git("status", "--porcelain"))
	assert.Equal(t, filepath.Join(ws.Dir(), ".git"), ws.GitDir())

	r.write(".git/index.lock", "")
	for _, paths := range [][]string{{"a.txt", "b.txt"}, {"a.txt"}, {"a.txt", "../b.txt"},
		{"a.txt", ".git/hooks/pre-commit"}, {"/a.txt", "b.txt"}} {
		err := ws.Stage(t.Context(), paths)
		ev := evidenceOf(t, err)
		assert.Equal(t, []string{"git", "commit"}, []string{ev.Source, ev.Op})
		assert.Equal(t, paths, ev.Files)
		assert.ErrorIs(t, errs.Classify(err), errs.CodeGitCommitFailed)
	}
	r.remove(".git/index.lock")
	assert.Equal(t, "?? moved.txt", r.git("status", "--porcelain"), "nothing has changed")
}

// TestWatchOnceTheRootIsKnown has a watcher made of the root.
func TestWatchOnceTheRootIsKnown(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write(".gitignore", ".env\n")
	ws, err := workspace.Open(t.Context(), r.path("dir"), workspace.Options{})
	require.NoError(t, err)
	name, err := filepath.Rel(ws.Dir(), r.path(".env"))
	require.NoError(t, err)
	ws.Watch(newScope(t, scope.Config{Forbidden: []string{name}}))
	checked, err := ws.Begin(t.Context(), "run-1")
	require.NoError(t, err)
	r.write(".env", "x")
	changes, err := ws.Detect(t.Context(), checked)
	require.NoError(t, err)
	assert.Equal(t, []string{"added .env ignored"}, listed(changes))
}
