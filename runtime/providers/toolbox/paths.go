package toolbox

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
)

// errOutside means that a path leads out of the directory.
var errOutside = errors.New("outside of the working tree")

// maxLinks bounds how many symbolic links one path goes through.
const maxLinks = 32

// resolve returns the path of a name that the model gave: relative to the root, with slashes, and
// without symbolic links. The file need not exist. A path that is not under the root is errOutside.
//
// The root prevents that, too. Names are resolved here because the scope is checked before a file
// is accessed, and a link within the tree can lead to a file outside of the scope.
func (t *Toolbox) resolve(name string) (string, error) {
	name, err := t.relative(name)
	if err != nil {
		return "", err
	}
	todo := strings.Split(name, "/")
	done, links := ".", 0
	for len(todo) > 0 {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if done == "." {
				return "", errOutside
			}
			done = path.Dir(done)
			continue
		}
		next := path.Join(done, part)
		target, link, err := t.link(next)
		switch {
		case err != nil:
			return "", err
		case !link:
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", &fs.PathError{Op: "open", Path: name, Err: errors.New("too many symbolic links")}
		}
		if filepath.IsAbs(target) {
			done = "."
		}
		if target, err = t.relative(target); err != nil {
			return "", errOutside
		}
		todo = append(strings.Split(target, "/"), todo...)
	}
	return done, nil
}

// relative returns a name with slashes. An absolute name under the directory becomes relative.
func (t *Toolbox) relative(name string) (string, error) {
	if strings.IndexByte(name, 0) >= 0 {
		return "", &fs.PathError{Op: "open", Path: name, Err: errors.New("a name must not contain a zero byte")}
	}
	if !filepath.IsAbs(name) {
		if filepath.VolumeName(name) != "" || strings.HasPrefix(filepath.ToSlash(name), "/") {
			return "", errOutside
		}
		return filepath.ToSlash(name), nil
	}
	rel, err := filepath.Rel(t.dir, name)
	if err != nil || !filepath.IsLocal(rel) {
		return "", errOutside
	}
	return filepath.ToSlash(rel), nil
}

// link returns the target of a symbolic link, and whether the path is one.
func (t *Toolbox) link(name string) (target string, link bool, err error) {
	info, err := t.root.Lstat(filepath.FromSlash(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, nil
	case err != nil, info.Mode()&fs.ModeSymlink == 0:
		return "", false, err
	}
	target, err = t.root.Readlink(filepath.FromSlash(name))
	return target, true, err
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

// openRegular opens a regular file for reading. Others, such as pipes, could block the reader.
func (t *Toolbox) openRegular(name string) (*os.File, fs.FileInfo, error) {
	info, err := t.root.Lstat(filepath.FromSlash(name))
	if err == nil {
		err = regular(name, info)
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := t.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = regular(name, info)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
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
