package escalate_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
)

// memoryTree is a working tree in memory.
type memoryTree struct {
	files   map[string]string
	trees   map[executor.Checked]map[string]string
	history []memoryCommit
	// committing, unless nil, is called when a commit is made and nobody was told of it yet.
	committing func()
	saves      int
	// fails are the operations that fail, for as often as is said.
	fails map[string]int
	// failed are those that have failed.
	failed map[string]bool
}

func newMemoryTree() *memoryTree {
	return &memoryTree{
		files: map[string]string{"AGENTS.md": "here"}, trees: map[executor.Checked]map[string]string{},
		fails: map[string]int{}, failed: map[string]bool{},
	}
}

var errTree = errors.New("the tree fails")

func (t *memoryTree) next(op string) error {
	if t.fails[op] == 0 {
		return nil
	}
	t.fails[op]--
	t.failed[op] = true
	return errTree
}

func (t *memoryTree) keep(files map[string]string) executor.Checked {
	name := executor.Checked(fmt.Sprintf("tree%d", len(t.trees)+1))
	t.trees[name] = maps.Clone(files)
	return name
}

func (*memoryTree) Dir() string { return "dir" }

func (*memoryTree) Lock(context.Context, string) (func() error, error) {
	return func() error { return nil }, nil
}

func (t *memoryTree) Begin(context.Context, string) (executor.Checked, error) {
	return t.keep(t.files), nil
}

func (*memoryTree) Resume(context.Context, string, executor.Checked) error { return nil }

func (t *memoryTree) Detect(_ context.Context, c executor.Checked) ([]executor.Change, error) {
	old := t.trees[c]
	var all []executor.Change
	for p, content := range t.files {
		switch was, ok := old[p]; {
		case !ok:
			all = append(all, executor.Change{Path: p, Kind: executor.Added, Hash: content})
		case was != content:
			all = append(all, executor.Change{Path: p, Kind: executor.Modified, Hash: content})
		}
	}
	for p := range old {
		if _, ok := t.files[p]; !ok {
			all = append(all, executor.Change{Path: p, Kind: executor.Removed})
		}
	}
	slices.SortFunc(all, func(a, b executor.Change) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

func (t *memoryTree) Save(context.Context, string, int, executor.Checked, []executor.Change) (string, error) {
	if err := t.next("save"); err != nil {
		return "", err
	}
	t.saves++
	return fmt.Sprintf("refs/saved/%d", t.saves), nil
}

func (t *memoryTree) Revert(_ context.Context, c executor.Checked, changes []executor.Change) error {
	if err := t.next("revert"); err != nil {
		return err
	}
	copyPaths(t.files, t.trees[c], changes)
	return nil
}

func (t *memoryTree) Advance(_ context.Context, _ string, c executor.Checked, changes []executor.Change) (
	executor.Checked, error) {
	if err := t.next("advance"); err != nil {
		return "", err
	}
	next := maps.Clone(t.trees[c])
	copyPaths(next, t.files, changes)
	return t.keep(next), nil
}

func copyPaths(to, from map[string]string, changes []executor.Change) {
	for _, c := range changes {
		if content, ok := from[c.Path]; ok {
			to[c.Path] = content
		} else {
			delete(to, c.Path)
		}
	}
}

func (t *memoryTree) Commit(_ context.Context, c executor.Commit) (executor.CommitDone, error) {
	if err := t.next("commit"); err != nil {
		return executor.CommitDone{}, err
	}
	done := t.commit(c)
	if t.committing != nil {
		t.committing()
	}
	if err := t.next("commit_end"); err != nil {
		return executor.CommitDone{}, err
	}
	return done, nil
}

func (t *memoryTree) Committed(_ context.Context, c executor.Commit) (executor.CommitDone, error) {
	if err := t.next("committed"); err != nil {
		return executor.CommitDone{}, err
	}
	for _, made := range t.history {
		if made.attempt == c.Attempt {
			return made.CommitDone, nil
		}
	}
	return executor.CommitDone{}, nil
}

func (*memoryTree) Push(context.Context) error { return errTree }

func (*memoryTree) OpenPR(context.Context, string, string) (string, error) { return "", errTree }

func (*memoryTree) Release(context.Context, string) error { return nil }
