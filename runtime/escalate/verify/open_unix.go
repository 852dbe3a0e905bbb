//go:build unix

package verify

import (
	"errors"
	"syscall"
)

// openFlags open what should be a file: no pipe is waited for.
const openFlags = syscall.O_NONBLOCK

// notPermitted is what the system says of what it does not permit.
const notPermitted = syscall.EACCES

// isNotDir reports whether err says that something above a path is not a directory.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// isNoName reports whether err says that there can be nothing of that name.
func isNoName(err error) bool {
	return errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.EINVAL)
}
