package gittree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/errgen/errgen/runtime/internal/filelock"
)

const (
	savedRefs = "refs/attempts/"
	maxSaved  = 26 // different trees that are saved under one name
)

// Save stores a tree and the state of git itself under a name, such as the attempt's number, and
// returns the reference in the store. It never overwrites: another tree gets the next free name,
// and the same trees get the same reference.
func (s *Space) Save(ctx context.Context, name string, base, tree Tree) (ref string, err error) {
	return operate(s, opSave, nil, func() (string, error) { return s.save(ctx, name, base, tree) })
}

func (s *Space) save(ctx context.Context, name string, base, tree Tree) (string, error) {
	if err := filelock.CheckName(name); err != nil || strings.Contains(name, "..") || strings.HasSuffix(name, ".") {
		return "", fault(typeName, "the name of an attempt: "+filelock.NameExpected, err)
	}
	git, tips, err := s.saveGit(ctx)
	if err != nil {
		return "", err
	}
	was, err := s.saveCommit(ctx, base)
	if err != nil {
		return "", err
	}
	id, err := s.saveCommit(ctx, tree, slices.Concat([]string{was}, git, tips)...)
	if err != nil {
		return "", err
	}
	ref := savedRefs + name
	for n := range maxSaved {
		if n > 0 {
			ref = savedRefs + name + "-" + string(rune('a'+n))
		}
		have, err := s.line(ctx, command{none: 1, args: []string{"rev-parse", "--verify", "-q", ref}})
		switch {
		case err != nil:
			return "", err
		case have == id:
			return ref, nil
		case have == "":
			_, err := s.git(ctx, command{args: []string{"update-ref", ref, id, strings.Repeat("0", len(id))}})
			return ref, err
		}
	}
	return "", fault("", "too many trees are saved as "+name, syscall.EEXIST)
}

// saveCommit makes a commit in the store.
func (s *Space) saveCommit(ctx context.Context, tree Tree, parents ...string) (string, error) {
	args := []string{"commit-tree", "-m", "run " + s.run}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	return s.line(ctx, command{args: append(args, string(tree))})
}

// saveGit saves the current state of git's directory, and the commits that were added to its
// references. It returns nothing if nothing changed.
func (s *Space) saveGit(ctx context.Context) (git, tips []string, err error) {
	if err := s.linkObjects(); err != nil {
		return nil, nil, err
	}
	g := s.state.Git[0]
	now, err := g.area.snapshot(ctx)
	if err != nil || now == g.Base {
		return nil, nil, err
	}
	was, err := s.saveCommit(ctx, g.Base)
	if err != nil {
		return nil, nil, err
	}
	id, err := s.saveCommit(ctx, now, was)
	if err != nil {
		return nil, nil, err
	}
	after, err := s.readRefs()
	if err != nil {
		return nil, nil, err
	}
	for ref, tip := range after {
		if s.state.Refs[ref] == tip || strings.HasPrefix(tip, "ref:") {
			continue
		}
		id, err := s.line(ctx, command{args: []string{"rev-parse", "--verify", "-q", tip + "^{commit}"}})
		if err == nil && !slices.Contains(tips, id) {
			tips = append(tips, id)
		}
	}
	slices.Sort(tips)
	return []string{id}, tips, ctx.Err()
}

// Saved is a saved attempt of a run.
type Saved struct {
	// Name is the name of the attempt, and Ref its reference in the store.
	Name, Ref string
	// Base and Tree are the trees between which the attempt's changes are.
	Base, Tree Tree
	// At is when it was saved.
	At time.Time
	// Changes are the changes of the attempt.
	Changes []Change
}

// Saves returns the saved attempts of a run, the oldest first. The run may be at work in another
// process.
func Saves(ctx context.Context, dir, run string, opts Options) ([]Saved, error) {
	s, err := openSaves(ctx, dir, run, opts)
	if err != nil {
		return nil, err
	}
	all, err := s.saves(ctx)
	return all, s.evidence(err, nil)
}

func (s *Space) saves(ctx context.Context) ([]Saved, error) {
	out, err := s.line(ctx, command{args: []string{"for-each-ref", "--format=%(refname) %(tree) %(parent)",
		savedRefs}})
	if err != nil || out == "" {
		return nil, err
	}
	var all []Saved
	for line := range strings.SplitSeq(out, "\n") {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			return nil, fault(typeStore, "a saved attempt is not complete: "+line, nil)
		}
		a := Saved{Name: strings.TrimPrefix(fields[0], savedRefs), Ref: fields[0], Base: Tree(fields[2]),
			Tree: Tree(fields[1])}
		if info, err := os.Stat(filepath.Join(s.store, filepath.FromSlash(a.Ref))); err == nil {
			a.At = info.ModTime()
		}
		changes, err := s.work.diff(ctx, a.Base, a.Tree)
		if err != nil {
			return nil, err
		}
		a.Changes = exported(changes)
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(x, y Saved) int { return x.At.Compare(y.At) })
	return all, nil
}

// openSaves opens the store of a run for reading.
func openSaves(ctx context.Context, dir, run string, opts Options) (*Space, error) {
	s, err := locate(ctx, dir, run, opts)
	if err != nil {
		return nil, err
	}
	made, err := readState(s.store)
	if notFound(err) {
		return nil, s.evidence(fault(typeName, "no run of this working tree is named "+run, nil), nil)
	}
	if err == nil && made.Clone != "" {
		return openSaves(ctx, made.Clone, run, opts)
	}
	if err != nil {
		return nil, s.evidence(fault(typeStore, "", err, s.store), nil)
	}
	s.state = made
	s.work, err = s.newArea(ctx, "work", s.root)
	return s, err
}

