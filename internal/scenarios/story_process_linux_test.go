package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// processesIn returns the names of the living processes that work in dir or below, or run a program
// there, without this one. Killed processes get a moment to end.
func processesIn(dir string) []string {
	var left []string
	for range 3000 {
		if left = livingIn(dir); len(left) == 0 {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return left
}

func livingIn(dir string) []string {
	var left []string
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		cwd, err := os.Readlink(filepath.Join("/proc", e.Name(), "cwd"))
		if err != nil {
			continue // gone, or another user's
		}
		cmd, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if cwd == dir || strings.HasPrefix(cwd, dir+"/") || strings.HasPrefix(string(cmd), dir+"/") {
			left = append(left, fmt.Sprintf("process %d in %s: %q", pid, cwd, cmd))
		}
	}
	return left
}
