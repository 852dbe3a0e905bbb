//go:build !unix

package gittree

import (
	"errors"
	"io/fs"
	"syscall"
)

// errNotSameDevice is ERROR_NOT_SAME_DEVICE of Windows.
const errNotSameDevice = syscall.Errno(17)

// changeMark returns what identifies a version of a file.
func changeMark(info fs.FileInfo) any { return info.ModTime() }

func isNotDir(error) bool          { return false }
func isOtherDevice(err error) bool { return errors.Is(err, errNotSameDevice) }
