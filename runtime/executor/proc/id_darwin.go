package proc

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of sys/proc.h.
const zombie = 5

// startOf returns the time at which a process started, and whether the process is running.
func startOf(pid int) (start string, running bool, err error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if errors.Is(err, unix.EIO) || errors.Is(err, unix.ESRCH) { // EIO: the answer was empty
		return "", false, errGone
	}
	if err != nil {
		return "", false, err
	}
	if int(info.Proc.P_pid) != pid {
		return "", false, errGone
	}
	at := info.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", at.Sec, at.Usec), info.Proc.P_stat != zombie, nil
}
