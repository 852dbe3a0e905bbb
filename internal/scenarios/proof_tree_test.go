package scenarios_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
)

// memTree is a working tree in memory. Files below .git/ are git's own, those below ignored/ are
// ignored, and link leads out of the tree.
type memTree struct {
	files   map[string]string // the working tree
	head    map[string]string // the last commit
	trees   map[executor.Tree]map[string]string
	commits map[int]string // IDs by attempt
	begun   bool
	// fails returns the error of an operation, or nil.
	fails func(op string) error
	tell  func(format string, args ...any)
}

// The files that a person has in a memTree: changed since the last commit, unknown to git, ignored;
// outside of what tasks may change, and within.
var usersFiles = map[string]string{
	"notes": "the user's new notes", "mine": "the user's", "src/main": "the user's main",
	"src/draft":     "the user's draft",
	"ignored/cache": "the user's cache",
}

func newMemTree() *memTree {
	t := &memTree{
		head:    map[string]string{"README": "readme", "src/main": "main", "notes": "old notes"},
		trees:   map[executor.Tree]map[string]string{},
		commits: map[int]string{},
		fails:   func(string) error { return nil },
		tell:    func(string, ...any) {},
	}
	t.files = maps.Clone(t.head)
	maps.Copy(t.files, usersFiles)
	return t
}

func (t *memTree) Dir() string { return "/tree" }

func (t *memTree) Open(context.Context, string) (executor.Space, error) { return t, t.fails("lock") }

func (t *memTree) Close(bool) error { return nil }
func (t *memTree) Discard() error   { return nil }

func (t *memTree) BeforeCall(context.Context) error            { return nil }
func (t *memTree) AfterCall(context.Context) ([]string, error) { return nil, nil }

func (t *memTree) Deliver(context.Context) (string, error)               { return "", t.fails("deliver") }
func (t *memTree) Forward(context.Context) (why, next string, err error) { return "", "", nil }
func (t *memTree) Update(context.Context) error                          { return nil }

func (t *memTree) keep(files map[string]string) executor.Tree {
	files = maps.Clone(files)
	sum := fmt.Sprint(files)
	t.trees[executor.Tree(sum)] = files
	return executor.Tree(sum)
}

func isGitPath(path string) bool { return strings.HasPrefix(path, ".git/") }

func (t *memTree) Snapshot(context.Context) (executor.Tree, error) {
	op := "detect"
	if !t.begun {
		op = "begin"
	}
	if err := t.fails(op); err != nil {
		return "", err
	}
	t.begun = true
	return t.keep(t.files), nil
}

func (t *memTree) Head(context.Context) (executor.Tree, error) { return t.keep(t.head), nil }

func (t *memTree) Diff(_ context.Context, from, to executor.Tree) (out []executor.Change, err error) {
	old, now := t.trees[from], t.trees[to]
	for _, path := range slices.Sorted(maps.Keys(unionOf(old, now))) {
		was, before := old[path]
		is, there := now[path]
		change := executor.Change{
			Path: path, Kind: executor.Modified, Hash: is, Ignored: strings.HasPrefix(path, "ignored/"),
			Escapes: path == "src/link" || isGitPath(path),
		}
		switch {
		case before && there && was == is:
			continue
		case !before:
			change.Kind = executor.Added
		case !there:
			change.Kind = executor.Removed
		}
		out = append(out, change)
	}
	return out, nil
}

func unionOf(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	if out == nil {
		out = map[string]string{}
	}
	maps.Copy(out, b)
	return out
}

func (t *memTree) Save(ctx context.Context, name string, base, tree executor.Tree) (string, error) {
	if err := t.fails("save"); err != nil {
		return "", err
	}
	changes, _ := t.Diff(ctx, base, tree)
	t.tell("save %s", pathsIn(changes))
	return "refs/attempts/" + name, nil
}

func (t *memTree) Restore(_ context.Context, to executor.Tree, paths []string) (executor.Tree, error) {
	if err := t.fails("revert"); err != nil {
		return "", err
	}
	for _, path := range paths {
		takePath(t.files, t.trees[to], path)
	}
	t.tell("revert %s", strings.Join(paths, " "))
	return t.keep(t.files), nil
}

func (t *memTree) Accept(_ context.Context, base, from executor.Tree, paths []string) (executor.Tree, error) {
	if err := t.fails("advance"); err != nil {
		return "", err
	}
	next := maps.Clone(t.trees[base])
	for _, path := range paths {
		takePath(next, t.trees[from], path)
	}
	return t.keep(next), nil
}

// takePath makes the path in to what it is in from.
func takePath(to, from map[string]string, path string) {
	if content, ok := from[path]; ok {
		to[path] = content
		return
	}
	delete(to, path)
}

func (t *memTree) Commit(_ context.Context, c executor.Commit) (string, error) {
	if id := t.commits[c.Attempt]; id != "" {
		return id, nil
	}
	if err := t.fails("commit"); err != nil {
		return "", err
	}
	before := maps.Clone(t.head)
	for _, path := range c.Paths {
		takePath(t.head, t.trees[c.Tree], path)
	}
	if maps.Equal(before, t.head) {
		return "", nil
	}
	t.commits[c.Attempt] = fmt.Sprint("commit-", len(t.commits)+1)
	t.tell("commit %s", strings.Join(c.Paths, " "))
	return t.commits[c.Attempt], nil
}

func (t *memTree) Push(context.Context) error {
	if err := t.fails("push"); err != nil {
		return err
	}
	t.tell("push")
	return nil
}

func (t *memTree) OpenPR(context.Context, string, string) (string, error) {
	if err := t.fails("pr"); err != nil {
		return "", err
	}
	t.tell("open a pull request")
	return "https://example.com/pr/1", nil
}

func pathsIn(changes []executor.Change) string {
	var out []string
	for _, c := range changes {
		out = append(out, c.Path)
	}
	return strings.Join(out, " ")
}
