package detect

import (
	"errors"
	"io/fs"
	"os"
)

var (
	errNotRegular = errors.New("is not a regular file")
	errReplaced   = errors.New("was replaced while it was opened")
)

// openRegular opens a file to append to it. It follows no symbolic link, and does not wait for the
// other end of a pipe.
func openRegular(path string) (*os.File, error) {
	const flags = os.O_RDWR | os.O_APPEND
	f, err := os.OpenFile(path, flags|os.O_CREATE|os.O_EXCL, 0o600)
	if !errors.Is(err, fs.ErrExist) {
		return f, err
	}
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	if f, err = os.OpenFile(path, flags, 0); err != nil {
		return nil, err
	}
	after, err := f.Stat()
	if err == nil && !os.SameFile(before, after) {
		err = &fs.PathError{Op: "open", Path: path, Err: errReplaced}
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, err
	}
	return f, nil
}
