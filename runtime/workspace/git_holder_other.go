//go:build !linux

package workspace

import (
	"io/fs"
	"time"
)

// lockedBy says who may have a lock; "" is nobody. Only of a process of our own it is known here
// whether it is alive.
func (g *Git) lockedBy(st *state, lock string) (string, error) {
	if st.Locker == nil || lock != g.indexLock() {
		return "it is not known whether the process that has locked it is alive", nil
	}
	return "", nil
}

// abandoned reports whether nobody has a lock, which is not known here.
func (g *Git) abandoned(string) bool { return false }

// unopened reports whether no process has a lock open that is there for a moment only: it is an old
// one.
func unopened(_ string, info fs.FileInfo) bool { return time.Since(info.ModTime()) > time.Minute }
