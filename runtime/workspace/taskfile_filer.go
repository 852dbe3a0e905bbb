package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// FilerConfig says where the file of a task goes when the task has ended.
type FilerConfig struct {
	// Root is the directory that nothing leaves, the root of the working tree.
	Root string
	// Path is the task file, relative to Root or absolute within it.
	Path string
	// Completed, Blocked and Failed name the directories for such tasks; these words unless set.
	// They are beside the task file, or, if it is in one of them or in Pending already, beside that
	// directory.
	Completed, Blocked, Failed string
	// Pending names the directory of tasks that are to be done; "pending".
	Pending string
	// Stage, unless nil, puts the move into git's index: paths are relative to Root, with slashes;
	// the first is gone and the second is new. An error of it that is no evidence becomes that of a
	// git commit.
	Stage func(ctx context.Context, paths []string) error
}

// Filer moves the file of one task to where files of tasks with its outcome are. It is an
// [executor.Filer].
//
// A file that is there already is never replaced: the task's file gets a number. Symbolic links are
// not followed and not moved. A run that was cancelled, or was a dry run, leaves the file where it
// is.
type Filer struct {
	config FilerConfig
	rename func(root *os.Root, from, to string) error

	mu   sync.Mutex
	path string // relative to the root
}

var _ executor.Filer = (*Filer)(nil)

// NewFiler returns a filer, or evidence of why the configuration cannot be used (source executor,
// op file_task).
func NewFiler(c FilerConfig) (*Filer, error) {
	c.Completed = cmp.Or(c.Completed, "completed")
	c.Blocked = cmp.Or(c.Blocked, "blocked")
	c.Failed = cmp.Or(c.Failed, "failed")
	c.Pending = cmp.Or(c.Pending, "pending")
	for _, name := range []string{c.Completed, c.Blocked, c.Failed, c.Pending} {
		if name == "." || filepath.Base(name) != name || !filepath.IsLocal(name) {
			return nil, unfiled(c.Path, fmt.Errorf("%s is not the name of a directory", text.Quote(name, maxQuoted)))
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
		return nil, unfiled(c.Path, fmt.Errorf("the task file is not within %s", text.Quote(c.Root, maxQuoted)))
	}
	return &Filer{config: c, path: path, rename: (*os.Root).Rename}, nil
}

// Path returns where the task file is, relative to the root, with slashes.
func (f *Filer) Path() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return filepath.ToSlash(f.path)
}

// File moves the task file by the status of the result. Errors are evidence: source executor, op
// file_task, with the attribute path; or of git, when the move could not be staged. Filing what is
// filed already changes nothing.
func (f *Filer) File(ctx context.Context, r *executor.Result) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	name := f.directory(r)
	if name == "" {
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
	return f.stage(ctx, from, to)
}

// directory returns the name of the directory for tasks with such a result, or "" to leave the file
// where it is.
func (f *Filer) directory(r *executor.Result) string {
	if r.EndReason == executor.EndDryRun {
		return ""
	}
	switch r.Status {
	case executor.StatusCompleted:
		return f.config.Completed
	case executor.StatusBlocked:
		return f.config.Blocked
	case executor.StatusFailed:
		return f.config.Failed
	}
	return ""
}

// target returns the directory of the name.
func (f *Filer) target(name string) string {
	base := filepath.Dir(f.path)
	c := &f.config
	if slices.Contains([]string{c.Completed, c.Blocked, c.Failed, c.Pending}, filepath.Base(base)) {
		base = filepath.Dir(base)
	}
	return filepath.Join(base, name)
}

// move moves the file into the directory of the name and returns its new path.
func (f *Filer) move(name string) (string, error) {
	dir := f.target(name)
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
	if errors.Is(err, fs.ErrNotExist) && isFile(root, filepath.Join(dir, filepath.Base(f.path))) {
		return filepath.Join(dir, filepath.Base(f.path)), nil // filed by a run that died before it said so
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
	return f.moveInto(root, dir, info.Mode().Perm())
}

// stage puts the move into git's index.
func (f *Filer) stage(ctx context.Context, from, to string) error {
	paths := []string{filepath.ToSlash(from), filepath.ToSlash(to)}
	err := f.config.Stage(ctx, paths)
	if err == nil {
		return nil
	}
	var known *taxonomy.Evidence
	if errors.As(err, &known) {
		return err
	}
	ev := detect.Of(fmt.Errorf("stage the task file: %w", err))
	ev.Source, ev.Op, ev.Files = "git", "commit", paths
	return &ev
}

// unfiled is the evidence of a task file that could not be moved.
func unfiled(path string, err error) error {
	ev := detect.Of(fmt.Errorf("file the task: %w", err))
	ev.Source, ev.Op = "executor", "file_task"
	ev.Attributes = map[string]string{"path": filepath.ToSlash(path)}
	return &ev
}
