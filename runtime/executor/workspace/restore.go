package workspace

import (
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
	"github.com/errgen/errgen/runtime/internal/filelock"
)

// Restore gives the paths the content that they have in a tree. It changes no other path, and returns
// the resulting tree. If files changed again meanwhile, it fails with type left.
func (s *Space) Restore(ctx context.Context, to executor.Tree, paths []string) (executor.Tree, error) {
	return operate(s, opRevert, func() (executor.Tree, error) { return s.restore(ctx, string(to), paths) })
}

func (s *Space) restore(ctx context.Context, to string, paths []string) (executor.Tree, error) {
	now, err := s.snapshot(ctx)
	if err != nil {
		return "", err
	}
	all, err := s.diff(ctx, string(now), to)
	if err != nil {
		return "", err
	}
	changes := only(all, paths)
	if len(changes) == 0 {
		return now, nil
	}
	s.last = ""
	written, err := s.removeFiles(changes)
	if err != nil {
		return "", err
	}
	if _, err := s.git(ctx, command{args: []string{"update-index", "-z", "--index-info"},
		stdin: indexInfo(changes)}); err != nil {
		return "", err
	}
	if len(written) > 0 {
		if _, err := s.git(ctx, command{args: []string{"checkout-index", "-f", "-u", "-z", "--stdin"},
			stdin: zeroTerminated(written)}); err != nil {
			return "", err
		}
	}
	if now, err = s.snapshot(ctx); err != nil {
		return "", err
	}
	if all, err = s.diff(ctx, string(now), to); err != nil {
		return "", err
	}
	if left := only(all, paths); len(left) > 0 {
		return now, fault("left", "the files changed again", nil, pathsOf(left)...)
	}
	return now, nil
}

// removeFiles removes the files that do not exist after the changes, and the directories that become
// empty. It returns the other paths.
func (s *Space) removeFiles(changes []change) (written []string, err error) {
	root, err := os.OpenRoot(s.Dir())
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, c := range slices.Backward(changes) { // the deepest first
		if c.newMode != absent {
			written = append(written, c.path)
			continue
		}
		beforeStep("remove " + c.path)
		if err := root.Remove(c.path); err != nil && !notFound(err) {
			return nil, err
		}
		for dir := path.Dir(c.path); dir != "." && root.Remove(dir) == nil; dir = path.Dir(dir) {
		}
	}
	return written, nil
}

const (
	savedRefs = "refs/attempts/"
	maxSaved  = 26 // different trees that are saved under one name
)

// Save stores a tree under a name, such as the number of the attempt, and returns the reference in
// the run's repository. It never overwrites: another tree gets the next free name, and the same trees
// get the same reference.
func (s *Space) Save(ctx context.Context, name string, base, tree executor.Tree) (string, error) {
	return operate(s, opSave, func() (string, error) { return s.save(ctx, name, base, tree) })
}

func (s *Space) save(ctx context.Context, name string, base, tree executor.Tree) (string, error) {
	if err := filelock.CheckName(name); err != nil || strings.Contains(name, "..") || strings.HasSuffix(name, ".") {
		return "", fault("name", "the name of an attempt: "+filelock.NameExpected, err)
	}
	if _, err := s.diff(ctx, string(base), string(tree)); err != nil {
		return "", err
	}
	was, err := s.savedCommit(ctx, base)
	if err != nil {
		return "", err
	}
	id, err := s.savedCommit(ctx, tree, "-p", was)
	if err != nil {
		return "", err
	}
	for n := range maxSaved {
		ref := savedRefs + name
		if n > 0 {
			ref += "-" + string(rune('a'+n))
		}
		have, err := s.line(ctx, command{none: 1, args: []string{"rev-parse", "--verify", "-q", ref}})
		switch {
		case err != nil || have == id:
			return ref, err
		case have == "":
			_, err := s.own(ctx, "update-ref", ref, id, strings.Repeat("0", len(id)))
			return ref, err
		}
	}
	return "", fault("name", fmt.Sprintf("%d different trees are saved as %s", maxSaved, name), nil)
}

// savedCommit makes a commit that is a function of its content.
func (s *Space) savedCommit(ctx context.Context, tree executor.Tree, args ...string) (string, error) {
	env := []string{"GIT_AUTHOR_NAME=errgen", "GIT_AUTHOR_EMAIL=errgen@localhost", "GIT_AUTHOR_DATE=@1 +0000",
		"GIT_COMMITTER_NAME=errgen", "GIT_COMMITTER_EMAIL=errgen@localhost", "GIT_COMMITTER_DATE=@1 +0000"}
	return s.line(ctx, command{env: env, args: slices.Concat([]string{"commit-tree", "--no-gpg-sign", "-m",
		"run " + s.run},
		args, []string{string(tree)})})
}

// Saved is a saved attempt of a run.
type Saved struct {
	// Name is the name of the attempt, and Ref its reference in the run's repository.
	Name, Ref string
	// Base and Tree are the trees between which the attempt's changes are.
	Base, Tree executor.Tree
	// At is when it was saved.
	At time.Time
	// Changes are the changes of the attempt.
	Changes []executor.Change
}

