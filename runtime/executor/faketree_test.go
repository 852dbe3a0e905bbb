package executor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// fakeTree is a working tree in memory.
type fakeTree struct {
	files   map[string]string
	head    map[string]string
	trees   map[Checked]map[string]string
	commits []Commit
	ids     []string
	pushes  int
	prs     int
	saved   []string
	ops     []string
	released,
	locked bool
	// fail are the errors of the next calls, by operation; nil is none.
	fail map[string][]error
}

func newTree() *fakeTree {
	return &fakeTree{files: map[string]string{"old": "old"}, head: map[string]string{"old": "old"},
		trees: map[Checked]map[string]string{}, fail: map[string][]error{}}
}

func (t *fakeTree) next(op string) error {
	t.ops = append(t.ops, op)
	if len(t.fail[op]) == 0 {
		return nil
	}
	err := t.fail[op][0]
	t.fail[op] = t.fail[op][1:]
	return err
}

func gitFails(op string, typ ...string) error {
	return &taxonomy.Evidence{Source: "git", Op: op, Type: strings.Join(typ, "")}
}

func (t *fakeTree) Dir() string { return "dir" }
func (t *fakeTree) Lock(context.Context, string) (func() error, error) {
	if err := t.next("lock"); err != nil {
		return nil, err
	}
	t.locked = true
	return func() error { t.locked = false; return nil }, nil
}

func (t *fakeTree) keep(files map[string]string) Checked {
	name := Checked(fmt.Sprintf("tree%d", len(t.trees)+1))
	t.trees[name] = maps.Clone(files)
	return name
}

func (t *fakeTree) Begin(context.Context, string) (Checked, error) {
	if err := t.next("begin"); err != nil {
		return "", err
	}
	return t.keep(t.files), nil
}
func (t *fakeTree) Resume(context.Context, string, Checked) error { return t.next("resume") }

func (t *fakeTree) Detect(_ context.Context, c Checked) ([]Change, error) {
	if err := t.next("detect"); err != nil {
		return nil, err
	}
	old := t.trees[c]
	var out []Change
	for p, content := range t.files {
		was, ok := old[p]
		switch {
		case !ok:
			out = append(out, Change{Path: p, Kind: Added, Hash: content})
		case was != content:
			out = append(out, Change{Path: p, Kind: Modified, Hash: content})
		}
	}
	for p := range old {
		if _, ok := t.files[p]; !ok {
			out = append(out, Change{Path: p, Kind: Removed})
		}
	}
	for i := range out {
		out[i].Git = strings.HasPrefix(out[i].Path, ".git/")
		out[i].Ignored = strings.HasPrefix(out[i].Path, "ignored/")
	}
	slices.SortFunc(out, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

func (t *fakeTree) Save(_ context.Context, run string, attempt int, _ Checked, _ []Change) (string, error) {
	if err := t.next("save"); err != nil {
		return "", err
	}
	ref := fmt.Sprintf("refs/%s/%d/%d", run, attempt, len(t.saved))
	t.saved = append(t.saved, ref)
	return ref, nil
}

func (t *fakeTree) Revert(_ context.Context, c Checked, changes []Change) error {
	if err := t.next("revert"); err != nil {
		return err
	}
	for _, ch := range changes {
		if was, ok := t.trees[c][ch.Path]; ok {
			t.files[ch.Path] = was
		} else {
			delete(t.files, ch.Path)
		}
	}
	return nil
}

func (t *fakeTree) Advance(_ context.Context, _ string, c Checked, changes []Change) (Checked, error) {
	if err := t.next("advance"); err != nil {
		return "", err
	}
	next := maps.Clone(t.trees[c])
	copyPaths(next, t.files, pathsOf(changes))
	return t.keep(next), nil
}

func copyPaths(to, from map[string]string, paths []string) {
	for _, p := range paths {
		if content, ok := from[p]; ok {
			to[p] = content
		} else {
			delete(to, p)
		}
	}
}

func (t *fakeTree) Commit(_ context.Context, c Commit) (CommitDone, error) {
	if err := t.next("commit"); err != nil {
		return CommitDone{}, err
	}
	before := maps.Clone(t.head)
	copyPaths(t.head, t.trees[c.Checked], c.Paths)
	if maps.Equal(before, t.head) {
		return CommitDone{}, nil
	}
	t.commits = append(t.commits, c)
	t.ids = append(t.ids, fmt.Sprintf("commit%d", len(t.commits)))
	return CommitDone{ID: t.ids[len(t.ids)-1], Paths: c.Paths}, nil
}

func (t *fakeTree) Committed(_ context.Context, c Commit) (CommitDone, error) {
	for i, made := range t.commits {
		if made.Run == c.Run && made.Attempt == c.Attempt {
			return CommitDone{ID: t.ids[i], Paths: made.Paths}, nil
		}
	}
	return CommitDone{}, nil
}

func (t *fakeTree) Push(context.Context) error {
	if err := t.next("push"); err != nil {
		return err
	}
	t.pushes++
	return nil
}

func (t *fakeTree) OpenPR(context.Context, string, string) (string, error) {
	if err := t.next("pr"); err != nil {
		return "", err
	}
	t.prs++
	return "https://example.org/pr/1", nil
}
func (t *fakeTree) Release(context.Context, string) error { t.released = true; return nil }
