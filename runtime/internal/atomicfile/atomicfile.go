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
	"runtime"
	"syscall"
)

var errNotRegular = errors.New("is not a regular file")

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
	err := removeIfExists(temp)
	if err == nil {
		err = writeNew(temp, content)
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return errors.Join(err, removeIfExists(temp))
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

func removeIfExists(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// OpenRegular opens an existing regular file with the flags of [os.OpenFile]. It rejects
// directories and symbolic links, and does not block on a pipe.
func OpenRegular(path string, flag int) (*os.File, error) {
	if _, err := Regular(path); err != nil {
		return nil, err
	}
	return os.OpenFile(path, flag, 0)
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

// SyncDir makes the names in dir survive a crash, where the system supports it.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err = d.Sync(); errors.Is(err, syscall.EINVAL) { // the file system does not support it
		err = nil
	}
	return errors.Join(err, d.Close())
}
