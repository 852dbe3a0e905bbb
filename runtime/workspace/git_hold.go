package workspace

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/executor"
)

// holdAgain has a run that was let go of, and goes on all the same, keep what it needs once more.
func (g *Git) holdAgain(ctx context.Context, s *snapshot, st *state) error {
	if !st.Released {
		return nil
	}
	var lacking []string
	for _, p := range slices.Sorted(maps.Keys(s.entries)) {
		e := s.entries[p]
		if e.kept != inFiles || !e.content() {
			continue
		}
		if is, err := g.scanOf(ctx, opResume, s, st).lookAt(p, g.where(p), e, e.ignored); err == nil && is != nil &&
			is.id == e.id {
			lacking = append(lacking, p)
		}
	}
	if err := g.keep(ctx, opResume, s, lacking); err != nil {
		return err
	}
	if err := g.writeRef(checkedRef(st.Run), string(s.id), false); err != nil {
		return fault(opResume, "", nil, err)
	}
	if err := g.rememberQuietly(opResume, st); err != nil {
		return err
	}
	st.Released = false
	return g.setState(opResume, st)
}

// needed reports whether anything that the checked tree of a run has is nowhere in the working
// tree: then nothing but what was kept for the run has it. What cannot be found out is needed.
func (g *Git) needed(ctx context.Context, run string) bool {
	id, err := readLine(filepath.Join(g.common, filepath.FromSlash(checkedRef(run))))
	if missing(err) {
		return false
	}
	if err != nil {
		return true
	}
	s, err := g.load(ctx, opPrepare, executor.Checked(id))
	if err != nil {
		return true
	}
	st, err := g.state(opPrepare, run)
	if err != nil {
		return true
	}
	if g.tidy(ctx, opPrepare, st) != nil {
		return true
	}
	sc := g.scanOf(ctx, opPrepare, s, st)
	if err := sc.run(); err != nil {
		return true
	}
	there := map[string]struct{}{}
	for _, e := range sc.found {
		there[e.id] = struct{}{}
	}
	for _, e := range s.entries {
		if _, ok := there[e.id]; !ok && e.content() && e.kept != notKept {
			return true
		}
	}
	return false
}

// removeOwnLocks removes the locks of the run's own references that a process of errgen has left
// behind when it was killed: nobody else takes them, and the caller has the working tree.
func (g *Git) removeOwnLocks(op, run string) error {
	locks, err := filepath.Glob(filepath.Join(escapeGlob(g.common), "refs", "errgen", refPart(run), "*.lock"))
	if err != nil {
		return fault(op, "", nil, err)
	}
	for _, lock := range locks {
		info, err := os.Lstat(lock)
		if err != nil || info.Mode()&fs.ModeType != 0 || !unopened(lock, info) {
			continue // whoever needs it says that it is there
		}
		if err := os.Remove(lock); err != nil && !missing(err) {
			return fault(op, "remove a lock that was left behind", []string{lock}, err)
		}
	}
	return nil
}

// sweepReleased forgets the runs that were let go of so long ago that git may have collected their
// trees.
func (g *Git) sweepReleased() {
	const long = 14 * 24 * time.Hour
	dirs, err := os.ReadDir(filepath.Join(g.home, "runs"))
	if err != nil {
		return
	}
	for _, d := range dirs {
		dir := filepath.Join(g.home, "runs", d.Name())
		info, err := os.Stat(filepath.Join(dir, "state.json"))
		if err != nil || time.Since(info.ModTime()) < long {
			continue
		}
		if st, err := readState(filepath.Join(dir, "state.json")); err == nil && st.Released {
			_ = os.RemoveAll(dir)
		}
	}
}
