package workspace

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
)

// A call can take the rights to a file or a directory from its owner, who is whoever runs this. So
// that it is found and put back all the same, they are given back: those that it had when the run
// began, and otherwise just what is needed.

// ownerAll is what it takes to change what is in a directory.
const ownerAll = 0o700

// shut gives the owner the rights to what could not be read, and to the directories that it is in,
// and reports whether that changed anything. No symbolic link is followed.
func (s *scan) shut(p string, err error) bool {
	if !s.opens || !errors.Is(err, fs.ErrPermission) {
		return false
	}
	base, rel := s.baseOf(p)
	opened := false
	for _, step := range steps(rel) {
		opened = s.openUp(base, step, p) || opened
	}
	return opened
}

// baseOf returns the directory below which a path is put back, and the rest of the path.
func (g *Git) baseOf(p string) (base, rel string) {
	if !strings.HasPrefix(p, ".git/") {
		return g.root, p
	}
	where := g.gitPath(p)
	for _, base := range []string{g.dir, g.common} {
		if rel, ok := strings.CutPrefix(where, base+string(filepath.Separator)); ok {
			return base, filepath.ToSlash(rel)
		}
	}
	return filepath.Dir(where), filepath.Base(where)
}

// steps returns the directories above a path and then the path, from the top, which is ".".
func steps(p string) []string {
	list := []string{"."}
	for i, c := range p {
		if c == '/' {
			list = append(list, p[:i])
		}
	}
	if p != "" && p != "." {
		list = append(list, p)
	}
	return list
}

// openUp gives the owner the rights to one step of the way to a path.
func (s *scan) openUp(base, step, p string) bool {
	info, err := os.Lstat(filepath.Join(base, filepath.FromSlash(step)))
	if err != nil {
		return false
	}
	perm := info.Mode().Perm()
	want := perm
	switch {
	case info.IsDir() && perm&ownerAll != ownerAll:
		want = perm | ownerAll
		if was, ok := s.dirModes()[s.nameOf(base, step)]; ok && was&0o500 == 0o500 {
			want = was
		}
	case info.Mode().IsRegular() && perm&0o400 == 0:
		want = perm | 0o600
		if was := s.known[p]; was != nil && was.regular() && was.perm&0o400 != 0 {
			want = was.perm
		}
	}
	return want != perm && chmodIn(base, step, want, info) == nil
}

// nameOf returns the path of a step below a directory.
func (g *Git) nameOf(base, step string) string {
	if base == g.root {
		return step
	}
	return path.Join(".git", step)
}

// chmodIn changes the permissions of a file or a directory below base, and leaves its other bits as
// they are.
func chmodIn(base, step string, perm fs.FileMode, info fs.FileInfo) error {
	mode := perm | info.Mode()&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky)
	if step == "." {
		return os.Chmod(base, mode)
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return err
	}
	defer root.Close()
	name := filepath.FromSlash(step)
	if err := realParents(root, name); err != nil {
		return err
	}
	return root.Chmod(name, mode)
}

// openTop opens the directories without which nothing can be looked at, and reports whether one was
// shut.
func (g *Git) openTop() bool {
	opened := false
	for _, dir := range []string{g.root, g.common, g.dir} {
		info, err := os.Lstat(dir)
		if err == nil && info.IsDir() && info.Mode()&0o500 != 0o500 {
			opened = chmodIn(dir, ".", info.Mode().Perm()|ownerAll, info) == nil || opened
		}
	}
	return opened
}

// openWays gives the owner the rights to the directories in which something is put back.
func (r *reverting) openWays(changes []executor.Change) {
	r.opened = map[string]fs.FileMode{}
	seen := map[string]struct{}{}
	for _, c := range changes {
		base, rel := r.baseOf(c.Path)
		for _, step := range steps(rel) {
			name := r.nameOf(base, step)
			if has(seen, name) {
				continue
			}
			seen[name] = struct{}{}
			info, err := os.Lstat(filepath.Join(base, filepath.FromSlash(step)))
			if err != nil || !info.IsDir() || info.Mode()&ownerAll == ownerAll {
				continue
			}
			if chmodIn(base, step, info.Mode().Perm()|ownerAll, info) == nil {
				r.opened[name] = info.Mode().Perm()
			}
		}
	}
}

// restoreDirs gives directories the permissions that they had when the run began, and those of
// opened that were not there then the ones that they had before: the deepest first, because those
// above may shut them off.
func (s *scan) restoreDirs(opened map[string]fs.FileMode) error {
	modes := maps.Clone(opened)
	if modes == nil {
		modes = map[string]fs.FileMode{}
	}
	maps.Copy(modes, s.dirModes())
	var errs []error
	for _, p := range slices.Backward(slices.Sorted(maps.Keys(modes))) {
		base, rel := s.baseOf(p)
		info, err := os.Lstat(filepath.Join(base, filepath.FromSlash(rel)))
		if err != nil || !info.IsDir() || info.Mode().Perm() == modes[p] {
			continue
		}
		if err := chmodIn(base, rel, modes[p], info); err != nil && len(errs) < maxFaults {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
