package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/proc"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Resume removes locks that git has left behind since the run began, if their writers are dead, and
// brings to an end a commit that was made but of which the user's index does not know.
//
// On Linux a writer is dead when no process has the lock's file open and no git command runs in the
// working tree, nor one of which that cannot be seen, as it is another user's. Processes of other
// namespaces are not seen. Elsewhere only locks of this package's own processes are removed. A lock
// that stays is evidence of source "executor", op "resume", with attribute path.
func (g *Git) Resume(ctx context.Context, run string, checked executor.Checked) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	st, err := g.state(opResume, run)
	if err != nil {
		return err
	}
	_ = os.RemoveAll(filepath.Join(g.home, "tmp"))
	if err := g.removeLocks(st); err != nil {
		return err
	}
	s, err := g.load(ctx, opResume, checked)
	if err != nil {
		return err
	}
	if err := g.holdAgain(ctx, s, st); err != nil {
		return err
	}
	now, err := g.readRefs()
	if err != nil {
		return fault(opResume, "", nil, err)
	}
	return g.finish(ctx, opResume, s, st, now)
}

// finish tells the user's index of a commit to which the branch was moved before that could be
// done.
func (g *Git) finish(ctx context.Context, op string, s *snapshot, st *state, now refState) error {
	p := st.Pending
	if p == nil {
		return nil
	}
	if is := string(now.at(string(p.Ref))); is != p.New {
		if is != p.Old {
			return nil // Detect says that it has moved
		}
		st.Pending = nil
		return g.setState(op, st)
	}
	st.adopt(now)
	if err := g.trusted(ctx, op, s, st); err != nil {
		return err
	}
	set, err := g.committedAt(ctx, op, p)
	if err != nil {
		return err
	}
	user, err := g.readIndex(ctx, op, g.indexFile())
	if err != nil {
		return err
	}
	left := maps.Clone(set)
	maps.DeleteFunc(left, func(path string, want *staged) bool {
		have, ok := user[path]
		return want == nil && !ok || want != nil && ok && *want == have
	})
	if len(left) > 0 {
		if err := g.restage(ctx, op, st, left); err != nil {
			return err
		}
	}
	if err := g.rememberIndex(ctx, op, st, set); err != nil {
		return err
	}
	st.Pending = nil
	return g.setState(op, st)
}

// committedAt returns what a commit has for its paths.
func (g *Git) committedAt(ctx context.Context, op string, p *pending) (map[string]*staged, error) {
	out, err := g.git(ctx, call{op: op, args: []string{"ls-tree", "-r", "-z", "--full-tree", p.New}})
	if err != nil {
		return nil, err
	}
	set := map[string]*staged{}
	for _, path := range p.Paths {
		set[string(path)] = nil
	}
	for line := range strings.SplitSeq(string(out), "\x00") {
		if line == "" {
			continue
		}
		mode, id, path, err := listed(line)
		if err != nil {
			return nil, fault(op, "", nil, err)
		}
		if _, ok := set[path]; ok {
			set[path] = &staged{mode: mode, id: id}
		}
	}
	return set, nil
}

// removeLocks removes the locks that stand in our way, if nobody alive has them.
func (g *Git) removeLocks(st *state) error {
	locks := []string{
		g.indexLock(), filepath.Join(g.dir, "HEAD.lock"), filepath.Join(g.common, "packed-refs.lock"),
		filepath.Join(g.common, filepath.FromSlash(st.Git.branch())+".lock"),
	}
	if err := g.removeOwnLocks(opResume, st.Run); err != nil {
		return err
	}
	for _, lock := range slices.Compact(locks) {
		if err := g.removeLock(st, lock); err != nil {
			return err
		}
	}
	return nil
}

// skew is by how much a file system's clock may be behind ours.
const skew = 2 * time.Second

func (g *Git) removeLock(st *state, lock string) error {
	info, err := os.Lstat(lock)
	if missing(err) {
		return nil
	}
	refuse := func(why string, err error) error {
		ev := &taxonomy.Evidence{
			Source: sourceExecutor, Op: opResume, Text: fmt.Sprintf(
				"%s is locked by %s: %s", strings.TrimSuffix(filepath.Base(lock), ".lock"), lock, why),
			Err: err, Attributes: map[string]string{"path": lock},
		}
		return ev
	}
	switch {
	case err != nil:
		return refuse("the lock cannot be looked at", err)
	case info.Mode()&fs.ModeType != 0:
		return refuse("the lock is not a file", nil)
	case info.ModTime().Before(st.Began.Add(-skew)):
		return refuse("the lock is older than the run", nil)
	}
	if l := st.Locker; l != nil && l.PID != os.Getpid() && proc.Alive(proc.ID{PID: l.PID, Start: l.Start}) {
		return refuse(fmt.Sprintf("process %d, which has locked it before, is alive", l.PID), nil)
	}
	who, err := g.lockedBy(st, lock)
	if err != nil {
		return refuse("who has the lock cannot be found out", err)
	}
	if who != "" {
		return refuse(who, nil)
	}
	if err := os.Remove(lock); err != nil && !missing(err) {
		return refuse("the lock cannot be removed", err)
	}
	return nil
}
