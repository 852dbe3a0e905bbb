package proc

import (
	"bytes"
	"context"
	"crypto/rand"
	"os"
	"strconv"
	"syscall"
)

// markVariable is the environment variable with the mark of a program's descendants. A process can
// leave its group and its parents, but it inherits the environment.
const markVariable = "ERRGEN_PROCESS"

func newMark() string { return rand.Text() }

// sweep kills all processes that have the mark, and waits until they are gone. A process can start
// another one meanwhile, so sweep repeats until it finds none.
func sweep(mark string) {
	if mark == "" {
		return
	}
	waitFor(context.Background(), removal, func() bool {
		found := marked(mark)
		for _, pid := range found {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		return len(found) == 0
	})
}

// marked returns the running processes that have the mark. It skips processes whose environment
// cannot be read, because they belong to other users.
func marked(mark string) []int {
	var found []int
	entry := []byte(markVariable + "=" + mark)
	for _, pid := range processes() {
		if pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if err != nil || !bytes.Contains(env, entry) {
			continue
		}
		if s, err := statOf(pid); err == nil && !s.dead() {
			found = append(found, pid)
		}
	}
	return found
}

// onlyDead reports whether all members of a group are zombies. They stay forever if no init process
// waits for them.
func onlyDead(group int) bool {
	for _, pid := range processes() {
		if s, err := statOf(pid); err == nil && s.group == group && !s.dead() {
			return false
		}
	}
	return true
}

// processes returns the numbers of all processes.
func processes() (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
