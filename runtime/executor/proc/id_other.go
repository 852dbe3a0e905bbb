//go:build !linux && !darwin && !windows

package proc

import (
	"errors"
	"os/exec"
	"strconv"
	"strings"
)

// startOf returns the time at which a process started, as ps prints it, and whether the process is
// running.
func startOf(pid int) (start string, running bool, err error) {
	cmd := exec.Command("ps", "-o", "stat=,lstart=", "-p", strconv.Itoa(pid))
	cmd.Env = []string{"LC_ALL=C", "TZ=UTC", "PATH=/bin:/usr/bin"}
	out, err := cmd.Output()
	fields := strings.Fields(string(out))
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit), err == nil && len(fields) < 2:
		return "", false, errGone
	case err != nil:
		return "", false, err
	}
	return strings.Join(fields[1:], "-"), !strings.HasPrefix(fields[0], "Z"), nil
}
