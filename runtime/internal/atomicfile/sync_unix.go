//go:build unix

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// SyncDir makes the names in dir survive a crash.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) { // the file system does not support it
		err = nil
	}
	return errors.Join(err, d.Close())
}
