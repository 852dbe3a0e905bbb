package output

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

func (t Target) path(name string) string { return filepath.Join(t.Show, name) }
func (t Target) real(name string) string { return filepath.Join(t.Dir, name) }

// readDir lists the target. A directory that does not exist has no entries.
func readDir(t Target) ([]os.DirEntry, error) {
	info, err := os.Lstat(t.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, t.creatable()
	}
	if err != nil {
		return nil, t.fault("", err)
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, fmt.Errorf("%s: is a symbolic link: give the directory that it leads to", t.Show)
	case !info.IsDir():
		return nil, fmt.Errorf("%s: is not a directory", t.Show)
	}
	entries, err := os.ReadDir(t.Dir)
	if err != nil {
		return nil, t.fault("", err)
	}
	return entries, nil
}

// creatable checks that the nearest parent that exists is a directory.
func (t Target) creatable() error {
	for dir := filepath.Dir(filepath.Clean(t.Dir)); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
			if _, err := os.Lstat(dir); err == nil {
				return fmt.Errorf("%s: a parent directory is a symbolic link to nothing", t.Show)
			}
			continue
		}
		if err != nil {
			return t.fault("", err)
		}
		if !info.IsDir() {
			return fmt.Errorf("%s: a parent of it is not a directory", t.Show)
		}
		return readOnly(info, t.Show)
	}
}

// writable refuses a directory that says of itself that nobody may write to it. The check is made
// here, and not left to the first write, because a privileged user could write.
func (t Target) writable() error {
	info, err := os.Stat(t.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return t.fault("", err)
	}
	return readOnly(info, t.Show)
}

func readOnly(info fs.FileInfo, show string) error {
	if info.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("%s: is read-only", show)
	}
	return nil
}

// compare tells what has to be done for f, or why nothing can be. A file that another run removes
// meanwhile is missing.
func (t Target) compare(f File) (Action, error) {
	action, err := t.compareNow(f)
	if errors.Is(err, fs.ErrNotExist) {
		return Create, nil
	}
	return action, err
}

func (t Target) compareNow(f File) (Action, error) {
	info, err := os.Lstat(t.real(f.Name))
	if err != nil {
		return Unchanged, t.fault(f.Name, err)
	}
	if err := regular(info, t.path(f.Name)); err != nil {
		return Unchanged, err
	}
	if info.Size() == int64(len(f.Content)) {
		old, err := os.ReadFile(t.real(f.Name))
		if err != nil {
			return Unchanged, t.fault(f.Name, err)
		}
		if bytes.Equal(old, f.Content) {
			return Unchanged, nil
		}
	}
	if err := t.replaceable(f.Name); err != nil {
		return Unchanged, err
	}
	return Change, readOnly(info, t.path(f.Name))
}

// regular refuses what is not a file: renaming over a link would replace the link, not what it
// leads to.
func regular(info fs.FileInfo, show string) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode&fs.ModeSymlink != 0:
		return fmt.Errorf("%s: is a symbolic link, and is not written through", show)
	case mode.IsDir():
		return fmt.Errorf("%s: is a directory", show)
	default:
		return fmt.Errorf("%s: is not a regular file", show)
	}
}

// replaceable refuses a file that was not made from this taxonomy.
func (t Target) replaceable(name string) error {
	o, err := originOf(t.real(name))
	if err != nil {
		return t.fault(name, err)
	}
	switch {
	case !o.made:
		return fmt.Errorf("%s: was not made by errgen (its first line is not errgen's header): rename or remove it",
			t.path(name))
	case !t.isSource(o.source):
		return fmt.Errorf("%s: was generated from %s, not from %s: two taxonomies need two directories", t.path(name),
			o.source, t.Source)
	case !t.isPackage(o.pkg):
		return &formerPackage{name: name, path: t.path(name), was: o.pkg, is: t.Package}
	}
	return nil
}

// stale reports whether a file that is not generated any more was made from this taxonomy.
func (t Target) stale(name string) bool {
	o, err := originOf(t.real(name))
	return err == nil && o.made && t.isSource(o.source) && t.isPackage(o.pkg)
}

func (t Target) isSource(source string) bool {
	if source == t.Source {
		return true
	}
	if t.SourceDir == "" || source != filepath.Base(source) {
		return false
	}
	_, err := os.Lstat(filepath.Join(t.SourceDir, source))
	return errors.Is(err, fs.ErrNotExist)
}

// isPackage accepts also a file whose package clause cannot be read: its header says whose it is.
func (t Target) isPackage(pkg string) bool {
	return pkg == "" || pkg == t.Package || pkg == t.Package+"_test"
}

// leftover reports whether a file with the name of a temporary file is one: it begins as every
// generated file does, as far as it was written.
func (t Target) leftover(name string) bool {
	f, err := os.Open(t.real(name))
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, len(headerBegin))
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false
	}
	return bytes.HasPrefix([]byte(headerBegin), head[:n])
}

// fault words a failure of the file system with the path as the user knows it.
func (t Target) fault(name string, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("%s: %w", t.path(name), err)
}
