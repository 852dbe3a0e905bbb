package toolbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// errOutside means that a path leads out of the directory.
var errOutside = errors.New("outside of the working tree")

// resolve returns the path of a name that the model gave: relative to the root, with slashes, and
// without symbolic links. The file need not exist. A path that is not under the root is errOutside,
// as is a link to a file that does not exist.
//
// The root prevents that, too. Names are resolved here because the scope is checked before a file
// is accessed, and a link within the tree can lead to a file outside of the scope.
func (t *Toolbox) resolve(name string) (string, error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(t.dir, name)
	}
	rest := ""
	for dir := filepath.Clean(name); ; dir = filepath.Dir(dir) {
		target, err := filepath.EvalSymlinks(dir)
		if _, missing := os.Lstat(dir); err != nil && errors.Is(missing, fs.ErrNotExist) {
			rest = filepath.Join(filepath.Base(dir), rest)
			continue
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		rel, outside := filepath.Rel(t.dir, filepath.Join(target, rest))
		if err != nil || outside != nil || !filepath.IsLocal(rel) {
			return "", errOutside
		}
		return filepath.ToSlash(rel), nil
	}
}

// isGit reports whether a path has a part named .git, in a form that any file system resolves to
// that name: without regard to case, as a short name, or with characters that are ignored.
func isGit(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		part = strings.TrimRight(strings.ToLower(part), ". ")
		part, _, _ = strings.Cut(part, ":") // a stream of the file, on NTFS
		part = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) { // HFS+ ignores these
				return -1
			}
			return r
		}, part)
		if part == ".git" || part == "git~1" {
			return true
		}
	}
	return false
}

// open opens a file for reading if the model may read it and if it is regular. Others, such as
// pipes, could block the reader.
func (t *Toolbox) open(ctx context.Context, name string) (*os.File, error) {
	if err := t.readable(ctx, name); err != nil {
		return nil, err
	}
	info, err := t.root.Lstat(name)
	if err == nil {
		err = regular(name, info)
	}
	if err != nil {
		return nil, err
	}
	return t.root.Open(name)
}

// readable returns why the content of a file must not be read, or nil.
func (t *Toolbox) readable(ctx context.Context, name string) error {
	if isGit(name) {
		return errGit
	}
	if t.options.Read == nil {
		return nil
	}
	return t.options.Read(ctx, name)
}

// regular returns an error unless the file is a regular one.
func regular(name string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return &fs.PathError{Op: "open", Path: name, Err: errors.New("is a directory")}
	}
	return &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
}

// escapes reports whether a path leads out of the directory: as resolve found, or the root, which
// has no error value for it.
func escapes(err error) bool {
	p, is := errors.AsType[*fs.PathError](err)
	return errors.Is(err, errOutside) || is && p.Err != nil && p.Err.Error() == "path escapes from parent"
}
