package scenarios_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
)

// memTree is a working tree in memory that notes what must never happen to one. Files below .git/
// are git's own, those below ignored/ are ignored, and link leads out of the tree.
type memTree struct {
	files   map[string]string // the working tree
	head    map[string]string // the last commit
	trees   map[executor.Tree]map[string]string
	saved   map[string]map[string]bool // contents that were saved, by path
	commits []memCommit
	pushes  int
	prs     int
	locked  bool
	begun   bool
	// judged holds what the guard has allowed or a person has approved: contents by path. What is
	// approved stays so.
	judged   map[string]map[string]bool
	approved map[string]bool
	// fails returns the error of an operation, or nil.
	fails func(op string) error
	tell  func(format string, args ...any)
	wrong []string
}

// memCommit is a commit, with the contents of its paths.
type memCommit struct {
	executor.Commit
	id       string
	contents map[string]string
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
		head:   map[string]string{"README": "readme", "src/main": "main", "notes": "old notes"},
		trees:  map[executor.Tree]map[string]string{},
		saved:  map[string]map[string]bool{},
		judged: map[string]map[string]bool{}, approved: map[string]bool{},
		fails: func(string) error { return nil },
		tell:  func(string, ...any) {},
	}
	t.files = maps.Clone(t.head)
	maps.Copy(t.files, usersFiles)
	return t
}

func (t *memTree) violated(format string, args ...any) {
	t.wrong = append(t.wrong, fmt.Sprintf(format, args...))
}

// allow notes that a content of a path may be committed.
func (t *memTree) allow(path, content string) { noteContent(t.judged, path, content) }

func noteContent(m map[string]map[string]bool, path, content string) {
	if m[path] == nil {
		m[path] = map[string]bool{}
	}
	m[path][content] = true
}

func (t *memTree) Dir() string { return "/tree" }

func (t *memTree) Open(context.Context, string) (executor.Space, error) {
	if err := t.fails("lock"); err != nil {
		return nil, err
	}
	if t.locked {
		t.violated("the tree was locked twice")
	}
	t.locked = true
	return t, nil
}

func (t *memTree) Close(bool) error            { t.locked = false; return nil }
func (t *memTree) Seal(context.Context) error  { return nil }
func (t *memTree) Adopt(context.Context) error { return nil }

func (t *memTree) keep(files map[string]string) executor.Tree {
	files = maps.Clone(files)
	maps.DeleteFunc(files, func(path, _ string) bool { return isGitPath(path) })
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

func (t *memTree) Guard(context.Context) (out []executor.Change, err error) {
	for _, path := range slices.Sorted(maps.Keys(t.files)) {
		if isGitPath(path) {
			out = append(out, executor.Change{Path: path, Kind: executor.Added, Hash: t.files[path], Git: true})
		}
	}
	return out, nil
}

func (t *memTree) Diff(_ context.Context, from, to executor.Tree) (out []executor.Change, err error) {
	old, ok := t.trees[from]
	now, known := t.trees[to]
	if !ok || !known {
		t.violated("an unknown tree, %q or %q", from, to)
	}
	for _, path := range slices.Sorted(maps.Keys(unionOf(old, now))) {
		was, before := old[path]
		is, there := now[path]
		change := executor.Change{
			Path: path, Kind: executor.Modified, Hash: is, Ignored: strings.HasPrefix(path, "ignored/"),
			Escapes: path == "src/link",
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
	git, _ := t.Guard(ctx)
	changes, _ := t.Diff(ctx, base, tree)
	changes = append(git, changes...)
	for _, c := range changes {
		noteContent(t.saved, c.Path, c.Hash)
	}
	t.tell("save %s", pathsIn(changes))
	return "refs/attempts/" + name, nil
}

func (t *memTree) Restore(_ context.Context, to executor.Tree, paths []string) (executor.Tree, error) {
	if err := t.fails("revert"); err != nil {
		return "", err
	}
	old := t.trees[to]
	for _, path := range paths {
		was, before := old[path]
		is, now := t.files[path]
		if now && !(before && was == is) && !t.saved[path][is] {
			t.violated("%s was reverted without having been saved", path)
		}
		takePath(t.files, old, path)
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
	for _, done := range t.commits {
		if done.Attempt == c.Attempt {
			return done.id, nil
		}
	}
	if err := t.fails("commit"); err != nil {
		return "", err
	}
	done := memCommit{Commit: c, id: fmt.Sprint("commit-", len(t.commits)+1), contents: map[string]string{}}
	before := maps.Clone(t.head)
	for _, path := range c.Paths {
		takePath(t.head, t.trees[c.Tree], path)
		takePath(done.contents, t.head, path)
		t.checkCommitted(path, before)
	}
	if maps.Equal(before, t.head) {
		return "", nil
	}
	t.commits = append(t.commits, done)
	t.tell("commit %s", strings.Join(c.Paths, " "))
	return done.id, nil
}

// checkCommitted notes a content in a commit that was not allowed.
func (t *memTree) checkCommitted(path string, before map[string]string) {
	content, there := t.head[path]
	was, old := before[path]
	if there == old && content == was {
		return
	}
	if strings.HasPrefix(content, "the user's") {
		t.violated("%s was committed with what the user had there", path)
	}
	if !t.judged[path][content] {
		t.violated("%s was committed as %q, which was not allowed", path, content)
	}
	if isGitPath(path) || strings.HasPrefix(path, "ignored/") || path == "src/link" {
		t.violated("%s was committed", path)
	}
}

func (t *memTree) Push(context.Context) error {
	if err := t.fails("push"); err != nil {
		return err
	}
	t.pushes++
	t.tell("push")
	return nil
}

func (t *memTree) OpenPR(context.Context, string, string) (string, error) {
	if err := t.fails("pr"); err != nil {
		return "", err
	}
	t.prs++
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
