//go:build unix

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// SyncDir has the names in dir survive a crash.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) { // a file system that cannot, and so need not
		err = nil
	}
	return errors.Join(err, d.Close())
}
