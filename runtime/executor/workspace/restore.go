package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
)

// Restore gives the paths the content that they have in a tree. It changes no other path, and
// returns the resulting tree. If files changed again meanwhile, it fails with type left.
func (s *Space) Restore(ctx context.Context, to executor.Tree, paths []string) (executor.Tree, error) {
	return operate(s, opRevert, func() executor.Tree { return s.restore(ctx, string(to), paths) })
}

func (s *Space) restore(ctx context.Context, to string, paths []string) executor.Tree {
	now := s.snapshot(ctx)
	changes := only(s.diff(ctx, string(now), to), paths)
	if len(changes) == 0 {
		return now
	}
	s.last = ""
	s.write(ctx, inRun, s.Dir(), changes)
	now = s.snapshot(ctx)
	if left := only(s.diff(ctx, string(now), to), paths); len(left) > 0 {
		s.fail("left", "the files changed again", pathsOf(left)...)
	}
	return now
}

// write makes changes in a working tree and its index. It removes directories that become empty.
func (s *Space) write(ctx context.Context, at place, dir string, changes []change) {
	var written []string
	s.do(func() error {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return err
		}
		defer root.Close()
		for _, c := range slices.Backward(changes) { // the deepest first
			if c.newMode != absent {
				written = append(written, c.path)
				continue
			}
			beforeStep("remove " + c.path)
			if err := root.Remove(c.path); err != nil && !notFound(err) {
				return err
			}
			for dir := path.Dir(c.path); dir != "." && root.Remove(dir) == nil; dir = path.Dir(dir) {
			}
		}
		return nil
	})
	s.git(ctx, command{at: at, args: []string{"update-index", "-z", "--index-info"}, stdin: indexInfo(changes)})
	if len(written) > 0 {
		s.git(ctx, command{at: at, args: []string{"checkout-index", "-f", "-u", "-z", "--stdin"},
			stdin: zeroTerminated(written)})
	}
}

const (
	savedRefs = "refs/attempts/"
	maxSaved  = 26 // different trees that are saved under one name
)

// Save stores a tree under a name, such as the number of the attempt, and returns the reference in
// the run's repository. It never overwrites: another tree gets the next free name, and the same
// trees get the same reference.
func (s *Space) Save(ctx context.Context, name string, base, tree executor.Tree) (string, error) {
	return operate(s, opSave, func() string { return s.save(ctx, name, base, tree) })
}

func (s *Space) save(ctx context.Context, name string, base, tree executor.Tree) string {
	s.diff(ctx, string(base), string(tree)) // both exist
	was := s.savedCommit(ctx, base)
	id := s.savedCommit(ctx, tree, "-p", was)
	for n := range maxSaved {
		ref := savedRefs + name
		if n > 0 {
			ref += "-" + string(rune('a'+n))
		}
		if _, ok := s.try(ctx, command{args: []string{"check-ref-format", ref}}); !ok {
			s.fail("name", "not a valid name of an attempt: "+name)
		}
		have := s.find(ctx, inRun, ref)
		if have == "" {
			s.own(ctx, "update-ref", ref, id, strings.Repeat("0", len(id)))
		}
		if s.err != nil || have == "" || have == id {
			return ref
		}
	}
	s.fail("name", fmt.Sprintf("%d different trees are saved as %s", maxSaved, name))
	return ""
}

// savedCommit makes a commit that is a function of its content.
func (s *Space) savedCommit(ctx context.Context, tree executor.Tree, parent ...string) string {
	env := []string{"GIT_AUTHOR_NAME=errgen", "GIT_AUTHOR_EMAIL=errgen@localhost", "GIT_AUTHOR_DATE=@1 +0000",
		"GIT_COMMITTER_NAME=errgen", "GIT_COMMITTER_EMAIL=errgen@localhost", "GIT_COMMITTER_DATE=@1 +0000"}
	args := append([]string{"commit-tree", "--no-gpg-sign", "-m", "run " + s.run}, parent...)
	return s.git(ctx, command{env: env, args: append(args, string(tree))})
}

// Saved is a saved attempt of a run.
type Saved struct {
	Name    string
	At      time.Time         // when it was saved
	Changes []executor.Change // with path and kind
}

// reading is a command in the run's repository that needs neither its files nor its lock.
func (s *Space) reading(args ...string) command {
	return command{at: anywhere, env: []string{"GIT_DIR=" + s.gitDir()}, dir: s.home, args: args}
}

// Saved returns the saved attempts of the run, the oldest first. A process may be using the clone.
func (w *Workspace) Saved(ctx context.Context) ([]Saved, error) {
	s := &Space{Workspace: w}
	return operate(s, opSave, func() (all []Saved) {
		if !exists(s.gitDir()) {
			s.fail("name", "no run of this working tree is named "+s.run)
		}
		kinds := map[string]executor.ChangeKind{"A": executor.Added, "D": executor.Removed}
		for line := range strings.Lines(s.git(ctx, s.reading("for-each-ref", "--format=%(refname)", savedRefs))) {
			ref := strings.TrimSuffix(line, "\n")
			a := Saved{Name: strings.TrimPrefix(ref, savedRefs)}
			if info, err := os.Stat(s.file("git/" + ref)); err == nil {
				a.At = info.ModTime()
			}
			fields := parts(s.git(ctx, s.reading("diff-tree", "-r", "-z", "--name-status", ref+"^", ref)))
			for i := 0; i+1 < len(fields); i += 2 {
				a.Changes = append(a.Changes, executor.Change{Path: fields[i+1],
					Kind: cmp.Or(kinds[fields[i]], executor.Modified)})
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
	return s.operate(opSave, func() {
		ref := savedRefs + strings.TrimPrefix(name, savedRefs)
		if _, ok := s.try(ctx, s.reading("cat-file", "-e", ref+":"+file)); !ok {
			s.fail("name", fmt.Sprintf("the run %s has no saved attempt %s with the file %q", s.run, name, file), file)
		}
		c := s.reading("cat-file", "blob", ref+":"+file)
		if file == "" {
			c = s.reading(slices.Concat(patchArgs, []string{ref + "^", ref})...)
		}
		c.out = out
		s.git(ctx, c)
	})
}

// Patch writes all changes of the run since its beginning, committed or not, as a patch that git
// apply accepts. Files that git ignores are not part of it. If a process has the clone, the error
// wraps [ErrInUse]. The clone must exist.
func (w *Workspace) Patch(ctx context.Context, out io.Writer) error {
	s, err := w.open(ctx, w.run)
	if err != nil {
		return err
	}
	err = s.operate(opDetect, func() {
		_, tree := s.head(ctx)
		changes := s.diff(ctx, tree, string(s.snapshot(ctx)))
		ignored := s.ignored(ctx, changes)
		tree = s.with(ctx, tree, slices.DeleteFunc(changes, func(c change) bool { return ignored[c.path] }))
		s.git(ctx, command{out: out, args: slices.Concat(patchArgs, []string{s.state.Base, tree})})
	})
	return errors.Join(err, s.Close(false))
}
