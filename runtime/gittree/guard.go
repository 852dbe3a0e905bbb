package gittree

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// gitDir is a guarded .git: the user's, or that of a repository within the working tree, such as a
// submodule. The files of such a repository are files of the working tree.
type gitDir struct {
	Repo string `json:"repo"`           // the directory of the repository; "" is the root
	File []byte `json:"file,omitempty"` // the content of .git, if that is a file
	// Base is the baseline: git's directory when the run began, or after the last command of this
	// package.
	Base Tree  `json:"base,omitempty"`
	area *area // of git's directory; nil if .git is a file of a repository within the working tree
}

func (g *gitDir) path() string { return path.Join(g.Repo, ".git") }

// lockPatience is how long Guard waits for the owner of a lock of git's to remove it.
const lockPatience = 3 * time.Second

// setArea sets the area of s.state.Git[i].
func (s *Space) setArea(ctx context.Context, g *gitDir, i int) (err error) {
	switch {
	case i == 0:
		g.area, err = s.newArea(ctx, "inside", s.common)
	case g.File == nil:
		g.area, err = s.newArea(ctx, fmt.Sprintf("nested%d", i), s.abs(g.path()))
	}
	return err
}

// abs returns the absolute path of a path in the working tree.
func (s *Space) abs(p string) string { return filepath.Join(s.root, filepath.FromSlash(p)) }

// recordGit makes the current state of git the baseline.
func (s *Space) recordGit(ctx context.Context) error {
	repos, err := s.repositories(ctx)
	if err != nil {
		return err
	}
	s.state.Git, s.state.Objects = nil, nil
	for i, repo := range append([]string{""}, repos...) {
		g := &gitDir{Repo: repo}
		if g.File, err = s.dotGit(repo); err != nil {
			return err
		}
		if err := s.setArea(ctx, g, i); err != nil {
			return err
		}
		if g.area != nil {
			if g.Base, err = g.area.snapshot(ctx); err != nil {
				return err
			}
			s.state.Objects = append(s.state.Objects, s.objectDirs(g.area.dir)...)
		}
		s.state.Git = append(s.state.Git, g)
	}
	if err := s.linkObjects(); err != nil {
		return err
	}
	if s.state.Refs, err = s.readRefs(); err != nil {
		return err
	}
	s.state.Index = s.indexSum(ctx)
	return s.saveState()
}

// dotGit returns the content of a repository's .git, or nil if that is a directory. In a repository
// within the working tree, a link is the same as a file that names its target.
func (s *Space) dotGit(repo string) (file []byte, err error) {
	for dir := repo; dir != "" && dir != "."; dir = path.Dir(dir) {
		if info, err := os.Lstat(s.abs(dir)); err != nil || !info.IsDir() { // a link can lead outside
			return nil, errors.Join(err, fs.ErrNotExist)
		}
	}
	name, stat := s.abs(path.Join(repo, ".git")), os.Lstat
	if repo == "" {
		stat = os.Stat
	}
	info, err := stat(name)
	switch {
	case err != nil || info.IsDir():
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(name)
		return []byte("gitdir: " + target + "\n"), err
	case !info.Mode().IsRegular():
		return nil, fs.ErrInvalid
	}
	return os.ReadFile(name)
}

// hasDotGit reports whether the .git of a repository is the one that is guarded.
func (s *Space) hasDotGit(g *gitDir) bool {
	file, err := s.dotGit(g.Repo)
	return err == nil && (file == nil) == (g.File == nil) && bytes.Equal(file, g.File)
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
		if _, err := os.Lstat(s.abs(dir + "/.git")); err != nil {
			continue
		}
		if _, err := s.dotGit(dir); !notFound(err) { // since the snapshot, a link can have replaced it
			repos = append(repos, dir)
		}
	}
	return repos, nil
}

