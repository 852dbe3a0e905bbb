package workspace

import (
	"os"
	"syscall"
)

// OnOtherDevices has every rename of a filer fail as between file systems.
func OnOtherDevices(f *Filer) {
	f.rename = func(_ *os.Root, from, to string) error {
		return &os.LinkError{Op: "renameat", Old: from, New: to, Err: syscall.EXDEV}
	}
}
