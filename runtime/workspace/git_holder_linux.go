package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// lockedBy says who may have a lock; "" is nobody. A git command can have a lock without having its file open, so one
// that runs in the working tree counts too.
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
		if g.runsGit(dir) {
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

func (g *Git) runsGit(dir string) bool {
	comm, err := os.ReadFile(filepath.Join(dir, "comm"))
	if err != nil || !strings.HasPrefix(string(comm), "git") {
		return false
	}
	cwd, err := os.Readlink(filepath.Join(dir, "cwd"))
	if err != nil {
		return false // a zombie has none
	}
	for _, base := range []string{g.root, g.dir, g.common} {
		if cwd == base || strings.HasPrefix(cwd, base+"/") {
			return true
		}
	}
	return false
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
