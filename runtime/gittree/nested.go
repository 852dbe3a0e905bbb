package gittree

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
)

// nestedFile lists the repositories within the working tree.
const nestedFile = "nested.json"

// nested is a repository within the working tree, such as a submodule. Its files are files of the
// working tree. Its .git is guarded like the user's.
type nested struct {
	Repo string `json:"repo"`
	File []byte `json:"file,omitempty"` // the content of .git, if that is a file
	Base Tree   `json:"base,omitempty"` // the baseline of .git, if that is a directory
	area *area
}

// repositories returns the directories of the working tree that contain a .git.
func (s *Space) repositories(ctx context.Context) ([]string, error) {
	a := s.work
	if a.last == "" {
		if _, err := a.snapshot(ctx); err != nil {
			return nil, err
		}
	}
	if a.dirsOf != a.last {
		dirs, err := s.list(ctx, command{args: []string{"ls-tree", "-r", "-d", "-z", "--name-only", "--full-tree",
			string(a.last)}})
		if err != nil {
			return nil, err
		}
		a.dirs, a.dirsOf = dirs, a.last
	}
	repos := slices.Clone(a.empty)
	for _, dir := range a.dirs {
		if _, err := os.Lstat(filepath.Join(s.root, filepath.FromSlash(dir), ".git")); err == nil {
			repos = append(repos, dir)
		}
	}
	return repos, nil
}

// beginNested records the repositories within the working tree.
func (s *Space) beginNested(ctx context.Context) error {
	repos, err := s.repositories(ctx)
	if err != nil {
		return err
	}
	s.nested = nil
	for i, repo := range repos {
		n := &nested{Repo: repo}
		s.nested = append(s.nested, n)
		dotGit := filepath.Join(s.root, filepath.FromSlash(repo), ".git")
		if info, err := os.Lstat(dotGit); err == nil && info.Mode().IsRegular() {
			if n.File, err = os.ReadFile(dotGit); err != nil {
				return err
			}
			continue
		}
		if err := s.addNestedArea(i, n); err != nil {
			return err
		}
		if n.Base, err = n.area.snapshot(ctx); err != nil {
			return err
		}
	}
	return s.writeJSON(nestedFile, s.nested)
}

func (s *Space) addNestedArea(i int, n *nested) error {
	name := fmt.Sprintf("nested%d", i)
	n.area = &area{Space: s, name: name, dir: filepath.Join(s.root, filepath.FromSlash(n.Repo), ".git"),
		git: filepath.Join(s.store, name), store: s.store, known: map[string]bool{}}
	if err := atomicfile.MakeDir(n.area.git); err != nil {
		return err
	}
	return s.write(filepath.Join(name, "HEAD"), []byte(headless))
}

func (s *Space) loadNested() error {
	err := s.readJSON(nestedFile, &s.nested)
	for i, n := range s.nested {
		if err == nil && n.File == nil {
			err = s.addNestedArea(i, n)
		}
	}
	return err
}

// guardNested returns the repositories that are new or gone, and the violations in the others.
func (s *Space) guardNested(ctx context.Context) ([]change, error) {
	repos, err := s.repositories(ctx)
	if err != nil {
		return nil, err
	}
	var found []change
	for _, n := range s.nested {
		repos = slices.DeleteFunc(repos, func(repo string) bool { return repo == n.Repo })
		dotGit := filepath.Join(s.root, filepath.FromSlash(n.Repo), ".git")
		info, err := os.Lstat(dotGit)
		isDir := err == nil && info.IsDir()
		same := isDir == (n.area != nil)
		if err == nil && same && !isDir {
			now, err := os.ReadFile(dotGit)
			same = err == nil && bytes.Equal(now, n.File)
		}
		if err != nil || !same {
			found = append(found, change{Path: n.Repo + "/.git", OldMode: modeModule, NewMode: absent, Git: true})
			continue
		}
		if n.area != nil {
			changes, err := n.guard(ctx)
			if err != nil {
				return nil, err
			}
			found = append(found, changes...)
		}
	}
	for _, repo := range repos {
		found = append(found, change{Path: repo + "/.git", OldMode: absent, NewMode: modeModule, Git: true})
	}
	return found, nil
}

// guard returns the violations in git's directory of a repository, and restores the rest.
func (n *nested) guard(ctx context.Context) ([]change, error) {
	tree, err := n.area.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	changes, err := n.area.diff(ctx, n.Base, tree)
	if err != nil {
		return nil, err
	}
	var found []change
	var quiet []string
	for _, c := range changes {
		if isGuarded(c.Path) {
			c.Path, c.Git = n.Repo+"/.git/"+c.Path, true
			found = append(found, c)
		} else if !strings.HasPrefix(c.Path, "logs/") {
			quiet = append(quiet, c.Path)
		}
	}
	if quiet != nil {
		_, err = n.area.restore(ctx, n.Base, quiet)
	}
	return found, err
}

// restoreNested restores paths in the .git of a repository. A repository that is new is moved to the
// store and not removed, because it may contain commits.
func (s *Space) restoreNested(ctx context.Context, repo string, paths []string) error {
	for _, n := range s.nested {
		if n.Repo != repo {
			continue
		}
		if n.area != nil {
			return n.restore(ctx, paths)
		}
		return s.restoreDotGit(repo+"/.git", n.File)
	}
	if _, err := os.Lstat(filepath.Join(s.root, filepath.FromSlash(repo), ".git")); err != nil {
		return nil
	}
	return s.work.moveAside(repo + "/.git")
}

// restore restores paths of git's directory; without paths, all of it.
func (n *nested) restore(ctx context.Context, paths []string) error {
	dir := n.area.dir
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		if err := n.area.work.moveAside(n.Repo + "/.git"); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if paths == nil {
		now, err := n.area.snapshot(ctx)
		if err != nil {
			return err
		}
		changes, err := n.area.diff(ctx, n.Base, now)
		if err != nil {
			return err
		}
		for _, c := range changes {
			paths = append(paths, c.Path)
		}
	}
	_, err := n.area.restore(ctx, n.Base, paths)
	return err
}
