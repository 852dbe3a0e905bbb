//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package workspace

import (
	"os"
	"path/filepath"
	"syscall"
)

// makePipe makes a pipe below a root, for nobody but the owner. The caller has seen that no link is
// on the way.
func makePipe(root *os.Root, name string) error {
	if err := syscall.Mkfifo(filepath.Join(root.Name(), name), privateFile); err != nil {
		return &os.PathError{Op: "mkfifo", Path: name, Err: err}
	}
	return nil
}
