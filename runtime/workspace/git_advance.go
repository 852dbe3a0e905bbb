package workspace

import (
	"context"
	"maps"
	"os"
	"path"
	"slices"

	"github.com/errgen/errgen/runtime/executor"
)

// Advance takes the changes into the checked tree. What is neither as it was judged, by its hash,
// nor as the checked tree has it, is left out of it, so that the next Detect finds it again.
// Changes of git itself are never taken over. When nothing differs, the tree stays the same and no
// git command is run.
func (g *Git) Advance(ctx context.Context, run string, checked executor.Checked, changes []executor.Change) (
	executor.Checked, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(changes) == 0 {
		return checked, nil
	}
	old, err := g.load(ctx, opDetect, checked)
	if err != nil {
		return "", err
	}
	st, err := g.state(opDetect, run)
	if err != nil {
		return "", err
	}
	next := &snapshot{run: run, entries: maps.Clone(old.entries), ignored: maps.Clone(old.ignored), closed: old.closed}
	sc := g.scanOf(ctx, opDetect, old, st)
	changed, err := g.take(sc, next, changes)
	if err != nil {
		return "", err
	}
	if len(changed) == 0 {
		return checked, nil
	}
	for p := range g.passed {
		next.ignored[p] = struct{}{}
	}
	g.holdDirs(next, changed)
	if err := g.keep(ctx, opDetect, next, changed); err != nil {
		return "", err
	}
	if err := g.record(ctx, opDetect, next, objectsOf(old), []string{string(checked)}); err != nil {
		return "", err
	}
	return next.id, g.keepBoth(run, checked, next.id)
}

// keepBoth keeps a checked tree and the one before it from being collected.
func (g *Git) keepBoth(run string, old, next executor.Checked) error {
	err := g.writeRef(previousRef(run), string(old), false)
	if err == nil {
		err = g.writeRef(checkedRef(run), string(next), false)
	}
	if err != nil {
		return fault(opDetect, "", nil, err)
	}
	return nil
}

// objectsOf returns the contents that git has because a checked tree has them.
func objectsOf(s *snapshot) map[string]struct{} {
	have := make(map[string]struct{}, len(s.entries))
	for _, e := range s.entries {
		if e.inTree() {
			have[e.id] = struct{}{}
		}
	}
	return have
}

// take brings next up to date with what is there, change by change, and returns the paths that this
// changed.
func (g *Git) take(sc *scan, next *snapshot, changes []executor.Change) ([]string, error) {
	var changed []string
	for _, c := range changes {
		if c.Git {
			continue
		}
		was := next.entries[c.Path]
		is, err := sc.present(c.Path, was, c.Ignored)
		if err != nil {
			return nil, sc.fail(err)
		}
		if was.same(is) || !asJudged(c, is) {
			continue
		}
		changed = append(changed, c.Path)
		if c.Ignored && was == nil {
			next.ignored[c.Path] = struct{}{}
		}
		switch {
		case is == nil:
			delete(next.entries, c.Path)
		case c.Ignored && (is.mode == modeDir || !g.watches(c.Path)):
			// Known from now on, and not looked at any more.
		default:
			next.entries[c.Path] = is
		}
	}
	return changed, nil
}

func (g *Git) watches(p string) bool { return g.opts.Watch != nil && g.opts.Watch.Watches(p) }

// asJudged reports whether what is there is what was judged. A change that says nothing of it is
// taken as it is.
func asJudged(c executor.Change, is *entry) bool {
	if c.Hash == "" {
		return c.Kind != executor.Removed || is == nil
	}
	return is.hash() == c.Hash
}

// present returns what is at a path: nil for nothing. A directory with something in it is nothing
// unless it is ignored as a whole.
func (s *scan) present(p string, was *entry, ignored bool) (*entry, error) {
	e, err := s.lookAt(p, s.where(p), was, ignored)
	if err != nil || e == nil || e.mode != modeDir || ignored {
		return e, err
	}
	list, err := s.readDir(p)
	if err != nil {
		return nil, err
	}
	if len(list) > 0 && (was == nil || was.mode != modeDir) {
		return nil, nil
	}
	return s.directory(p), nil
}

// holdDirs makes directories entries of their own that have lost what was in them but are still
// there.
func (g *Git) holdDirs(next *snapshot, changed []string) {
	next.derive()
	for _, p := range changed {
		if next.entries[p] != nil {
			continue
		}
		d := path.Dir(p)
		if d == "." || has(next.dirs, d) || next.entries[d] != nil {
			continue
		}
		if info, err := os.Lstat(g.path(d)); err == nil && info.IsDir() {
			next.entries[d] = &entry{mode: modeDir, perm: info.Mode().Perm()}
		}
	}
	slices.Sort(changed)
}
