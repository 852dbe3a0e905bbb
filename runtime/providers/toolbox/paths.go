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

// errOutside says that a path leads out of the directory.
var errOutside = errors.New("outside of the working tree")

// maxLinks bounds how many symbolic links one path goes through.
const maxLinks = 32

// resolve returns the path, relative to the root, slash-separated and without symbolic links, that
// a name of the model's means. What does not exist yet has the name that it would have. It is
// errOutside for what is not under the root.
//
// The root does not let one out either. Names are resolved here because it must be known, before
// anything is done, which file it is done to: a link within the tree may lead to a file that the
// task must not change.
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

// relative returns a name with slashes. An absolute one is made relative if it is under the
// directory.
func (t *Toolbox) relative(name string) (string, error) {
	if strings.IndexByte(name, 0) >= 0 {
		return "", &fs.PathError{Op: "open", Path: name, Err: errors.New("a name has no zero byte")}
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

// link returns where a symbolic link leads, and whether the path is one. What does not exist is
// none.
func (t *Toolbox) link(name string) (target string, link bool, err error) {
	info, err := t.root.Lstat(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return "", false, nil
	}
	target, err = t.root.Readlink(filepath.FromSlash(name))
	return target, true, err
}

// isGit reports whether a path is of what git keeps: of a part of that name, also as file systems
// know it that tell no capitals from small letters, or know short names.
func isGit(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		part = strings.TrimRight(strings.ToLower(part), ". ")
		part, _, _ = strings.Cut(part, ":") // a stream of the file, on NTFS
		part = strings.Map(visible, part)
		if part == ".git" || part == "git~1" {
			return true
		}
	}
	return false
}

// visible drops the characters that HFS+ ignores in names.
func visible(r rune) rune {
	if unicode.Is(unicode.Cf, r) {
		return -1
	}
	return r
}

// openRegular opens a regular file for reading. Anything else could keep the reader waiting for
// ever.
func (t *Toolbox) openRegular(name string) (*os.File, fs.FileInfo, error) {
	info, err := t.root.Lstat(filepath.FromSlash(name))
	if err != nil {
		return nil, nil, err
	}
	if err := regular(name, info); err != nil {
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
