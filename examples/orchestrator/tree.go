package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/executor/workspace"
)

// openDir returns the working tree. If the directory does not exist, or is not named, it becomes a
// repository with the files of the project. Remove removes a temporary one.
func openDir(ctx context.Context, name, project string) (dir string, remove func(), err error) {
	remove = func() {}
	if name == "" {
		if dir, err = os.MkdirTemp("", "orchestrator-"); err != nil {
			return "", remove, err
		}
		remove = func() { _ = os.RemoveAll(dir); _ = os.RemoveAll(dir + ".clones") }
	} else {
		if dir, err = filepath.Abs(name); err != nil {
			return "", remove, err
		}
		if _, err := os.Stat(dir); err == nil {
			dir, err = filepath.EvalSymlinks(dir)
			return dir, remove, err
		}
	}
	if err = create(ctx, dir, project); err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		remove()
		return "", func() {}, fmt.Errorf("create %s from %s: %w", dir, project, err)
	}
	return dir, remove, nil
}

// create makes a repository of a copy of the project.
func create(ctx context.Context, dir, project string) error {
	if err := os.CopyFS(dir, os.DirFS(project)); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, args := range [][]string{
		{"init", "--quiet"}, {"config", "user.name", "Orchestrator"},
		{"config", "user.email", "orchestrator@example.com"}, {"add", "--all"},
		{"commit", "--quiet", "--message", "Begin"},
	} {
		if _, err := git(ctx, dir, args...); err != nil {
			return err
		}
	}
	return nil
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("git %s: %w: %s", args[0], err, exit.Stderr)
	}
	return string(out), err
}

// openTree returns the clone in which the plan works, and the store of the states of its runs, which is
// beside the clones of the repository.
func openTree(ctx context.Context, dir, run, home string) (*workspace.Workspace, func() executor.Store, error) {
	leftover := func(c workspace.Clone) string {
		return fmt.Sprintf("run %[1]s is not over or not delivered: orchestrator -dir %[2]s -run %[1]s PLAN "+
			"continues it; %[3]s", c.Run, dir, c.Commands())
	}
	tree, err := workspace.New(ctx, dir, run, workspace.Options{Home: home, Leftover: leftover})
	if err != nil {
		return nil, nil, err
	}
	states := filepath.Dir(tree.Home()) + ".states"
	return tree, func() executor.Store { return filestore.New(states) }, nil
}
