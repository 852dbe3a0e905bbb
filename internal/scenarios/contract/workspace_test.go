package contract_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/workspace"
)

// trees are the implementations of a working tree.
func trees() []treeMaker { return []treeMaker{{"workspace", openWorkspace}, {"gittree", openGitTree}} }

// workspaceTree is a [workspace.Git] that has the working tree for a run.
type workspaceTree struct {
	git    *workspace.Git
	ctx    context.Context
	dir    string
	unlock func() error
}

func openWorkspace(ctx context.Context, dir, checked, binary string) (tree, error) {
	git, err := workspace.Open(ctx, dir, workspace.Options{Binary: binary, Watch: watchedFiles{}})
	if err != nil {
		return nil, err
	}
	unlock, err := git.Lock(ctx, "run")
	if err != nil {
		return nil, err
	}
	if checked != "" {
		err = git.Resume(ctx, "run", executor.Checked(checked))
	}
	return &workspaceTree{git, ctx, dir, unlock}, err
}

func (w *workspaceTree) close() error                           { return w.unlock() }
func (w *workspaceTree) begin() (string, error)                 { return checkedTree(w.git.Begin(w.ctx, "run")) }
func checkedTree(c executor.Checked, err error) (string, error) { return string(c), err }

func (w *workspaceTree) detect(checked string) (all []treeChange, err error) {
	found, err := w.git.Detect(w.ctx, executor.Checked(checked))
	for _, c := range found {
		all = append(all, treeChange{c.Path, string(c.Kind), c.Git, c.Escapes, c})
	}
	return all, err
}

func executorChanges(all []treeChange) (out []executor.Change) {
	for _, c := range all {
		out = append(out, c.own.(executor.Change))
	}
	return out
}

func (w *workspaceTree) save(attempt int, checked string, changes []treeChange) (string, error) {
	return w.git.Save(w.ctx, "run", attempt, executor.Checked(checked), executorChanges(changes))
}

// show reads a saved file from its commit, or from beside it if the file can be a secret.
func (w *workspaceTree) show(saved, path string) (string, error) {
	cmd := exec.Command("git", "show", saved+":"+path)
	cmd.Dir = w.dir
	if b, err := cmd.Output(); err == nil {
		return string(b), nil
	}
	name := strings.TrimPrefix(saved, "refs/errgen/")
	b, err := os.ReadFile(filepath.Join(w.dir, ".git", "errgen", "saved", name, path))
	return string(b), err
}

func (w *workspaceTree) revert(checked string, changes []treeChange) error {
	return w.git.Revert(w.ctx, executor.Checked(checked), executorChanges(changes))
}

func (w *workspaceTree) accept(checked string, changes []treeChange) (string, error) {
	return checkedTree(w.git.Advance(w.ctx, "run", executor.Checked(checked), executorChanges(changes)))
}

func (w *workspaceTree) commit(attempt int, checked string, paths []string) (string, error) {
	done, err := w.git.Commit(w.ctx, executor.Commit{Run: "run", Attempt: attempt, Checked: executor.Checked(checked),
		Paths: paths, Message: "attempt " + strconv.Itoa(attempt)})
	return done.ID, err
}
