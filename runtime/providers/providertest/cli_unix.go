//go:build unix

package providertest

import (
	"os"
	"os/exec"
	"syscall"
)

// escape gives a child a session of its own.
func escape(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// die ends this process by a signal. A shell takes its place first, because Go handles signals in
// its own way.
func die(signal string) error {
	return syscall.Exec("/bin/sh", []string{"sh", "-c", `ulimit -c 0; kill -s "$0" $$`, signal}, os.Environ())
}
