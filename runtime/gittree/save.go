package gittree

import (
	"context"
	"slices"
	"strings"
	"syscall"

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
