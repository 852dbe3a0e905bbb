package taskfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/evidence"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// FilerConfig configures a [Filer].
type FilerConfig struct {
	// Root is the root of the working tree, which no file leaves.
	Root string
	// Path is the task file, relative to Root or absolute within it.
	Path string
	// Stage, unless nil, adds the move to git's index. Paths are relative to Root, with slashes:
	// the old path, then the new one. An error that is not evidence becomes evidence of a git
	// commit.
	//
	//errgen:errors foreign
	Stage func(ctx context.Context, paths []string) error
}

// Filer moves the file of one task to the directory of its outcome: completed, blocked or failed.
// These directories are next to the task file, or, if it already is in one of them or in pending,
// next to that directory. It is an [executor.Filer].
//
// It never replaces a file: the task's file gets a number. It does not move symbolic links. The
// file of a cancelled run or a dry run stays.
type Filer struct {
	FilerConfig
	path string // relative to the root
}

var _ executor.Filer = (*Filer)(nil)

// NewFiler returns a filer. Its error is evidence (source executor, op file_task).
func NewFiler(c FilerConfig) (*Filer, error) {
	path := c.Path
	if filepath.IsAbs(path) {
		relative, err := filepath.Rel(c.Root, path)
		if err != nil {
			return nil, unfiled(c.Path, err)
		}
		path = relative
	}
	path = filepath.Clean(path)
	if path == "." || !filepath.IsLocal(path) {
		return nil, unfiled(c.Path, fmt.Errorf("the task file is not within %s", text.Quote(c.Root, 200)))
	}
	return &Filer{c, path}, nil
}

// File moves the task file by the status of the result. Moving it twice changes nothing. Errors are
// evidence: source executor, op file_task, with the attribute path; or of git if Stage failed.
func (f *Filer) File(ctx context.Context, r *executor.Result) error {
	if r.Status == executor.StatusCancelled || r.EndReason == executor.EndDryRun {
		return nil
	}
	if ctx.Err() != nil {
		return unfiled(f.path, context.Cause(ctx))
	}
	from := f.path
	to, err := f.move(string(r.Status))
	if err != nil {
		return unfiled(from, err)
	}
	f.path = to
	if f.Stage == nil || to == from {
		return nil
	}
	paths := []string{filepath.ToSlash(from), filepath.ToSlash(to)}
	err = f.Stage(ctx, paths)
	if _, known := errors.AsType[*taxonomy.Evidence](err); known || err == nil {
		return err
	}
	ev := detect.Of(fmt.Errorf("stage the task file: %w", err))
	ev.Source, ev.Op, ev.Files = "git", "commit", paths
	return &ev
}

// outcomes are the names of the directories.
var outcomes = []string{"pending", string(executor.StatusCompleted), string(executor.StatusBlocked),
	string(executor.StatusFailed)}

// move moves the file to the directory of that name and returns the new path.
func (f *Filer) move(name string) (string, error) {
	base := filepath.Dir(f.path)
	if slices.Contains(outcomes, filepath.Base(base)) {
		base = filepath.Dir(base)
	}
	dir := filepath.Join(base, name)
	if dir == filepath.Dir(f.path) {
		return f.path, nil
	}
	root, err := os.OpenRoot(f.Root)
	if err != nil {
		return "", err
	}
	defer root.Close()
	info, err := root.Lstat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		to := filepath.Join(dir, filepath.Base(f.path))
		if moved, err := root.Lstat(to); err == nil && moved.Mode().IsRegular() {
			return to, nil // by a run that died before it could say so
		}
	}
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("the task file is not a regular file")
	}
	if err := root.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	to, err := reserve(root, dir, filepath.Base(f.path))
	if err != nil {
		return "", err
	}
	if err := root.Rename(f.path, to); err != nil {
		return "", errors.Join(err, root.Remove(to))
	}
	return to, nil
}

// reserve creates an empty file with a new name in dir, which the task's file then replaces.
func reserve(root *os.Root, dir, base string) (string, error) {
	ext := filepath.Ext(base)
	path := filepath.Join(dir, base)
	for n := 2; ; n++ {
		file, err := root.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return path, file.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		path = filepath.Join(dir, fmt.Sprintf("%s-%d%s", strings.TrimSuffix(base, ext), n, ext))
	}
}

// unfiled is evidence of a task file that could not be moved.
func unfiled(path string, err error) error {
	return evidence.OfFile("executor", "file_task", filepath.ToSlash(path), fmt.Errorf("move the task file: %w", err))
}