// Guard returns the changes of git itself since the run began or committed last, and of
// repositories within the working tree. Call it after Snapshot. A changed index and locks are
// restored without a report. Changes by other working trees and by git's housekeeping are accepted:
// remote branches, packed references, an index with equal entries.
func (s *Space) Guard(ctx context.Context) ([]Change, error) {
	return operate(s, opDetect, nil, func() ([]Change, error) {
		found, err := s.guard(ctx)
		return exported(found), err
	})
}

// Adopt makes the current state of git the baseline of Guard, for a run that a person continues.
func (s *Space) Adopt(ctx context.Context) error {
	return s.operate(opPrepare, func() error {
		if _, err := s.work.snapshot(ctx); err != nil { // finds the repositories
			return err
		}
		return s.recordGit(ctx)
	})
}

func (s *Space) guard(ctx context.Context) (found []change, err error) {
	if err := s.restoreModes(); err != nil {
		return nil, err
	}
	repos, err := s.repositories(ctx)
	if err != nil {
		return nil, err
	}
	for _, g := range s.state.Git {
		repos = slices.DeleteFunc(repos, func(repo string) bool { return repo == g.Repo })
		changes, err := s.guardOne(ctx, g)
		if err != nil {
			return nil, err
		}
		found = append(found, changes...)
	}
	for _, repo := range repos {
		found = append(found, change{Path: repo + "/.git", OldMode: absent, NewMode: modeModule, Git: true})
	}
	return found, nil
}

// guardOne returns the violations in a git directory, and restores the rest.
func (s *Space) guardOne(ctx context.Context, g *gitDir) (found []change, err error) {
	if !s.hasDotGit(g) {
		return []change{{Path: g.path(), OldMode: modeModule, NewMode: absent, Git: true}}, nil
	}
	if g.area == nil {
		return nil, nil
	}
	now, err := g.area.snapshot(ctx)
	if err != nil || now == g.Base {
		return nil, err
	}
	changes, err := g.area.diff(ctx, g.Base, now)
	if err != nil {
		return nil, err
	}
	sameRefs, err := s.sameRefs()
	if err != nil {
		return nil, err
	}
	var accepted []change
	var quiet []string
	for _, c := range changes {
		switch {
		case g.Repo == "" && s.accepts(ctx, c, sameRefs):
			accepted = append(accepted, c)
		case isGuarded(c.Path):
			c.Path, c.Git = g.path()+"/"+c.Path, true
			found = append(found, c)
		default:
			quiet = append(quiet, c.Path)
		}
	}
	if accepted != nil {
		if g.Base, err = g.area.accept(ctx, g.Base, now, changes, accepted); err != nil {
			return nil, err
		}
		if err := s.saveState(); err != nil {
			return nil, err
		}
	}
	if quiet != nil {
		until := time.Now().Add(lockPatience)
		for _, p := range quiet {
			if strings.HasSuffix(p, ".lock") {
				awaitRemoval(filepath.Join(g.area.dir, p), until)
			}
		}
		_, err = g.area.restore(ctx, g.Base, quiet)
	}
	return found, err
}

// isGuarded reports whether a changed file of git's directory is a violation. The other files are
// restored quietly.
func isGuarded(p string) bool {
	for {
		first, rest, _ := strings.Cut(p, "/")
		switch first {
		case "HEAD", "config", "config.worktree", "commondir", "gitdir", "shallow", "hooks", "refs", "packed-refs",
			"objects", ".gitignore", ".gitattributes":
			return !strings.HasSuffix(p, ".lock")
		case "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply":
			return true
		case "info":
			return rest == "attributes" || rest == "exclude" || rest == "grafts" || rest == "sparse-checkout"
		case "modules", "worktrees":
			if _, p, _ = strings.Cut(rest, "/"); p != "" {
				continue
			}
		}
		return false
	}
}

