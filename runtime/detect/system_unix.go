//go:build unix

package detect

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// errnoName returns the name of a system error, and whether err is one. A number without a name
// gives "".
func errnoName(err error) (name string, ok bool) {
	e, ok := err.(syscall.Errno)
	if !ok {
		return "", false
	}
	return Canonical(unix.ErrnoName(e)), true
}

// signalOf returns the name of the signal that ended a process, or "".
func signalOf(state *os.ProcessState) string {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ""
	}
	return signalName(status.Signal())
}

// signalName returns the name of a signal, or SIG and the number of a signal without a name.
func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return Canonical(name)
	}
	return "SIG" + strconv.Itoa(int(s))
}
