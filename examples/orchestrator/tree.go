package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/errgen/errgen/runtime/workspace"
)

// tree is the working tree of a run.
type tree struct {
	*workspace.Git
	// fresh is what was made for the run, and is removed after it; empty is nothing.
	fresh string
}

// openTree opens the working tree: the one that is named, or a fresh copy of the project beside the
// plan. The copy of a run that is kept is found again.
func (o *options) openTree(ctx context.Context, run string) (*tree, error) {
	if o.dir != "" {
		return openRoot(ctx, o.dir)
	}
	dir, fresh, err := o.copyProject(ctx, run)
	if err != nil {
		return nil, err
	}
	git, err := workspace.Open(ctx, dir, workspace.Options{})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the working tree: %w", err), removeAll(fresh))
	}
	return &tree{git, fresh}, nil
}

// openRoot opens the working tree whose root is dir. A directory within one is refused: all of the
// tree would be worked on and put back.
func openRoot(ctx context.Context, dir string) (*tree, error) {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return nil, fmt.Errorf("open the working tree: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("open the working tree: %s is not a directory", dir)
	}
	git, err := workspace.Open(ctx, dir, workspace.Options{})
	if err != nil {
		return nil, fmt.Errorf("open the working tree: %w", err)
	}
	root, err := os.Stat(git.Dir())
	if err != nil {
		return nil, fmt.Errorf("open the working tree: %w", err)
	}
	if !os.SameFile(info, root) {
		return nil,
			fmt.Errorf(
				"-dir %s is within the repository %s, all of which would be worked on: name that, or make a "+
					"repository of the directory with git init",
				dir, git.Dir())
	}
	return &tree{git, ""}, nil
}

// copyProject returns a repository that has the files of the project beside the plan, and what is
// to be removed when it is not needed any more.
func (o *options) copyProject(ctx context.Context, run string) (dir, fresh string, err error) {
	project := filepath.Join(filepath.Dir(o.plan), "project")
	if info, err := os.Stat(project); err != nil || !info.IsDir() {
		return "", "", errors.New("there is no directory project beside the plan; name the working tree with -dir")
	}
	switch {
	case o.state == "":
		if fresh, err = os.MkdirTemp("", "orchestrator-"); err != nil {
			return "", "", fmt.Errorf("make a directory for the project: %w", err)
		}
	default:
		fresh = filepath.Join(o.state, "trees", run)
	}
	dir = filepath.Join(fresh, "project")
	if _, err := os.Stat(dir); err == nil {
		return dir, fresh, nil
	}
	if err := makeRepository(ctx, dir, os.DirFS(project)); err != nil {
		return "", "", errors.Join(fmt.Errorf("make a copy of %s: %w", project, err), removeAll(fresh))
	}
	return dir, fresh, nil
}

// makeRepository makes a repository with files in it, all or nothing.
func makeRepository(ctx context.Context, dir string, files fs.FS) error {
	part := dir + ".part"
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	if err := os.CopyFS(part, files); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main", "--template="},
		{"config", "user.name", "Orchestrator"}, {"config", "user.email", "orchestrator@example.com"},
		{"config", "commit.gpgSign", "false"}, {"config", "core.autocrlf", "false"},
		{"add", "--all"}, {"commit", "--quiet", "--message=The project as it was"},
	} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = part
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(string(out)))
		}
	}
	return os.Rename(part, dir)
}

// close removes what was made for the run, unless it is still needed.
func (t *tree) close(keep bool) error {
	if keep {
		return nil
	}
	return removeAll(t.fresh)
}

func removeAll(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove the copy of the project: %w", err)
	}
	return nil
}

// apart refuses a directory for the state that tiers could write to.
func (t *tree) apart(state string) error {
	if state == "" || t.fresh != "" {
		return nil
	}
	abs, err := filepath.Abs(state)
	if err != nil {
		return fmt.Errorf("find the directory of the state: %w", err)
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	if within(t.Dir(), abs) && !within(t.GitDir(), abs) {
		return fmt.Errorf("-state %s is in the working tree, where tiers work; name another directory", state)
	}
	return nil
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
