package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// lockedBy says who may have a lock; "" is nobody. A git command can have a lock without having its
// file open, so one that runs in the working tree counts too, and one of which that cannot be seen,
// as it is another user's. What is in another namespace of processes, or hidden, is not seen at
// all.
func (g *Git) lockedBy(_ *state, lock string) (string, error) {
	processes, err := os.ReadDir("/proc")
	if err != nil {
		return "", err
	}
	for _, d := range processes {
		pid, err := strconv.Atoi(d.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		dir := filepath.Join("/proc", d.Name())
		if hasOpen(dir, lock) {
			return fmt.Sprintf("process %d has it open", pid), nil
		}
		switch in, seen := g.runsGit(dir); {
		case !seen:
			return fmt.Sprintf("process %d is a git command of which cannot be seen where it runs", pid), nil
		case in:
			return fmt.Sprintf("process %d is a git command that runs in the working tree", pid), nil
		}
	}
	return "", nil
}

func hasOpen(dir, name string) bool {
	fds, err := os.ReadDir(filepath.Join(dir, "fd"))
	if err != nil {
		return false // gone, or another user's
	}
	for _, fd := range fds {
		if target, err := os.Readlink(filepath.Join(dir, "fd", fd.Name())); err == nil && target == name {
			return true
		}
	}
	return false
}

// runsGit reports whether a process is a git command in the working tree, and whether that can be
// seen. Its name can be read by all.
func (g *Git) runsGit(dir string) (in, seen bool) {
	comm, err := os.ReadFile(filepath.Join(dir, "comm"))
	if err != nil || !strings.HasPrefix(string(comm), "git") {
		return false, true
	}
	cwd, err := os.Readlink(filepath.Join(dir, "cwd"))
	if err != nil {
		return false, !errors.Is(err, fs.ErrPermission) || isZombie(dir) // one that has ended has none
	}
	for _, base := range []string{g.root, g.dir, g.common} {
		if cwd == base || strings.HasPrefix(cwd, base+"/") {
			return true, true
		}
	}
	return false, true
}

// isZombie reports whether a process has ended, and only waits for its parent to take note.
func isZombie(dir string) bool {
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	end := bytes.LastIndexByte(stat, ')') // of the name
	return end >= 0 && (bytes.HasPrefix(stat[end+1:], []byte(" Z")) || bytes.HasPrefix(stat[end+1:], []byte(" X")))
}

// abandoned reports whether nobody has a lock.
func (g *Git) abandoned(lock string) bool {
	who, err := g.lockedBy(nil, lock)
	return err == nil && who == ""
}

// unopened reports whether no process has a file open.
func unopened(name string, _ fs.FileInfo) bool {
	processes, err := os.ReadDir("/proc")
	if err != nil {
		return false
	}
	for _, d := range processes {
		if _, err := strconv.Atoi(d.Name()); err == nil && hasOpen(filepath.Join("/proc", d.Name()), name) {
			return false
		}
	}
	return true
}
