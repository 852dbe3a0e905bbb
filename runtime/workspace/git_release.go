package workspace

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Release forgets the checked trees of a run and what was kept for putting files back, unless there
// is something in them that the working tree does not have any more: then all of it stays, until
// [Git.Prune]. So does what Save has kept. What the run remembers of git stays for a while, so that
// [Git.Resume] can hold the run once more.
func (g *Git) Release(ctx context.Context, run string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := checkRun(opPrepare, run); err != nil {
		return err
	}
	if g.needed(ctx, run) {
		return nil
	}
	err := g.removeOwnLocks(opPrepare, run)
	if derr := g.deleteRefs(ctx, []string{checkedRef(run), previousRef(run)}); err == nil {
		err = derr
	}
	if st, serr := g.state(opPrepare, run); serr == nil {
		st.Released, st.Index = true, ""
		if serr = g.setState(opPrepare, st); err == nil {
			err = serr
		}
	}
	g.forget(run)
	for _, dir := range []string{g.keptDir(run), g.indexCopy(run), g.quietDir(run), g.dirsFile(run),
		filepath.Join(g.home, "tmp"), g.shadow()} {
		if rerr := os.RemoveAll(dir); err == nil && rerr != nil {
			err = fault(opPrepare, "", []string{dir}, rerr)
		}
	}
	g.sweepReleased()
	return err
}

// Forget removes the last of a run that was let go of, so that [Git.Resume] cannot hold it once
// more. A run that was not, or of which something had to be kept, is left alone.
func (g *Git) Forget(run string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	st, err := g.state(opPrepare, run)
	if err != nil || !st.Released {
		return err
	}
	dir := g.runDir(run)
	if err := os.RemoveAll(dir); err != nil {
		return fault(opPrepare, "", []string{dir}, err)
	}
	_ = os.Remove(filepath.Dir(dir)) // if it is empty
	g.forget(run)
	return nil
}

// forget drops what is in memory of a run.
func (g *Git) forget(run string) {
	delete(g.states, run)
	clear(g.snaps)
	g.last, g.made = nil, false
}

// deleteRefs deletes references, whether they are there or not.
func (g *Git) deleteRefs(ctx context.Context, refs []string) error {
	var in bytes.Buffer
	for _, ref := range refs {
		fmt.Fprintf(&in, "delete %s\x00\x00", ref)
	}
	_, err := g.git(ctx, call{op: opPrepare, stdin: &in, args: []string{"update-ref", "--no-deref", "--stdin", "-z"}})
	return err
}

// Prune removes what Save has kept longer than that ago, of all runs, and what was kept for runs
// that were last worked on longer than that ago and have never been let go of. A run that has the
// working tree is left alone. It returns how many saves and runs that were.
func (g *Git) Prune(ctx context.Context, olderThan time.Duration) (int, error) {
	return g.PruneRuns(ctx, "", olderThan)
}

// PruneRuns is Prune for the runs whose names begin with prefix.
func (g *Git) PruneRuns(ctx context.Context, prefix string, olderThan time.Duration) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	refs, err := g.ownRefs(ctx)
	if err != nil {
		return 0, err
	}
	maps.DeleteFunc(refs, func(ref string, _ time.Time) bool { return !strings.HasPrefix(ref, refPrefix+prefix) })
	before := time.Now().Add(-olderThan)
	n, err := g.pruneRuns(ctx, refs, prefix, before)
	if err != nil {
		return n, err
	}
	var old []string
	for ref, made := range refs {
		if !isTree(ref) && !made.After(before) {
			old = append(old, ref)
		}
	}
	if len(old) == 0 {
		return n, nil
	}
	if err := g.deleteRefs(ctx, old); err != nil {
		return n, err
	}
	for _, ref := range old {
		dir := filepath.Join(g.home, "saved", filepath.FromSlash(strings.TrimPrefix(ref, refPrefix)))
		if err := os.RemoveAll(dir); err != nil {
			return n, fault(opPrepare, "", []string{dir}, err)
		}
		_ = os.Remove(filepath.Dir(dir)) // if it is empty
	}
	return n + len(old), nil
}

const refPrefix = "refs/errgen/"

// isTree reports whether a reference of errgen's is a checked tree, and not a save.
func isTree(ref string) bool {
	return strings.HasSuffix(ref, "/checked") || strings.HasSuffix(ref, "/previous")
}

// ownRefs returns errgen's references with the times of their commits.
func (g *Git) ownRefs(ctx context.Context) (map[string]time.Time, error) {
	out, err := g.git(ctx, call{op: opPrepare, args: []string{
		"for-each-ref", "--format=%(refname) %(committerdate:unix)", "refs/errgen",
	}})
	if err != nil {
		return nil, err
	}
	refs := map[string]time.Time{}
	for line := range strings.Lines(string(out)) {
		ref, date, _ := strings.Cut(strings.TrimSpace(line), " ")
		if seconds, err := strconv.ParseInt(date, 10, 64); err == nil && ref != "" {
			refs[ref] = time.Unix(seconds, 0)
		}
	}
	return refs, nil
}

// pruneRuns removes the runs that were worked on last before an instant. Runs are named as in
// references.
func (g *Git) pruneRuns(ctx context.Context, refs map[string]time.Time, prefix string, before time.Time) (int, error) {
	last := map[string]time.Time{}
	note := func(run string, at time.Time) {
		if at.After(last[run]) {
			last[run] = at
		}
	}
	for ref, made := range refs {
		if isTree(ref) {
			note(strings.Split(strings.TrimPrefix(ref, refPrefix), "/")[0], made)
		}
	}
	dirs, err := os.ReadDir(filepath.Join(g.home, "runs"))
	if err != nil && !missing(err) {
		return 0, fault(opPrepare, "", nil, err)
	}
	for _, d := range dirs {
		if !strings.HasPrefix(d.Name(), prefix) {
			continue
		}
		for _, name := range []string{"", "state.json", "kept"} {
			if info, err := os.Lstat(filepath.Join(g.home, "runs", d.Name(), name)); err == nil {
				note(d.Name(), info.ModTime())
			}
		}
	}
	holds, unlock, err := g.whoHolds()
	if err != nil {
		return 0, err
	}
	defer unlock()
	n := 0
	for run, at := range last {
		if at.After(before) || holds(run) {
			continue
		}
		if err := g.pruneRun(ctx, run, refs); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func (g *Git) pruneRun(ctx context.Context, run string, refs map[string]time.Time) error {
	var own []string
	for _, ref := range []string{refPrefix + run + "/checked", refPrefix + run + "/previous"} {
		if _, ok := refs[ref]; ok {
			own = append(own, ref)
		}
	}
	if len(own) > 0 {
		if err := g.deleteRefs(ctx, own); err != nil {
			return err
		}
	}
	dir := filepath.Join(g.home, "runs", run)
	if err := os.RemoveAll(dir); err != nil {
		return fault(opPrepare, "", []string{dir}, err)
	}
	_ = os.Remove(filepath.Dir(dir)) // if it is empty
	clear(g.states)                  // they are read again
	g.forget("")
	return nil
}
