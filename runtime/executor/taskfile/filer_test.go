package taskfile_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/taskfile"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// tree writes files, each with its own path as its content, and returns the root.
func tree(t *testing.T, paths ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, path := range paths {
		full := filepath.Join(root, filepath.FromSlash(path))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(path), 0o640))
	}
	return root
}

// files lists a tree as "path=content", sorted.
func files(t *testing.T, root string) []string {
	t.Helper()
	var list []string
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		relative, _ := filepath.Rel(root, path)
		list = append(list, filepath.ToSlash(relative)+"="+string(content))
		return err
	}))
	sort.Strings(list)
	return list
}

func result(reason executor.EndReason) *executor.Result {
	return &executor.Result{Status: reason.Status(), EndReason: reason}
}

func newFiler(t *testing.T, c taskfile.FilerConfig) *taskfile.Filer {
	t.Helper()
	f, err := taskfile.NewFiler(c)
	require.NoError(t, err)
	return f
}

// The file goes by the true status, whatever the reason.
func TestFiledByStatus(t *testing.T) {
	tests := []struct {
		reason executor.EndReason
		path   string
		want   string
	}{
		{executor.EndCompleted, "tasks/1.md", "tasks/completed/1.md"},
		{executor.EndFatal, "tasks/1.md", "tasks/failed/1.md"},
		{executor.EndAttemptsUsedUp, "tasks/1.md", "tasks/failed/1.md"},
		{executor.EndRefused, "tasks/1.md", "tasks/failed/1.md"},
		{executor.EndMaxFailures, "tasks/1.md", "tasks/blocked/1.md"},
		{executor.EndMaxIterations, "tasks/1.md", "tasks/blocked/1.md"},
		{executor.EndBlockedSignal, "1.md", "blocked/1.md"},
		{executor.EndCompleted, "tasks/pending/1.md", "tasks/completed/1.md"},
		{executor.EndCompleted, "tasks/blocked/1.md", "tasks/completed/1.md"},
		{executor.EndFatal, "tasks/failed/1.md", "tasks/failed/1.md"},
		{executor.EndCompleted, "pending/-rf \"a\".md", "completed/-rf \"a\".md"},
		{executor.EndCancelled, "tasks/1.md", "tasks/1.md"},
		{executor.EndDryRun, "tasks/1.md", "tasks/1.md"},
	}
	for _, tt := range tests {
		t.Run(string(tt.reason)+" "+tt.path, func(t *testing.T) {
			root := tree(t, tt.path)
			f := newFiler(t, taskfile.FilerConfig{Root: root, Path: filepath.Join(root, tt.path)})
			require.NoError(t, f.File(t.Context(), result(tt.reason)))
			assert.Equal(t, []string{tt.want + "=" + tt.path}, files(t, root))
			require.NoError(t, f.File(t.Context(), result(tt.reason)), "filed twice")
			assert.Equal(t, []string{tt.want + "=" + tt.path}, files(t, root))
			if runtime.GOOS != "windows" {
				info, err := os.Stat(filepath.Join(root, tt.want))
				require.NoError(t, err)
				assert.Equal(t, fs.FileMode(0o640), info.Mode())
			}
		})
	}
}

func TestNothingIsReplaced(t *testing.T) {
	root := tree(t, "1.md", "failed/1.md", "failed/1-2.md")
	f := newFiler(t, taskfile.FilerConfig{Root: root, Path: "1.md"})
	require.NoError(t, f.File(t.Context(), result(executor.EndFatal)))
	assert.Equal(t, []string{"failed/1-2.md=failed/1-2.md", "failed/1-3.md=1.md", "failed/1.md=failed/1.md"},
		files(t, root))
}