// sameRefs reports whether the user's references have the values of the baseline, apart from those
// of others.
func (s *Space) sameRefs() (bool, error) {
	is, err := s.readRefs()
	was := maps.Clone(s.state.Refs)
	for _, refs := range []map[string]string{was, is} {
		maps.DeleteFunc(refs, func(ref, _ string) bool { return s.isOthers(ref) })
	}
	return maps.Equal(was, is), err
}

// isOthers reports whether a reference belongs to other working trees or to remote repositories.
func (s *Space) isOthers(ref string) bool {
	return strings.HasPrefix(ref, "refs/remotes/") || slices.Contains(s.state.Others, ref)
}

// accepts reports whether a change of the user's git directory is accepted.
func (s *Space) accepts(ctx context.Context, c change, sameRefs bool) bool {
	switch {
	case strings.HasPrefix(c.Path, path.Join(s.worktreeName(), "sharedindex.")):
		return c.OldMode == absent // an index with equal entries may depend on it
	case strings.HasSuffix(c.Path, ".lock"):
		return c.OldMode != absent // its owner may change or remove it; a new lock is awaited and removed
	case strings.HasPrefix(c.Path, "refs/") || c.Path == "packed-refs":
		return sameRefs || s.isOthers(c.Path)
	case c.Path == path.Join(s.worktreeName(), "index") && c.OldMode != absent && c.NewMode != absent:
		sum := s.indexSum(ctx)
		return sum != nil && bytes.Equal(sum, s.state.Index)
	}
	return false
}

func awaitRemoval(file string, until time.Time) {
	for time.Now().Before(until) {
		if _, err := os.Lstat(file); err != nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// settle accepts into the baseline the changes of the user's git directory by a command of this
// package.
func (s *Space) settle(ctx context.Context, own func(p string) bool) error {
	g := s.state.Git[0]
	now, err := g.area.snapshot(ctx)
	if err != nil {
		return err
	}
	changes, err := g.area.diff(ctx, g.Base, now)
	if err != nil {
		return err
	}
	accepted := slices.DeleteFunc(slices.Clone(changes), func(c change) bool { return !own(c.Path) })
	if g.Base, err = g.area.accept(ctx, g.Base, now, changes, accepted); err != nil {
		return err
	}
	s.state.Refs, err = s.readRefs()
	s.state.Index = s.indexSum(ctx)
	return errors.Join(err, s.saveState())
}

// indexSum identifies the entries of the user's index, without the times of files, which every git
// status may update. It is nil if the index cannot be read.
func (s *Space) indexSum(ctx context.Context) []byte {
	out, err := s.git(ctx, command{env: []string{"GIT_INDEX_FILE=" + filepath.Join(s.gitDir, "index")},
		args: []string{"ls-files", "-z", "-s", "-v", "--full-name"}})
	if err != nil {
		return nil
	}
	sum := sha256.Sum256(out)
	return sum[:]
}

// readRefs returns the user's references, loose and packed, and HEAD.
func (s *Space) readRefs() (map[string]string, error) {
	refs := map[string]string{}
	packed, err := os.ReadFile(filepath.Join(s.common, "packed-refs"))
	if err != nil && !notFound(err) {
		return nil, err
	}
	for line := range strings.Lines(string(packed)) {
		if id, ref, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok && line[0] != '#' && line[0] != '^' {
			refs[ref] = id
		}
	}
	err = filepath.WalkDir(filepath.Join(s.common, "refs"), func(name string, d fs.DirEntry, err error) error {
		if notFound(err) { // an agent removed it
			return nil
		}
		if err != nil || d.IsDir() || strings.HasSuffix(name, ".lock") {
			return err
		}
		content, err := os.ReadFile(name)
		if notFound(err) {
			return nil
		}
		rel, _ := filepath.Rel(s.common, name)
		refs[filepath.ToSlash(rel)] = strings.TrimSpace(string(content))
		return err
	})
	head, herr := os.ReadFile(filepath.Join(s.gitDir, "HEAD"))
	refs["HEAD"] = strings.TrimSpace(string(head))
	return refs, errors.Join(err, herr)
}
