//go:build unix

package workspace

import (
	"errors"
	"syscall"
)

// openFlags open what should be a file: no symbolic link is followed and no pipe waited for.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// isNotDir reports whether err says that something above a path is not a directory.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
