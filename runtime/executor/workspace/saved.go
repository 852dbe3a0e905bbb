package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
)

const savedRefs = "refs/attempts/"

// Save stores a tree under a name, such as the number of the attempt, and returns the reference in
// the run's repository. It never overwrites: if the name has another tree, the beginning of the
// commit's ID is added. The same trees get the same reference.
func (s *Space) Save(ctx context.Context, name string, base, tree executor.Tree) (string, error) {
	return operate(s, loop.OpSave, func() string { return s.save(ctx, name, string(base), string(tree)) })
}

func (s *Space) save(ctx context.Context, name, base, tree string) string {
	was := s.savedCommit(ctx, base)
	id := s.savedCommit(ctx, tree, "-p", was)
	ref := savedRefs + name
	if have := s.find(ctx, inRun, ref); s.err == nil && have != "" && have != id {
		ref += "-" + id[:7]
	}
	s.git(ctx, command{args: []string{"update-ref", ref, id}, typ: "name"})
	return ref
}

// savedCommit makes a commit that is a function of its content.
func (s *Space) savedCommit(ctx context.Context, tree string, parent ...string) string {
	env := []string{"GIT_AUTHOR_NAME=errgen", "GIT_AUTHOR_EMAIL=errgen@localhost", "GIT_AUTHOR_DATE=@1 +0000",
		"GIT_COMMITTER_NAME=errgen", "GIT_COMMITTER_EMAIL=errgen@localhost", "GIT_COMMITTER_DATE=@1 +0000"}
	args := append([]string{"commit-tree", "--no-gpg-sign", "-m", "run " + s.run}, parent...)
	return s.git(ctx, command{env: env, args: append(args, tree)})
}

// Saved is a saved attempt of a run.
type Saved struct {
	Name    string
	At      time.Time         // when it was saved
	Changes []executor.Change // with path and kind
}

// Saved returns the saved attempts of the run, the oldest first. A process may be using the clone.
func (w *Workspace) Saved(ctx context.Context) ([]Saved, error) {
	s := &Space{Workspace: w}
	return operate(s, loop.OpSave, func() (all []Saved) {
		if !exists(s.gitDir()) {
			s.fail("name", "no run of this working tree is named "+s.run)
		}
		for _, ref := range strings.Fields(s.own(ctx, "for-each-ref", "--format=%(refname)", savedRefs)) {
			a := Saved{Name: strings.TrimPrefix(ref, savedRefs)}
			if info, err := os.Stat(s.file("git/" + ref)); err == nil {
				a.At = info.ModTime()
			}
			for _, c := range s.diff(ctx, ref+"^", ref) {
				a.Changes = append(a.Changes, executor.Change{Path: c.path, Kind: c.kind()})
			}
			all = append(all, a)
		}
		slices.SortStableFunc(all, func(x, y Saved) int { return x.At.Compare(y.At) })
		return all
	})
}

// patchArgs make git diff-tree write a patch that git apply accepts.
var patchArgs = []string{"diff-tree", "-r", "-p", "--binary", "--no-ext-diff", "--no-textconv"}

// ShowSaved writes a file of a saved attempt to out; without a file, the attempt's changes as a
// patch that git apply accepts.
func (w *Workspace) ShowSaved(ctx context.Context, name, file string, out io.Writer) error {
	s := &Space{Workspace: w}
	return s.operate(loop.OpSave, func() {
		ref := savedRefs + strings.TrimPrefix(name, savedRefs)
		if _, ok := s.try(ctx, command{args: []string{"cat-file", "-e", ref + ":" + file}}); !ok {
			s.fail("name", fmt.Sprintf("the run %s has no saved attempt %s with the file %q", s.run, name, file), file)
		}
		args := []string{"cat-file", "blob", ref + ":" + file}
		if file == "" {
			args = slices.Concat(patchArgs, []string{ref + "^", ref})
		}
		s.git(ctx, command{args: args, out: out})
	})
}

// Patch writes all changes of the run since its beginning, committed or not, as a patch that git
// apply accepts. Files that git ignores are not part of it. If a process has the clone, the error
// is that of Open. The clone must exist.
func (w *Workspace) Patch(ctx context.Context, out io.Writer) error {
	opened, err := w.Open(ctx, w.run)
	if err != nil {
		return err
	}
	s := opened.(*Space)
	err = s.operate(loop.OpDetect, func() {
		_, tree := s.head(ctx)
		tree = s.with(ctx, tree, s.unignored(ctx, s.diff(ctx, tree, string(s.snapshot(ctx)))))
		s.git(ctx, command{out: out, args: slices.Concat(patchArgs, []string{s.state.Base, tree})})
	})
	return errors.Join(err, s.Close(false))
}

// attemptRef names the tree with which the attempt that is under way began.
const attemptRef = "refs/errgen/attempt"

// Attempt runs the steps of a fix; the last step checks it. After each step, judge returns an error
// if a change is not allowed. If a step or judge fails, Attempt saves the changes under the name,
// reverts them, and returns the saved reference and the error. The changes of an attempt that a
// killed process began are saved and reverted first. If ctx ends, they are still reverted.
func (s *Space) Attempt(ctx context.Context, name string, judge func([]executor.Change) error,
	steps ...func(context.Context) error) (changes []executor.Change, saved string, err error) {
	after := context.WithoutCancel(ctx)
	base, err := operate(s, loop.OpSave, func() string {
		s.undoAttempt(ctx, name)
		base := string(s.snapshot(ctx))
		s.own(ctx, "update-ref", attemptRef, base)
		return base
	})
	if err != nil {
		return nil, "", err
	}
	for _, step := range steps {
		if err == nil {
			err = s.BeforeCall(ctx)
		}
		if err != nil {
			break
		}
		failed := step(ctx)
		changes, err = operate(s, loop.OpDetect, func() []executor.Change {
			return s.describe(after, base, string(s.snapshot(after)))
		})
		if err == nil {
			err = judge(changes)
		}
		err = errors.Join(failed, err)
	}
	left := s.operate(loop.OpSave, func() {
		if err != nil {
			saved = s.undoAttempt(after, name)
		}
		s.own(after, "update-ref", "-d", attemptRef)
	})
	return changes, saved, errors.Join(err, left)
}

// undoAttempt saves the changes since the beginning of an attempt, and reverts them.
func (s *Space) undoAttempt(ctx context.Context, name string) (saved string) {
	base := s.find(ctx, inRun, attemptRef)
	for i := 0; base != "" && i < 3; i++ { // a restored .gitignore can reveal files
		now := string(s.snapshot(ctx))
		changes := s.diff(ctx, base, now)
		if len(changes) == 0 {
			break
		}
		saved = cmp.Or(saved, s.save(ctx, name, base, now))
		s.restore(ctx, base, pathsOf(changes))
	}
	return saved
}
