package workspace

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What a call does to the user's index, to indexes of submodules and to reflogs, and the locks that
// a git command of it has left behind when it was killed, are no changes to be judged, since no
// file is another one for them. They are put back quietly.

// tidy puts back quietly what can be, and removes the locks that are left behind.
func (g *Git) tidy(ctx context.Context, op string, st *state) error {
	if err := g.putIndexBack(ctx, op, st); err != nil {
		return err
	}
	if st.Released {
		return nil
	}
	if err := g.putModulesBack(ctx, op, st); err != nil {
		return err
	}
	return g.putLogsBack(op, st)
}

// rememberQuietly remembers what is put back quietly.
func (g *Git) rememberQuietly(op string, st *state) error {
	if err := g.copyIndex(op, st); err != nil {
		return err
	}
	if err := g.copyModules(op, st); err != nil {
		return err
	}
	return g.copyLogs(op, st)
}

// mainLocks are the locks that a git command takes besides those of references.
var mainLocks = []string{"index.lock", "HEAD.lock", "config.worktree.lock", "config.lock", "packed-refs.lock",
	"shallow.lock"}

// presentLocks returns the locks that are there; those of references are known.
func (g *Git) presentLocks(refs []string, repos []string) []string {
	var there []string
	note := func(name string) {
		if _, err := os.Lstat(name); err == nil {
			there = append(there, name)
		}
	}
	for i, lock := range mainLocks {
		dir := g.common
		if i < 3 {
			dir = g.dir
		}
		note(filepath.Join(dir, lock))
	}
	for _, repo := range repos {
		for _, lock := range mainLocks {
			note(filepath.Join(g.where(repo), lock))
		}
	}
	return append(there, refs...)
}

// locksOf returns the locks that were found while references and git directories were looked at.
func (g *Git) locksOf(refs refState, sc *scan) []string {
	found := slices.Clone(refs.locks)
	for _, p := range sc.locks {
		found = append(found, g.where(p))
	}
	return g.presentLocks(found, sc.repos)
}

// maxLocks is how many locks are looked at at once.
const maxLocks = 100

// removeLeft removes the locks that were not there when the run began, if nobody has them. Of older
// ones only a person knows.
func (g *Git) removeLeft(st *state, locks []string) {
	if st.Locks == nil {
		return
	}
	for _, lock := range locks[:min(len(locks), maxLocks)] {
		if _, ok := st.Locks[raw(lock)]; !ok {
			g.removeIfLeft(lock)
		}
	}
}

// removeIfLeft removes a lock that nobody has. No symbolic link is followed.
func (g *Git) removeIfLeft(lock string) bool {
	base := g.root
	for _, dir := range []string{g.common, g.dir} {
		if strings.HasPrefix(lock, dir+string(filepath.Separator)) {
			base = dir
		}
	}
	rel, err := filepath.Rel(base, lock)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return false
	}
	defer root.Close()
	info, err := root.Lstat(rel)
	if err != nil || !info.Mode().IsRegular() || realParents(root, rel) != nil || !g.abandoned(lock) {
		return false
	}
	return root.Remove(rel) == nil
}