// A run that died between moving the file and saying so finds it moved.
func TestFiledBefore(t *testing.T) {
	root := tree(t, "completed/1.md")
	f := newFiler(t, taskfile.FilerConfig{Root: root, Path: "1.md"})
	require.NoError(t, f.File(t.Context(), result(executor.EndCompleted)))
	err := newFiler(t, taskfile.FilerConfig{Root: root, Path: "1.md"}).File(t.Context(), result(executor.EndFatal))
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

// What cannot be moved stays as it is, and nothing is left where it should have gone.
func TestNotFiled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege there")
	}
	outside := t.TempDir()
	tests := []struct {
		name, path, want string
		plant            func(t *testing.T, root string)
	}{
		{"missing", "none.md", "no such file", nil},
		{"directory", "tasks", "not a regular file", nil},
		{"link", "link.md", "not a regular file", func(t *testing.T, root string) {
			require.NoError(t, os.Symlink("tasks/1.md", filepath.Join(root, "link.md")))
		}},
		{"target is a link out", "tasks/1.md", "path escapes", func(t *testing.T, root string) {
			require.NoError(t, os.Symlink(outside, filepath.Join(root, "tasks/completed")))
		}},
		{"target is a file", "tasks/1.md", "file exists", func(t *testing.T, root string) {
			require.NoError(t, os.WriteFile(filepath.Join(root, "tasks/completed"), []byte("x"), 0o600))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := tree(t, "tasks/1.md")
			if tt.plant != nil {
				tt.plant(t, root)
			}
			before := files(t, root)
			err := newFiler(t, taskfile.FilerConfig{Root: root, Path: tt.path}).
				File(t.Context(), result(executor.EndCompleted))
			ev := evidenceOf(t, err)
			assert.Equal(t, "executor", ev.Source)
			assert.Equal(t, "file_task", ev.Op)
			assert.Equal(t, tt.path, ev.Attribute("path"))
			assert.ErrorContains(t, err, tt.want)
			assert.ErrorIs(t, errs.Classify(err), errs.CodePermissionFileAccess)
			assert.Equal(t, before, files(t, root))
			assert.Empty(t, files(t, outside))
		})
	}
}

func TestPlacesThatAreRefused(t *testing.T) {
	root := tree(t, "1.md")
	for _, c := range []taskfile.FilerConfig{
		{Path: "../1.md"}, {Path: "/etc/passwd"}, {Path: ""}, {Path: "."}, {Path: "a/../../b"},
	} {
		c.Root = root
		_, err := taskfile.NewFiler(c)
		assert.Equal(t, "file_task", evidenceOf(t, err).Op, "%+v", c)
	}
}

func TestStaging(t *testing.T) {
	root := tree(t, "tasks/1.md")
	var staged []string
	var fails error
	c := taskfile.FilerConfig{Root: root, Path: "tasks/1.md", Stage: func(_ context.Context, paths []string) error {
		staged = append(staged, strings.Join(paths, " "))
		return fails
	}}
	f := newFiler(t, c)
	require.NoError(t, f.File(t.Context(), result(executor.EndMaxFailures)))
	require.NoError(t, f.File(t.Context(), result(executor.EndMaxFailures)), "nothing is staged twice")

	fails = errors.New("index.lock exists")
	err := f.File(t.Context(), result(executor.EndCompleted))
	assert.Equal(t, []string{"tasks/1.md tasks/blocked/1.md", "tasks/blocked/1.md tasks/completed/1.md"}, staged)
	assert.ErrorIs(t, err, fails)
	assert.ErrorIs(t, errs.Classify(err), errs.CodeGitCommitFailed)
	assert.Equal(t, []string{"tasks/blocked/1.md", "tasks/completed/1.md"}, evidenceOf(t, err).Files)

	fails = &taxonomy.Evidence{Source: "git", Op: "commit", Text: "fatal"}
	assert.Same(t, fails, f.File(t.Context(), result(executor.EndFatal)))
}

func TestFilingStopsWithItsContext(t *testing.T) {
	root := tree(t, "1.md")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	err := newFiler(t, taskfile.FilerConfig{Root: root, Path: "1.md"}).File(ctx, result(executor.EndCompleted))
	assert.ErrorContains(t, err, "enough")
	assert.Equal(t, []string{"1.md=1.md"}, files(t, root))
}
