package recovery

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/validate"
)

// Tools are what strategies work with. [NewTools] makes them for this machine.
type Tools interface {
	// Dir returns the directory that commands run in: the root of the working tree, absolute.
	Dir() string
	// Run runs a command to its end, for a limited time. Op names what it is for in evidence.
	Run(ctx context.Context, op string, c validate.Command) validate.Result
	// Begin records the working tree, so that later changes can be reverted. It returns
	// [ErrNoWorkspace] without a working tree, an error that wraps gittree.ErrHeld for a tree that
	// is locked, and one that wraps [ErrUnfinished] if an earlier fix left its changes in the tree.
	Begin(ctx context.Context, run string) (Tree, error)
}

// Tree is a working tree as it was when it was begun with.
type Tree interface {
	// Changes returns what has changed since.
	Changes(ctx context.Context) ([]executor.Change, error)
	// Save keeps changes, and returns under which reference.
	Save(ctx context.Context, changes []executor.Change) (ref string, err error)
	// Revert puts changes back, and the permissions of files. It touches nothing else.
	Revert(ctx context.Context, changes []executor.Change) error
	// Before returns the reference of a commit that has the tree as it was, until Release without
	// keep; empty for none.
	Before() string
	// Release lets go of the tree. Keep has it kept what a revert would need; what Save has kept
	// stays in any case.
	Release(ctx context.Context, keep bool) error
}

// Workspace is the part of an [executor.Workspace] that puts changes back. A *workspace.Git is
// one.
type Workspace interface {
	Dir() string
	Lock(ctx context.Context, run string) (unlock func() error, err error)
	Begin(ctx context.Context, run string) (executor.Checked, error)
	Detect(ctx context.Context, checked executor.Checked) ([]executor.Change, error)
	Look(ctx context.Context, checked executor.Checked) ([]executor.Change, error)
	Save(ctx context.Context, run string, attempt int, checked executor.Checked, changes []executor.Change) (
		ref string, err error)
	Revert(ctx context.Context, checked executor.Checked, changes []executor.Change) error
	Advance(ctx context.Context, run string, checked executor.Checked, changes []executor.Change) (
		executor.Checked, error)
	RestoreModes(ctx context.Context, checked executor.Checked) error
	Release(ctx context.Context, run string) error
	Forget(run string) error
	PruneRuns(ctx context.Context, prefix string, olderThan time.Duration) (int, error)
	GitDir() string
}

// DefaultKeepSaved is how long what mends have changed stays saved after it was put back.
const DefaultKeepSaved = 14 * 24 * time.Hour

// ToolsConfig says what tools work on. Dir or Workspace is required.
type ToolsConfig struct {
	// Workspace is the working tree. Without it nothing can be put back, so that a [Fix] refuses to
	// run.
	Workspace Workspace
	// Lock takes the working tree while commands run. It must be false where an executor's run has
	// the tree, and true where nobody else has. Who comes second waits; see Options.LockWait. A
	// mend that was not brought to an end, because its process was killed, is noticed by the next
	// one; see [ErrUnfinished].
	Lock bool
	// KeepSaved is how long what mends have changed stays saved after it was put back, or could not
	// be; 0 is DefaultKeepSaved, less than 0 is for ever. Mends remove what is older.
	KeepSaved time.Duration
	// Dir is where commands run; empty is the root of the workspace.
	Dir string
	// Env adds to what proc.SafeEnv lets through: "NAME=value", or "NAME" for this process's value.
	Env []string
	// Limit is how long a command may take that has no limit of its own; 0 is
	// validate.DefaultLimit.
	Limit time.Duration
	// Grace is how long a command that is stopped has to end by itself; 0 is proc.DefaultGrace.
	Grace time.Duration
	// Output is how many bytes of the end of what a command prints are kept; 0 is
	// validate.DefaultOutput.
	Output int
	// Tee, unless nil, gets everything that commands print, as they print it. It must not block.
	Tee io.Writer
}

// NewTools returns tools that run commands as a [validate.Validator] does: in a process group of
// their own that is ended as a whole, with an environment that has no keys in it, for a limited
// time, with bounded output.
func NewTools(c ToolsConfig) (Tools, error) {
	if c.Dir == "" && c.Workspace != nil {
		c.Dir = c.Workspace.Dir()
	}
	if c.Dir == "" {
		return nil, misfit("Dir", "", "the directory that commands run in, or a Workspace")
	}
	dir, err := realDir(c.Dir)
	if err != nil {
		return nil, misfit("Dir", c.Dir, "a directory that is there")
	}
	if c.Workspace != nil {
		if rel, err := filepath.Rel(c.Workspace.Dir(), dir); err != nil || rel != "." && !filepath.IsLocal(rel) {
			return nil, misfit("Dir", c.Dir, "a directory of the workspace, since nothing else can be put back")
		}
	}
	runner, err := validate.New(validate.Config{
		Dir: dir, Env: c.Env, Limit: c.Limit, Grace: c.Grace, Output: c.Output, Tee: c.Tee,
	})
	if err != nil {
		return nil, err
	}
	l := &local{dir: dir, runner: runner, tree: c.Workspace, lock: c.Lock, keep: c.KeepSaved, grace: c.Grace}
	if l.keep == 0 {
		l.keep = DefaultKeepSaved
	}
	return l, nil
}

// realDir returns the path of a directory, absolute and without symbolic links.
func realDir(name string) (string, error) {
	dir, err := filepath.Abs(name)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", err
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a directory", name)
	}
	return dir, err
}
