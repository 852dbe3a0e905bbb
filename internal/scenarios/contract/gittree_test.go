package contract_test

import (
	"context"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/gittree"
)

// gitTree is a [gittree.Space].
type gitTree struct {
	*gittree.Space
	ctx   context.Context
	found gittree.Tree
}

func openGitTree(ctx context.Context, dir, _, binary string) (tree, error) {
	s, err := gittree.Open(ctx, dir, "run", gittree.Options{Binary: binary, Watch: watchedFiles{}})
	if err != nil {
		return nil, err
	}
	return &gitTree{Space: s, ctx: ctx}, nil
}

// watchedFiles watches what [watched] names.
type watchedFiles struct{}

func (watchedFiles) Watches(path string) bool { return watched(path) }
func (watchedFiles) WatchesBelow(string) bool { return true }

func (g *gitTree) begin() (string, error) {
	tree, err := g.Snapshot(g.ctx)
	return string(tree), err
}

func (g *gitTree) detect(checked string) (all []treeChange, err error) {
	if g.found, err = g.Snapshot(g.ctx); err != nil {
		return nil, err
	}
	ofGit, err := g.Guard(g.ctx)
	if err != nil {
		return nil, err
	}
	files, err := g.Diff(g.ctx, gittree.Tree(checked), g.found)
	for _, c := range append(ofGit, files...) {
		kind := "modified"
		if c.OldMode == gittree.Absent {
			kind = "added"
		} else if c.NewMode == gittree.Absent {
			kind = "removed"
		}
		all = append(all, treeChange{c.Path, kind, c.Git, c.Escapes, nil})
	}
	return all, err
}

func changedPaths(all []treeChange) (out []string) {
	for _, c := range all {
		out = append(out, c.path)
	}
	return out
}

func (g *gitTree) save(attempt int, checked string, _ []treeChange) (string, error) {
	return g.Save(g.ctx, strconv.Itoa(attempt), gittree.Tree(checked), g.found)
}

func (g *gitTree) show(saved, path string) (string, error) {
	var b strings.Builder
	err := gittree.ShowSaved(g.ctx, g.Root(), "run", saved, path, &b, gittree.Options{})
	return b.String(), err
}

func (g *gitTree) revert(checked string, changes []treeChange) error {
	_, err := g.Restore(g.ctx, gittree.Tree(checked), g.found, changedPaths(changes))
	return err
}

func (g *gitTree) accept(checked string, changes []treeChange) (string, error) {
	next, err := g.Accept(g.ctx, gittree.Tree(checked), g.found, changedPaths(changes))
	return string(next), err
}

func (g *gitTree) commit(attempt int, checked string, paths []string) (string, error) {
	done, err := g.Commit(g.ctx, gittree.Commit{
		Attempt: attempt, Tree: gittree.Tree(checked), Paths: paths, Message: "attempt " + strconv.Itoa(attempt)})
	return done.ID, err
}

func (g *gitTree) close() error { return g.Close(false) }
