package output

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// disk is everything that changes the file system, in one place, so that a test can make any of it
// fail.
type disk interface {
	// MkdirAll makes dir and its parents. It returns the topmost directory that it made, if any.
	MkdirAll(dir string) (made string, err error)
	// WriteTemp writes content to a new file in dir, with the permissions of like if that exists,
	// and returns its path. When it fails, no file is left.
	WriteTemp(dir, like string, content []byte) (path string, err error)
	Rename(from, to string) error
	Remove(path string) error
	ReadFile(path string) ([]byte, error)
}

type osDisk struct{}

func (osDisk) Rename(from, to string) error         { return os.Rename(from, to) }
func (osDisk) Remove(path string) error             { return os.Remove(path) }
func (osDisk) ReadFile(path string) ([]byte, error) { return os.ReadFile(path) }

func (osDisk) MkdirAll(dir string) (string, error) {
	made := ""
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil || d == filepath.Dir(d) {
			break
		}
		made = d
	}
	return made, os.MkdirAll(dir, 0o755)
}

func (osDisk) WriteTemp(dir, like string, content []byte) (string, error) {
	f, err := createTemp(dir)
	if err != nil {
		return "", err
	}
	if err := errors.Join(fill(f, like, content), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// fill writes and syncs: a rename that reaches the disk before the bytes do would leave an empty
// file.
func fill(f *os.File, like string, content []byte) error {
	if _, err := f.Write(content); err != nil {
		return err
	}
	if info, err := os.Lstat(like); err == nil {
		if err := f.Chmod(info.Mode().Perm()); err != nil {
			return err
		}
	}
	return f.Sync()
}

// The name of a temporary file does not hold the target's, which may be as long as a name can be.
const (
	tempBegin = ".errgen-"
	tempEnd   = ".tmp"
)

func isTemporary(name string) bool {
	return strings.HasPrefix(name, tempBegin) && strings.HasSuffix(name, tempEnd)
}

// createTemp is os.CreateTemp with the permissions of an ordinary file, as the umask wants them.
func createTemp(dir string) (*os.File, error) {
	for try := 0; ; try++ {
		name := tempBegin + strconv.FormatUint(rand.Uint64(), 36) + tempEnd
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if !errors.Is(err, fs.ErrExist) || try == 100 {
			return f, err
		}
	}
}