// reader returns a space for reading the clone without its lock: a process may be using it.
func (w *Workspace) reader(op string) (*Space, error) {
	s := &Space{Workspace: w, op: op}
	if !exists(s.file("git/HEAD")) {
		return nil, s.evidence(fault("name", "no run of this working tree is named "+w.run, nil))
	}
	return s, nil
}

// Saved returns the saved attempts of the run, the oldest first.
func (w *Workspace) Saved(ctx context.Context) ([]Saved, error) {
	s, err := w.reader(opSave)
	if err != nil {
		return nil, err
	}
	all, err := s.saved(ctx)
	return all, s.evidence(err)
}

func (s *Space) saved(ctx context.Context) (all []Saved, err error) {
	out, err := s.line(ctx, s.reading("for-each-ref", "--format=%(refname) %(tree) %(parent^{tree})", savedRefs))
	if err != nil || out == "" {
		return nil, err
	}
	for line := range strings.SplitSeq(out, "\n") {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			return nil, fault("store", "a saved attempt is not complete: "+line, nil)
		}
		a := Saved{Name: strings.TrimPrefix(fields[0], savedRefs), Ref: fields[0], Base: executor.Tree(fields[2]),
			Tree: executor.Tree(fields[1])}
		if info, err := os.Stat(s.file("git/" + a.Ref)); err == nil {
			a.At = info.ModTime()
		}
		diff, err := s.list(ctx, s.reading("diff-tree", "-r", "-z", "--name-status", "--no-renames",
			fields[2], fields[1]))
		if err != nil {
			return nil, err
		}
		kinds := map[string]executor.ChangeKind{"A": executor.Added, "D": executor.Removed}
		for i := 0; i+1 < len(diff); i += 2 {
			kind, ok := kinds[diff[i]]
			if !ok {
				kind = executor.Modified
			}
			a.Changes = append(a.Changes, executor.Change{Path: diff[i+1], Kind: kind})
		}
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(x, y Saved) int { return x.At.Compare(y.At) })
	return all, nil
}

// reading is a command in the run's repository that needs no files.
func (s *Space) reading(args ...string) command {
	return command{at: anywhere, env: []string{"GIT_DIR=" + s.gitDir()}, dir: s.home, args: args}
}

// ShowSaved writes a file of a saved attempt to w; without a file, the attempt's changes as a patch
// that git apply accepts.
func (w *Workspace) ShowSaved(ctx context.Context, name, file string, out io.Writer) error {
	s, err := w.reader(opSave)
	if err != nil {
		return err
	}
	all, err := s.saved(ctx)
	if err != nil {
		return s.evidence(err)
	}
	i := slices.IndexFunc(all, func(a Saved) bool { return a.Name == name || a.Ref == name })
	if i < 0 {
		return s.evidence(fault("name", "no saved attempt of the run is named "+name, nil))
	}
	c := s.reading("diff-tree", "-r", "-p", "--binary", "--no-ext-diff", "--no-textconv", string(all[i].Base),
		string(all[i].Tree))
	if file != "" {
		c = s.reading("cat-file", "blob", string(all[i].Tree)+":"+file)
		if _, err := s.git(ctx, s.reading("cat-file", "-e", string(all[i].Tree)+":"+file)); err != nil {
			return s.evidence(fault("name", fmt.Sprintf("the attempt has no file %q", file), nil, file))
		}
	}
	c.out = out
	_, err = s.git(ctx, c)
	return s.evidence(err)
}

// Patch writes all changes of the run since its beginning, committed or not, as a patch that git
// apply accepts. Files that git ignores are not part of it.
func (w *Workspace) Patch(ctx context.Context, out io.Writer) error {
	s, err := w.reader(opDetect)
	if err != nil {
		return err
	}
	return s.evidence(s.patch(ctx, out))
}

func (s *Space) patch(ctx context.Context, out io.Writer) error {
	if err := s.readState(); err != nil {
		return err
	}
	index, err := os.ReadFile(s.file("git/index"))
	if err != nil {
		return s.damaged("git/index", err)
	}
	file, err := os.CreateTemp(s.home, "patch")
	if err != nil {
		return err
	}
	_, err = file.Write(index)
	defer os.Remove(file.Name())
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	paths := []string{"."}
	for _, p := range s.state.Ignored {
		paths = append(paths, ":(exclude,literal)"+p)
	}
	for _, c := range []command{
		{args: []string{"read-tree", "--reset", "HEAD"}},
		{args: []string{"add", "-A", "--pathspec-from-file=-", "--pathspec-file-nul"}, stdin: zeroTerminated(paths)},
		{args: []string{"diff-index", "--cached", "-p", "--binary", "--no-ext-diff", "--no-textconv",
			s.state.Base}, out: out},
	} {
		c.env = []string{"GIT_INDEX_FILE=" + file.Name(), "GIT_LITERAL_PATHSPECS=0"}
		if _, err := s.git(ctx, c); err != nil {
			return err
		}
	}
	return nil
}
