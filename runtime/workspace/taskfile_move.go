package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/errgen/errgen/runtime/internal/text"
)

// maxNames bounds how many names are tried for a file whose name is taken.
const maxNames = 1000

// moveInto moves the file into dir and returns its new path. The name is taken first, by an empty
// file that the move replaces, so that nothing else is ever replaced.
func (f *Filer) moveInto(root *os.Root, dir string, mode fs.FileMode) (string, error) {
	to, err := reserve(root, dir, filepath.Base(f.path))
	if err != nil {
		return "", err
	}
	err = f.rename(root, f.path, to)
	if otherDevice(err) {
		err = f.copyTo(root, to, mode)
	}
	if err != nil {
		return "", errors.Join(err, root.Remove(to))
	}
	return to, nil
}

// reserve makes an empty file in dir, with a name that nothing had.
func reserve(root *os.Root, dir, base string) (string, error) {
	ext := filepath.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	for n := 1; n <= maxNames; n++ {
		name := base
		if n > 1 {
			name = fmt.Sprintf("%s-%d%s", stem, n, ext)
		}
		path := filepath.Join(dir, name)
		file, err := root.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return path, file.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("%d files of that name are in %s", maxNames, text.Quote(dir, maxQuoted))
}

// otherDevice reports whether a file could not be renamed because its new place is on another file
// system.
func otherDevice(err error) bool {
	const notSameDevice = syscall.Errno(17) // of Windows
	return errors.Is(err, syscall.EXDEV) || runtime.GOOS == "windows" && errors.Is(err, notSameDevice)
}

// copyTo moves the file by copying it. Either the file is whole at its new place, or it stays where
// it was.
func (f *Filer) copyTo(root *os.Root, to string, mode fs.FileMode) (err error) {
	from, err := root.Open(f.path)
	if err != nil {
		return err
	}
	defer from.Close()
	temporary, err := reserve(root, filepath.Dir(to), "."+filepath.Base(to)+".tmp")
	if err != nil {
		return err
	}
	if err = write(root, temporary, from, mode); err == nil {
		err = root.Rename(temporary, to)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temporary))
	}
	_ = from.Close() // or Windows would not remove it
	return root.Remove(f.path)
}

// write fills a file and has it on the disk when it returns.
func write(root *os.Root, path string, from io.Reader, mode fs.FileMode) error {
	file, err := root.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	return errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
}

// noLinks refuses a directory that is, or is below, a symbolic link; what does not exist is none.
func noLinks(root *os.Root, dir string) error {
	for d := dir; d != "."; d = filepath.Dir(d) {
		info, err := root.Lstat(d)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is not a directory", text.Quote(filepath.ToSlash(d), maxQuoted))
		}
	}
	return nil
}

func isFile(root *os.Root, path string) bool {
	info, err := root.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}
