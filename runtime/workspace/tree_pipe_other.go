//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd

package workspace

import (
	"errors"
	"os"
)

// makePipe says that there is no way to make a pipe.
func makePipe(*os.Root, string) error { return errors.ErrUnsupported }
