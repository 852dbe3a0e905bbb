package recovery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/workspace"
)

// Tools are what strategies work with. [NewTools] makes them for this machine.
type Tools interface {
	// Dir returns the directory that commands run in: the root of the working tree, absolute.
	Dir() string
	// Run runs a command to its end, for a limited time. Op names what it is for in evidence.
	Run(ctx context.Context, op string, c workspace.Command) workspace.CommandResult
	// Begin remembers the working tree as it is, so that what changes from now on can be put back. Without a working tree
	// that can be it returns [ErrNoWorkspace].
	Begin(ctx context.Context, run string) (Tree, error)
}

// Tree is a working tree as it was when it was begun with.
type Tree interface {
	// Changes returns what has changed since.
	Changes(ctx context.Context) ([]executor.Change, error)
	// Save keeps changes, and returns under which reference.
	Save(ctx context.Context, changes []executor.Change) (ref string, err error)
	// Revert puts changes back, and touches nothing else.
	Revert(ctx context.Context, changes []executor.Change) error
	// Release lets go of the tree. Keep has it kept what a revert would need; what Save has kept stays in any case.
	Release(ctx context.Context, keep bool) error
}

// ErrNoWorkspace says that there is no working tree that changes could be put back in.
var ErrNoWorkspace = errors.New("there is no workspace")

// Workspace is the part of an [executor.Workspace] that puts changes back. A [workspace.Git] is one.
type Workspace interface {
	Dir() string
	Lock(ctx context.Context, run string) (unlock func() error, err error)
	Begin(ctx context.Context, run string) (executor.Checked, error)
	Detect(ctx context.Context, checked executor.Checked) ([]executor.Change, error)
	Save(ctx context.Context, run string, attempt int, checked executor.Checked, changes []executor.Change) (ref string, err error)
	Revert(ctx context.Context, checked executor.Checked, changes []executor.Change) error
	Advance(ctx context.Context, run string, checked executor.Checked, changes []executor.Change) (executor.Checked, error)
	Release(ctx context.Context, run string) error
}

// ToolsConfig says what tools work on. Dir or Workspace is required.
type ToolsConfig struct {
	// Workspace is the working tree. Without it nothing can be put back, so that a [Fix] refuses to run.
	Workspace Workspace
	// Lock takes the working tree while commands run. It must be false where an executor's run has the tree, and true
	// where nobody else has.
	Lock bool
	// Dir is where commands run; empty is the root of the workspace.
	Dir string
	// Env adds to what proc.SafeEnv lets through: "NAME=value", or "NAME" for this process's value.
	Env []string
	// Limit is how long a command may take that has no limit of its own; 0 is workspace.DefaultValidationLimit.
	Limit time.Duration
	// Grace is how long a command that is stopped has to end by itself; 0 is proc.DefaultGrace.
	Grace time.Duration
	// Output is how many bytes of the end of what a command prints are kept; 0 is workspace.DefaultValidationOutput.
	Output int
	// Tee, unless nil, gets everything that commands print, as they print it. It must not block.
	Tee io.Writer
}

// NewTools returns tools that run commands as a [workspace.Validator] does: in a process group of their own that is ended
// as a whole, with an environment that has no keys in it, for a limited time, with bounded output.
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
	runner, err := workspace.NewValidator(workspace.ValidatorConfig{
		Dir: dir, Env: c.Env, Limit: c.Limit, Grace: c.Grace, Output: c.Output, Tee: c.Tee,
	})
	if err != nil {
		return nil, err
	}
	return &local{dir: dir, runner: runner, tree: c.Workspace, lock: c.Lock}, nil
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

// local are the tools of this machine.
type local struct {
	dir    string
	runner *workspace.Validator
	tree   Workspace
	lock   bool
}

func (l *local) Dir() string { return l.dir }

func (l *local) Run(ctx context.Context, op string, c workspace.Command) workspace.CommandResult {
	return l.runner.RunCommand(ctx, op, c)
}

func (l *local) Begin(ctx context.Context, run string) (Tree, error) {
	if l.tree == nil {
		return nil, ErrNoWorkspace
	}
	t := &localTree{Workspace: l.tree, run: run, unlock: func() error { return nil }}
	if l.lock {
		unlock, err := l.tree.Lock(ctx, run)
		if err != nil {
			return nil, err
		}
		t.unlock = unlock
	}
	var err error
	if t.checked, err = l.tree.Begin(ctx, run); err != nil {
		return nil, errors.Join(err, t.unlock())
	}
	return t, nil
}

type localTree struct {
	Workspace
	run     string
	checked executor.Checked
	unlock  func() error
	last    []executor.Change // what Changes has found last
}

func (t *localTree) Changes(ctx context.Context) (_ []executor.Change, err error) {
	t.last, err = t.Detect(ctx, t.checked)
	return t.last, err
}

func (t *localTree) Save(ctx context.Context, changes []executor.Change) (string, error) {
	return t.Workspace.Save(ctx, t.run, 1, t.checked, changes)
}

func (t *localTree) Revert(ctx context.Context, changes []executor.Change) error {
	return t.Workspace.Revert(ctx, t.checked, changes)
}

func (t *localTree) Release(ctx context.Context, keep bool) error {
	return errors.Join(t.release(ctx, keep), t.unlock())
}

// release accepts the tree as it is before it lets go, because a workspace keeps what is nowhere else any more.
func (t *localTree) release(ctx context.Context, keep bool) error {
	if keep {
		return nil
	}
	if len(t.last) > 0 {
		if _, err := t.Advance(ctx, t.run, t.checked, t.last); err != nil {
			return err
		}
	}
	return t.Workspace.Release(ctx, t.run)
}
