// Package atomicfile replaces files atomically: a reader sees the complete old or the complete new
// content, even after a crash.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

var (
	errNotRegular = errors.New("is not a regular file")
	errReplaced   = errors.New("was replaced while it was opened")
)

// TempSuffix ends the names of files that are being written.
const TempSuffix = ".tmp"

// MakeDir makes dir and the missing directories above it, for their owner only. They survive a
// crash.
func MakeDir(dir string) error {
	var made []string
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil || d == filepath.Dir(d) {
			break
		}
		made = append(made, d)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, d := range made {
		if err := SyncDir(filepath.Dir(d)); err != nil {
			return err
		}
	}
	return nil
}

// Replace atomically replaces the file at path. Only its owner can read it. There must be one
// writer at a time. The temporary file of a killed writer is overwritten.
func Replace(path string, content []byte) error {
	temp := path + TempSuffix
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := writeNew(temp, content); err != nil {
		return errors.Join(err, removed(temp))
	}
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(err, removed(temp))
	}
	return SyncDir(filepath.Dir(path))
}

func writeNew(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		// A rename that reaches the disk before the bytes do would leave an empty file.
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func removed(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// OpenRegular opens an existing regular file with the flags of [os.OpenFile]. It rejects
// directories and symbolic links, and does not block on a pipe.
func OpenRegular(path string, flag int) (*os.File, error) {
	before, err := Regular(path)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, err
	}
	after, err := f.Stat()
	if err == nil && !os.SameFile(before, after) {
		err = &fs.PathError{Op: "open", Path: path, Err: errReplaced}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Read returns the content of a regular file, at most its first limit bytes.
func Read(path string, limit int64) ([]byte, error) {
	f, err := OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, limit))
	return b, errors.Join(err, f.Close())
}

// Regular returns the info of the file at path, or an error if it is not a regular file.
func Regular(path string) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("%w: %s", errNotRegular, info.Mode())}
	}
	return info, nil
}
