package taskfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// FilerConfig configures a [Filer].
type FilerConfig struct {
	// Root is the root of the working tree, which no file leaves.
	Root string
	// Path is the task file, relative to Root or absolute within it.
	Path string
	// Completed, Blocked and Failed are the names of the directories for tasks with these outcomes;
	// the words themselves by default. They are next to the task file, or, if it already is in one
	// of them or in Pending, next to that directory.
	Completed, Blocked, Failed string
	// Pending is the name of the directory for tasks that have not run; "pending" by default.
	Pending string
	// Stage, unless nil, adds the move to git's index. Paths are relative to Root, with slashes:
	// the old path, then the new one. An error that is not evidence becomes evidence of a git
	// commit.
	Stage func(ctx context.Context, paths []string) error
}

// Filer moves the file of one task to the directory of its outcome. It is an [executor.Filer].
//
// It never replaces a file: the task's file gets a number. It neither follows nor moves symbolic
// links. The file of a cancelled run or a dry run stays.
type Filer struct {
	config FilerConfig

	mu   sync.Mutex
	path string // relative to the root
}

var _ executor.Filer = (*Filer)(nil)

// NewFiler returns a filer. Its error is evidence (source executor, op file_task).
func NewFiler(c FilerConfig) (*Filer, error) {
	c.Completed = cmp.Or(c.Completed, "completed")
	c.Blocked = cmp.Or(c.Blocked, "blocked")
	c.Failed = cmp.Or(c.Failed, "failed")
	c.Pending = cmp.Or(c.Pending, "pending")
	for _, name := range []string{c.Completed, c.Blocked, c.Failed, c.Pending} {
		if name == "." || filepath.Base(name) != name || !filepath.IsLocal(name) {
			return nil, unfiled(c.Path, fmt.Errorf("%s is not the name of a directory", text.Quote(name, 200)))
		}
	}
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
	return &Filer{config: c, path: path}, nil
}

// Path returns the present path of the task file, relative to the root, with slashes.
func (f *Filer) Path() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return filepath.ToSlash(f.path)
}

// File moves the task file by the status of the result. Moving it twice changes nothing. Errors are
// evidence: source executor, op file_task, with the attribute path; or of git if Stage failed.
func (f *Filer) File(ctx context.Context, r *executor.Result) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	name := map[executor.Status]string{
		executor.StatusCompleted: f.config.Completed,
		executor.StatusBlocked:   f.config.Blocked,
		executor.StatusFailed:    f.config.Failed,
	}[r.Status]
	if name == "" || r.EndReason == executor.EndDryRun {
		return nil
	}
	if ctx.Err() != nil {
		return unfiled(f.path, context.Cause(ctx))
	}
	from := f.path
	to, err := f.move(name)
	if err != nil {
		return unfiled(from, err)
	}
	f.path = to
	if f.config.Stage == nil || to == from {
		return nil
	}
	return f.stage(ctx, []string{filepath.ToSlash(from), filepath.ToSlash(to)})
}

func (f *Filer) stage(ctx context.Context, paths []string) error {
	err := f.config.Stage(ctx, paths)
	if _, known := errors.AsType[*taxonomy.Evidence](err); known || err == nil {
		return err
	}
	ev := detect.Of(fmt.Errorf("stage the task file: %w", err))
	ev.Source, ev.Op, ev.Files = "git", "commit", paths
	return &ev
}

// move moves the file to the directory of that name and returns the new path.
func (f *Filer) move(name string) (string, error) {
	base := filepath.Dir(f.path)
	c := &f.config
	if slices.Contains([]string{c.Completed, c.Blocked, c.Failed, c.Pending}, filepath.Base(base)) {
		base = filepath.Dir(base)
	}
	dir := filepath.Join(base, name)
	if dir == filepath.Dir(f.path) {
		return f.path, nil
	}
	root, err := os.OpenRoot(f.config.Root)
	if err != nil {
		return "", err
	}
	defer root.Close()
	for _, d := range []string{filepath.Dir(f.path), dir} {
		if err := noLinks(root, d); err != nil {
			return "", err
		}
	}
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

// maxNames bounds how many names are tried.
const maxNames = 1000

// reserve creates an empty file with a new name in dir, which the task's file then replaces.
func reserve(root *os.Root, dir, base string) (string, error) {
	ext := filepath.Ext(base)
	path := filepath.Join(dir, base)
	for n := 2; n <= maxNames; n++ {
		file, err := root.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return path, file.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		path = filepath.Join(dir, fmt.Sprintf("%s-%d%s", strings.TrimSuffix(base, ext), n, ext))
	}
	return "", fmt.Errorf("%d files of that name are in %s", maxNames, text.Quote(dir, 200))
}

// noLinks refuses a directory that is, or is below, a symbolic link or a file.
func noLinks(root *os.Root, dir string) error {
	for d := dir; d != "."; d = filepath.Dir(d) {
		info, err := root.Lstat(d)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is not a directory", text.Quote(filepath.ToSlash(d), 200))
		}
	}
	return nil
}

// unfiled is evidence of a task file that could not be moved.
func unfiled(path string, err error) error {
	ev := detect.Of(fmt.Errorf("move the task file: %w", err))
	ev.Source, ev.Op = "executor", "file_task"
	ev.Attributes = map[string]string{"path": filepath.ToSlash(path)}
	return &ev
}
