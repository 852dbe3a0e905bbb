package workspace

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// ownFiles are the files of a git directory that decide what git commands run, read and believe,
// besides references. Those of the second list belong to one working tree.
var (
	ownFiles = []string{
		"config", "shallow", "info/attributes", "info/exclude", "info/sparse-checkout", "info/grafts",
		"objects/info/alternates",
		"logs/refs/stash",
	}
	treeFiles = []string{
		"config.worktree", "commondir", "gitdir", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG",
	}
	ownDirs  = []string{"hooks"}
	treeDirs = []string{"rebase-merge", "rebase-apply", "sequencer"}
	// Of other repositories in the tree the references are compared as files.
	refFiles = []string{"HEAD", "packed-refs"}
	refDirs  = []string{"refs"}
)

// gitPath returns where a file of git itself is; its path begins with ".git/".
func (g *Git) gitPath(p string) string {
	rest := strings.TrimPrefix(p, ".git/")
	first, _, _ := strings.Cut(rest, "/")
	base := g.common
	if rest == "HEAD" || rest == "index" || contains(treeFiles, rest) || contains(treeDirs, first) {
		base = g.dir
	}
	return filepath.Join(base, filepath.FromSlash(rest))
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// where returns where a path is, be it of the working tree or of git itself.
func (g *Git) where(p string) string {
	if strings.HasPrefix(p, ".git/") {
		return g.gitPath(p)
	}
	return g.path(p)
}

// gitFiles looks at the files of git itself, without running git.
func (s *scan) gitFiles() error {
	if info, err := os.Lstat(s.path(".git")); err == nil && !info.IsDir() {
		if err := s.ofGit(".git"); err != nil { // the file that says where git's directory is
			return err
		}
	}
	for _, list := range [][]string{ownFiles, treeFiles} {
		for _, f := range list {
			if err := s.ofGit(".git/" + f); err != nil {
				return err
			}
		}
	}
	for _, list := range [][]string{ownDirs, treeDirs} {
		for _, d := range list {
			if err := s.allOfGit(".git/" + d); err != nil {
				return err
			}
		}
	}
	for _, f := range s.extras {
		if err := s.ofGit(f); err != nil {
			return err
		}
	}
	return s.modules(".git/modules")
}

// extras returns the files of the working tree that git's configuration is in, or its hooks.
func (g *Git) extras(st *state) []string {
	var list []string
	for _, files := range []rawMap[string]{st.Config, st.Hooks} {
		for name := range files {
			rel := g.relative(string(name))
			if rel != string(name) && !ofGit(filepath.ToSlash(rel)) {
				list = append(list, filepath.ToSlash(rel))
			}
		}
	}
	return list
}

// ofGit looks at a file of git itself.
func (s *scan) ofGit(p string) error {
	was := s.known[p]
	if was == nil || !was.git {
		was = &entry{mode: modeUnknown, git: true, kept: inFiles, perm: 0o600}
	}
	e, err := s.lookAt(p, s.where(p), was, false)
	if err != nil || e == nil || e.mode == modeDir {
		return err
	}
	s.found[p] = e
	return nil
}

// allOfGit looks at all files below a directory of git itself.
func (s *scan) allOfGit(dir string) error {
	list, err := s.readDir(dir)
	if err != nil {
		if info, lerr := os.Lstat(s.where(dir)); lerr == nil && !info.IsDir() {
			return s.ofGit(dir)
		}
		return err
	}
	for _, d := range list {
		p := path.Join(dir, d.Name())
		if d.IsDir() {
			err = s.allOfGit(p)
		} else if !strings.HasSuffix(p, ".lock") {
			err = s.ofGit(p)
		} else if strings.Contains(p, "/refs/") {
			s.locks = append(s.locks, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// modules looks at the git directories of submodules.
func (s *scan) modules(dir string) error {
	list, err := s.readDir(dir)
	if err != nil {
		return err
	}
	for _, d := range list {
		if !d.IsDir() {
			continue
		}
		p := path.Join(dir, d.Name())
		look := s.modules // a directory of them
		if _, err := os.Lstat(filepath.Join(s.where(p), "HEAD")); err == nil {
			look = s.repository
		}
		if err := look(p); err != nil {
			return err
		}
	}
	return nil
}

// repository looks at the files of another git directory.
func (s *scan) repository(dir string) error {
	s.repos = append(s.repos, dir)
	for _, list := range [][]string{ownFiles, treeFiles, refFiles} {
		for _, f := range list {
			if err := s.ofGit(dir + "/" + f); err != nil {
				return err
			}
		}
	}
	for _, list := range [][]string{ownDirs, treeDirs, refDirs} {
		for _, d := range list {
			if err := s.allOfGit(dir + "/" + d); err != nil {
				return err
			}
		}
	}
	return s.modules(dir + "/modules")
}

// otherRepository looks at what makes a directory of the tree a repository of its own. Git would
// not look into it.
func (s *scan) otherRepository(p string, dir bool) error {
	if !dir {
		return s.ofGit(p)
	}
	if _, ok := s.gitDirs[p]; ok || s.first {
		return s.repository(p)
	}
	info, err := os.Lstat(s.path(p))
	if err != nil {
		if missing(err) {
			return nil
		}
		return err
	}
	s.found[p] = &entry{mode: modeDir, git: true, perm: info.Mode() & fs.ModePerm}
	return nil
}
