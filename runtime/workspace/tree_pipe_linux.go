package workspace

import (
	"os"
	"path/filepath"
	"syscall"
)

// makePipe makes a pipe below a root, for nobody but the owner.
func makePipe(root *os.Root, name string) error {
	dir, err := root.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := syscall.Mknodat(int(dir.Fd()), filepath.Base(name), syscall.S_IFIFO|privateFile, 0); err != nil {
		return &os.PathError{Op: "mkfifo", Path: name, Err: err}
	}
	return nil
}