// ShowSaved writes a file of a saved attempt to w; without a file, the attempt's changes as a
// patch.
func ShowSaved(ctx context.Context, dir, run, name, file string, w io.Writer, opts Options) error {
	s, a, err := findSaved(ctx, dir, run, name, opts)
	if err != nil {
		return err
	}
	args := []string{"diff-tree", "-r", "-p", "--no-ext-diff", "--no-textconv", string(a.Base), string(a.Tree)}
	if file != "" {
		found, err := s.list(ctx, command{args: []string{"ls-tree", "-r", "-z", "--name-only", string(a.Tree), file}})
		if err == nil && !slices.Contains(found, file) {
			err = fault(typeName, fmt.Sprintf("the attempt has no file %q", file), nil, file)
		}
		if err != nil {
			return s.evidence(err, nil)
		}
		args = []string{"cat-file", "blob", string(a.Tree) + ":" + file}
	}
	_, err = s.git(ctx, command{stdout: w, args: args})
	return s.evidence(err, nil)
}

// findSaved returns a saved attempt of a run, and its store for reading.
func findSaved(ctx context.Context, dir, run, name string, opts Options) (*Space, Saved, error) {
	s, err := openSaves(ctx, dir, run, opts)
	if err != nil {
		return nil, Saved{}, err
	}
	s.op = opSave
	all, err := s.saves(ctx)
	if err != nil {
		return nil, Saved{}, s.evidence(err, nil)
	}
	i := slices.IndexFunc(all, func(a Saved) bool { return a.Name == name || a.Ref == name })
	if i < 0 {
		return nil, Saved{}, s.evidence(fault(typeName, "no saved attempt of the run is named "+name, nil), nil)
	}
	return s, all[i], nil
}

// RestoreSaved gives files of the working tree the content that they have in a saved attempt;
// without paths, all files that the attempt changed. It returns their paths. It restores neither
// ignored files nor git itself.
//
// RestoreSaved overwrites no change of a person: if the working tree differs from the last commit,
// or a file exists that git status does not compare, it fails with type refused. While a run has
// the working tree, the error wraps [ErrInUse].
func RestoreSaved(
	ctx context.Context, dir, run, name string, paths []string, opts Options,
) (restored []string, err error) {
	store, saved, err := findSaved(ctx, dir, run, name, opts)
	if err != nil {
		return nil, err
	}
	s, err := Open(ctx, store.root, run, opts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close(!store.state.Begun)) }() // a run that is not over can continue
	return operate(s, opRevert, nil, func() ([]string, error) { return s.restoreSaved(ctx, saved, paths) })
}

func (s *Space) restoreSaved(ctx context.Context, saved Saved, paths []string) (restored []string, err error) {
	status, err := s.list(ctx, command{in: inUsers, args: []string{"status", "--porcelain", "-z", "-uall",
		"--ignore-submodules=none"}})
	if err != nil {
		return nil, err
	}
	if len(status) > 0 {
		text := fmt.Sprintf("the working tree has changes (%q): commit or stash them first", status[0])
		return nil, fault(typeRefused, text, nil)
	}
	changes, err := s.work.diff(ctx, saved.Base, saved.Tree)
	if err != nil {
		return nil, err
	}
	changed := pathsOf(changes)
	ignored, err := s.ignored(ctx, changed)
	if err != nil {
		return nil, err
	}
	for _, p := range changed {
		if !ignored[p] && (len(paths) == 0 || slices.Contains(paths, p)) {
			restored = append(restored, p)
		}
	}
	if missing := slices.DeleteFunc(slices.Clone(paths),
		func(p string) bool { return slices.Contains(restored, p) }); len(missing) > 0 {
		text := fmt.Sprintf("the attempt did not change the file %q", missing[0])
		if slices.Contains(changed, missing[0]) {
			text = fmt.Sprintf("git ignores the file %q, so it is not restored", missing[0])
		}
		return nil, fault(typeName, text, nil, missing...)
	}
	if err := s.checkOverwrites(ctx, restored); err != nil {
		return nil, err
	}
	if _, err := s.restore(ctx, saved.Tree, restored); err != nil {
		return nil, err
	}
	return restored, nil
}

// checkOverwrites fails if writing the paths would replace files that git status does not compare:
// ignored ones, those of submodules, and those that the user's index marks as unchanged.
func (s *Space) checkOverwrites(ctx context.Context, paths []string) error {
	files, err := s.list(ctx, command{in: inUsers, args: []string{"ls-files", "-z", "-v", "--full-name"}})
	if err != nil {
		return err
	}
	compared := map[string]bool{}
	for _, f := range files {
		if p, ok := strings.CutPrefix(f, "H "); ok {
			compared[p] = true
		}
	}
	var exist []string
	for _, p := range paths {
		for part := p; part != "."; part = path.Dir(part) {
			info, err := os.Lstat(s.abs(part))
			if err != nil && !notFound(err) {
				return err
			}
			if err == nil && !compared[part] && (part == p || !info.IsDir()) {
				exist = append(exist, part)
			}
		}
	}
	if len(exist) > 0 {
		text := fmt.Sprintf("git status does not compare a file that exists (%q): move it first", exist[0])
		return fault(typeRefused, text, nil, exist...)
	}
	return nil
}
