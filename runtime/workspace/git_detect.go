package workspace

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
)

// Detect returns what differs from the checked tree. It reads the files that may have changed, and
// those of git itself; no git command is started before that, and only if there are files that were
// not there before, to learn which of them are ignored.
//
// The user's index is put back if it says something else than before, and is no change. While it is
// locked it stays; then [Git.Commit] puts it back, or fails. The indexes of submodules and what was
// in the reflogs are put back alike. Locks that git commands have left behind since the run began
// are removed, if nobody has them, and what a call has taken its owner's rights to is given them
// again.
//
// A new rule of what is ignored does not hide what is new: until it is checked, such files and
// directories are among the changes, marked as ignored. What was ignored when the run began stays
// ignored for all of the run.
func (g *Git) Detect(ctx context.Context, checked executor.Checked) ([]executor.Change, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	opened := g.openTop()
	changes, st, err := g.look(ctx, checked, true)
	if err != nil {
		return nil, err
	}
	if opened {
		_ = (&scan{Git: g, of: st.Run}).restoreDirs(nil)
	}
	if err := g.tidy(ctx, opDetect, st); err != nil && ctx.Err() != nil {
		return nil, err // what else stands in its way does not make the files others, and is tried again
	}
	return changes, nil
}

// Look is Detect that changes nothing: for a run that nobody goes on with, which the user may have
// done.
func (g *Git) Look(ctx context.Context, checked executor.Checked) ([]executor.Change, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	changes, _, err := g.look(ctx, checked, false)
	return changes, err
}

// look returns what differs from a checked tree, sorted by path. With mend, what was shut is
// opened, and locks that were left behind are removed.
func (g *Git) look(ctx context.Context, checked executor.Checked, mend bool) ([]executor.Change, *state, error) {
	s, err := g.load(ctx, opDetect, checked)
	if err != nil {
		return nil, nil, err
	}
	st, err := g.state(opDetect, s.run)
	if err != nil {
		return nil, nil, err
	}
	now, err := g.readRefs()
	if err != nil {
		return nil, nil, g.unread(opDetect, err)
	}
	refs := g.changedRefs(st, now)
	sc := g.scanOf(ctx, opDetect, s, st)
	sc.opens = mend
	if err := sc.run(); err != nil {
		return nil, nil, err
	}
	if mend {
		g.removeLeft(st, g.locksOf(now, sc))
	}
	changes := append(refs, g.compare(s, sc)...)
	if len(changes) > g.opts.MaxChanges {
		return nil, nil,
			fault(opDetect,
				fmt.Sprintf("%d changes are more than the %d that are judged at once", len(changes), g.opts.MaxChanges),
				nil, nil)
	}
	slices.SortFunc(changes, func(a, b executor.Change) int { return strings.Compare(a.Path, b.Path) })
	return changes, st, nil
}

// scanOf returns a scan that compares with a snapshot.
func (g *Git) scanOf(ctx context.Context, op string, s *snapshot, st *state) *scan {
	return &scan{
		Git: g, ctx: ctx, op: op, known: s.entries, dirs: s.dirs, gitDirs: s.gitDirs, ignored: s.ignored,
		closed: s.closed,
		extras: g.extras(st), of: s.run,
		found: make(map[string]*entry, len(s.entries)),
	}
}

// compare returns how what was found differs from a snapshot.
func (g *Git) compare(s *snapshot, sc *scan) []executor.Change {
	var changes []executor.Change
	rules := sc.rules
	note := func(p string, was, is *entry) {
		if was.same(is) || is != nil && was == nil && is.mode == modeDir && !is.git && has(s.dirs, p) {
			return
		}
		rules = rules || path.Base(p) == ".gitignore" || p == ".git/info/exclude"
		changes = append(changes, g.change(p, was, is))
	}
	for p, was := range s.entries {
		note(p, was, sc.found[p])
	}
	for p, is := range sc.found {
		if s.entries[p] == nil {
			note(p, nil, is)
		}
	}
	for _, p := range sc.hidden {
		if !rules {
			g.passed[p] = true
			continue
		}
		if sc.found[p] == nil {
			changes = append(changes, g.hiddenChange(sc, p))
		}
	}
	return changes
}

func has(set map[string]struct{}, k string) bool {
	_, ok := set[k]
	return ok
}

// change describes a difference.
func (g *Git) change(p string, was, is *entry) executor.Change {
	c := executor.Change{Path: p, Kind: executor.Modified, Hash: is.hash()}
	e := is
	switch {
	case was == nil:
		c.Kind = executor.Added
	case is == nil:
		c.Kind, e = executor.Removed, was
	}
	c.Git, c.Ignored = e.git, e.ignored
	if is != nil && is.mode == modeLink {
		c.Escapes = g.escapes(p)
	}
	return c
}

// hiddenChange describes something new that is ignored by a rule which nobody has checked.
func (g *Git) hiddenChange(sc *scan, p string) executor.Change {
	e, err := sc.look(p, nil, true)
	if err != nil || e == nil {
		e = &entry{mode: modeUnknown}
	}
	c := g.change(p, nil, e)
	c.Ignored = true
	return c
}

// changedRefs returns how HEAD and the references have moved, but for our own commit.
func (g *Git) changedRefs(st *state, now refState) []executor.Change {
	st.adopt(now)
	others := g.others()
	var changes []executor.Change
	note := func(p string, was, is raw) {
		if was == is {
			return
		}
		c := executor.Change{Path: ".git/" + p, Kind: executor.Modified, Git: true, Hash: string(is)}
		switch {
		case was == "":
			c.Kind = executor.Added
		case is == "":
			c.Kind = executor.Removed
		}
		changes = append(changes, c)
	}
	note("HEAD", st.Git.Head, now.Head)
	for ref, was := range st.Git.Refs {
		if !isOthers(others, st, ref) {
			note(string(ref), was, now.Refs[ref])
		}
	}
	for ref, is := range now.Refs {
		if _, ok := st.Git.Refs[ref]; !ok && !isOthers(others, st, ref) {
			note(string(ref), "", is)
		}
	}
	return changes
}

// isOthers reports whether a branch is another working tree's. The one we are on is ours in any
// case.
func isOthers(others map[raw]struct{}, st *state, ref raw) bool {
	if string(ref) == st.Git.branch() {
		return false
	}
	_, now := others[ref]
	_, then := st.Others[ref]
	return now || then
}
