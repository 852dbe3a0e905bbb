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
	trees   map[executor.Checked]map[string]string
	saved   map[string]map[string]bool // contents that were saved, by path
	commits []memCommit
	pushes  int
	prs     int
	locked  bool
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
		trees:  map[executor.Checked]map[string]string{},
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

func (t *memTree) Lock(context.Context, string) (func() error, error) {
	if err := t.fails("lock"); err != nil {
		return nil, err
	}
	if t.locked {
		t.violated("the tree was locked twice")
	}
	t.locked = true
	return func() error { t.locked = false; return nil }, nil
}

func (t *memTree) keep(files map[string]string) executor.Checked {
	name := executor.Checked(fmt.Sprint("tree-", len(t.trees)+1))
	t.trees[name] = maps.Clone(files)
	return name
}

func (t *memTree) Begin(context.Context, string) (executor.Checked, error) {
	if err := t.fails("begin"); err != nil {
		return "", err
	}
	return t.keep(t.files), nil
}

func (t *memTree) Resume(context.Context, string, executor.Checked) error { return t.fails("resume") }

func (t *memTree) Detect(_ context.Context, checked executor.Checked) ([]executor.Change, error) {
	if err := t.fails("detect"); err != nil {
		return nil, err
	}
	old, ok := t.trees[checked]
	if !ok {
		t.violated("detect against the unknown tree %q", checked)
	}
	var out []executor.Change
	for _, path := range slices.Sorted(maps.Keys(unionOf(old, t.files))) {
		was, before := old[path]
		is, now := t.files[path]
		change := executor.Change{
			Path: path, Kind: executor.Modified, Hash: is,
			Git: strings.HasPrefix(path, ".git/"), Ignored: strings.HasPrefix(path, "ignored/"),
			Escapes: path == "src/link",
		}
		switch {
		case before && now && was == is:
			continue
		case !before:
			change.Kind = executor.Added
		case !now:
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

func (t *memTree) Save(_ context.Context, run string, attempt int, _ executor.Checked, changes []executor.Change) (
	string, error) {
	if err := t.fails("save"); err != nil {
		return "", err
	}
	for _, c := range changes {
		noteContent(t.saved, c.Path, t.files[c.Path])
	}
	t.tell("save %s", pathsIn(changes))
	return fmt.Sprintf("refs/errgen/%s/%d", run, attempt), nil
}

func (t *memTree) Revert(_ context.Context, checked executor.Checked, changes []executor.Change) error {
	if err := t.fails("revert"); err != nil {
		return err
	}
	old := t.trees[checked]
	for _, c := range changes {
		was, before := old[c.Path]
		is, now := t.files[c.Path]
		if now && !(before && was == is) && !t.saved[c.Path][is] {
			t.violated("%s was put back without having been saved", c.Path)
		}
		if before {
			t.files[c.Path] = was
		} else {
			delete(t.files, c.Path)
		}
	}
	t.tell("revert %s", pathsIn(changes))
	return nil
}

func (t *memTree) Advance(_ context.Context, _ string, checked executor.Checked, changes []executor.Change) (
	executor.Checked, error) {
	if err := t.fails("advance"); err != nil {
		return "", err
	}
	next := maps.Clone(t.trees[checked])
	for _, c := range changes {
		takePath(next, t.files, c.Path)
	}
	return t.keep(next), nil
}

// takePath has the path be in to as it is in from.
func takePath(to, from map[string]string, path string) {
	if content, ok := from[path]; ok {
		to[path] = content
		return
	}
	delete(to, path)
}

func (t *memTree) Commit(_ context.Context, c executor.Commit) (executor.CommitDone, error) {
	if err := t.fails("commit"); err != nil {
		return executor.CommitDone{}, err
	}
	done := memCommit{Commit: c, id: fmt.Sprint("commit-", len(t.commits)+1), contents: map[string]string{}}
	before := maps.Clone(t.head)
	for _, path := range c.Paths {
		takePath(t.head, t.trees[c.Checked], path)
		takePath(done.contents, t.head, path)
		t.checkCommitted(path, before)
	}
	if maps.Equal(before, t.head) {
		return executor.CommitDone{}, nil
	}
	for _, other := range t.commits {
		if other.Run == c.Run && other.Attempt == c.Attempt {
			t.violated("attempt %d was committed twice", c.Attempt)
		}
	}
	t.commits = append(t.commits, done)
	t.tell("commit %s", strings.Join(c.Paths, " "))
	return done.done(), nil
}

func (c memCommit) done() executor.CommitDone { return executor.CommitDone{ID: c.id, Paths: c.Paths} }

// checkCommitted notes a content in a commit that nobody has allowed.
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
		t.violated("%s was committed as %q, which nobody has allowed", path, content)
	}
	if strings.HasPrefix(path, ".git/") || strings.HasPrefix(path, "ignored/") || path == "src/link" {
		t.violated("%s was committed", path)
	}
}

func (t *memTree) Committed(_ context.Context, c executor.Commit) (executor.CommitDone, error) {
	for _, done := range t.commits {
		if done.Run == c.Run && done.Attempt == c.Attempt {
			return done.done(), nil
		}
	}
	return executor.CommitDone{}, nil
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

func (t *memTree) Release(context.Context, string) error { return t.fails("release") }

func pathsIn(changes []executor.Change) string {
	var out []string
	for _, c := range changes {
		out = append(out, c.Path)
	}
	return strings.Join(out, " ")
}
