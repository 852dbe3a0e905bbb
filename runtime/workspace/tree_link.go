package workspace

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// maxLinks is how many symbolic links may stand behind one another.
const maxLinks = 40

// escapes reports whether a symbolic link leads out of the working tree, be it by way of other
// links; git's own directory is out of it. Nothing is opened. What cannot be followed to its end
// counts as leading out.
func (g *Git) escapes(p string) bool {
	links := 0
	done, rest := "", strings.Split(p, "/")
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			if done == "" {
				return true
			}
			if done = path.Dir(done); done == "." {
				done = ""
			}
			continue
		}
		if ofGit(name) {
			return true
		}
		next := path.Join(done, name)
		target, isLink, err := g.readLink(next)
		if err != nil {
			return true
		}
		if !isLink {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return true
		}
		if filepath.IsAbs(target) || strings.HasPrefix(target, "/") {
			inside, ok := g.inside(target)
			if !ok {
				return true
			}
			done, target = "", inside
		}
		rest = append(strings.Split(filepath.ToSlash(target), "/"), rest...)
	}
	return false
}

// readLink returns where a link leads. What is not there is no link.
func (g *Git) readLink(p string) (target string, isLink bool, err error) {
	info, err := os.Lstat(g.path(p))
	if missing(err) {
		return "", false, nil
	}
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		return "", false, err
	}
	target, err = os.Readlink(g.path(p))
	return target, true, err
}

// inside returns the part of an absolute path that is below the root, unless the path gets there in
// another way.
func (g *Git) inside(target string) (string, bool) {
	if target == g.root {
		return "", true
	}
	return strings.CutPrefix(target, g.root+string(filepath.Separator))
}
