//go:build unix

package state

import (
	"io/fs"
	"path/filepath"
	"syscall"
)

// writable returns why a database cannot be written, or nil if there is nothing to say. It opens no
// file: closing one would end all locks that this process has on it.
func writable(path string) error {
	const write = 2
	for _, p := range []string{path, filepath.Dir(path)} {
		if err := syscall.Access(p, write); err != nil {
			return &fs.PathError{Op: "write", Path: p, Err: err}
		}
	}
	return nil
}

// linked reports whether a file has more than one name.
func linked(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 1
}
