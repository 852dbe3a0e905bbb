package scenarios_test

import (
	"os/exec"
	"syscall"
)

// shell returns a line for the shell, in a process group of its own.
func shell(dir, line string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}
