//go:build !linux

package workspace

// lockedBy says who may have a lock; "" is nobody. Only of a process of our own it is known here whether it is alive.
func (g *Git) lockedBy(st *state, lock string) (string, error) {
	if st.Locker == nil || lock != g.indexLock() {
		return "it is not known whether the process that has locked it is alive", nil
	}
	return "", nil
}
