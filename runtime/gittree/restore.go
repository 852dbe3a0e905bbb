package gittree

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
)

// Restore gives the paths the content that they have in the tree to, and returns the working tree
// after that. Paths that contain ".git" are restored to their state when the run began or
// committed last.
//
// Restore begins with a snapshot, so that the store contains the files that it overwrites. It moves
// files that git cannot store, such as repositories, to the directory "kept" of the store. A
// restored .gitignore can reveal files, so call Snapshot and Guard after Restore.
func (s *Space) Restore(ctx context.Context, to Tree, paths []string) (after Tree, err error) {
	return operate(s, opRevert, paths, func() (Tree, error) { return s.restore(ctx, to, paths) })
}

func (s *Space) restore(ctx context.Context, to Tree, paths []string) (Tree, error) {
	var files []string
	ofGit := map[string][]string{} // by repository
	for _, p := range paths {
		repo, rest, ok := strings.Cut("/"+p+"/", "/.git/")
		if !ok {
			files = append(files, p)
			continue
		}
		repo = strings.TrimPrefix(repo, "/")
		ofGit[repo] = append(ofGit[repo], strings.TrimSuffix(rest, "/"))
	}
	for _, repo := range slices.Sorted(maps.Keys(ofGit)) {
		if err := s.restoreGit(ctx, repo, ofGit[repo]); err != nil {
			return "", err
		}
	}
	return s.work.restore(ctx, to, files)
}

// restoreGit restores paths of the .git of a repository; the path "" is all of it. A repository
// that is new is moved to the store and not removed, because it may contain commits.
func (s *Space) restoreGit(ctx context.Context, repo string, paths []string) error {
	name := path.Join(repo, ".git")
	i := slices.IndexFunc(s.state.Git, func(g *gitDir) bool { return g.Repo == repo })
	if i < 0 {
		if _, err := s.dotGit(repo); notFound(err) {
			return nil
		}
		return s.work.moveAside(name)
	}
	g := s.state.Git[i]
	if !s.hasDotGit(g) {
		if err := s.restoreDotGit(g); err != nil {
			return err
		}
	}
	if g.area == nil {
		return s.restoreObjects()
	}
	if err := os.MkdirAll(g.area.dir, 0o777); err != nil {
		return err
	}
	if slices.Contains(paths, "") {
		now, err := g.area.snapshot(ctx)
		if err != nil {
			return err
		}
		changes, err := g.area.diff(ctx, g.Base, now)
		if err != nil {
			return err
		}
		paths = pathsOf(changes)
	}
	if _, err := g.area.restore(ctx, g.Base, paths); err != nil {
		return err
	}
	return s.restoreObjects()
}

// restoreDotGit makes the .git of a repository a file or a directory again.
func (s *Space) restoreDotGit(g *gitDir) error {
	root, err := os.OpenRoot(s.root)
	if err != nil {
		return err
	}
	defer root.Close()
	w := &writer{area: s.work, root: root}
	if err := w.makeParents(g.path()); err != nil {
		return err
	}
	if _, err := root.Lstat(g.path()); err == nil {
		if err := w.moveAside(g.path()); err != nil {
			return err
		}
	}
	if g.File == nil {
		return nil
	}
	beforeStep("write " + g.path())
	return root.WriteFile(g.path(), g.File, 0o644)
}

// restore restores paths of an area.
func (a *area) restore(ctx context.Context, to Tree, paths []string) (Tree, error) {
	now, err := a.snapshot(ctx)
	if err != nil || len(paths) == 0 {
		return now, err
	}
	changes, err := a.diff(ctx, to, now)
	if err != nil {
		return "", err
	}
	todo := only(changes, paths)
	if len(todo) == 0 {
		return now, nil
	}
	if err := a.apply(ctx, to, todo); err != nil {
		return "", err
	}
	if now, err = a.snapshot(ctx); err != nil {
		return "", err
	}
	if changes, err = a.diff(ctx, to, now); err != nil {
		return "", err
	}
	if left := pathsOf(only(changes, paths)); left != nil {
		return now, fault(typeLeft, "the files changed again", nil, left...)
	}
	return now, nil
}

// apply gives files their content in the tree to. It removes additions, deepest first. The others
// are written to a directory beside them, and renamed.
func (a *area) apply(ctx context.Context, to Tree, changes []change) error {
	root, err := os.OpenRoot(a.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	w := &writer{area: a, root: root}
	var written []change
	for _, c := range slices.Backward(changes) { // sorted by path
		if c.OldMode != absent {
			written = append(written, c)
		} else if err := w.remove(c.Path); err != nil {
			return err
		}
	}
	if len(written) == 0 {
		return nil
	}
	temp := filepath.Join(a.dir, a.temp())
	if err := os.Mkdir(temp, 0o700); err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := a.checkOut(ctx, to, pathsOf(written), temp); err != nil {
		return err
	}
	for _, c := range written {
		if err := w.replace(c); err != nil {
			return err
		}
	}
	return nil
}

// writer changes the files of an area without following links out of it.
type writer struct {
	*area
	root *os.Root
}

// remove removes a file, and the directories that become empty.
func (w *writer) remove(p string) error {
	beforeStep("remove " + p)
	if err := w.root.Remove(p); err != nil && !notFound(err) {
		if info, lerr := w.root.Lstat(p); lerr == nil && info.IsDir() {
			return nil // it contains files that must stay
		}
		return err
	}
	for dir := path.Dir(p); dir != "." && w.root.Remove(dir) == nil; dir = path.Dir(dir) {
	}
	return nil
}

// makeParents makes the directories above a path. It moves a file that is in the way to the store.
func (w *writer) makeParents(p string) error {
	for i, b := range p {
		if b != '/' {
			continue
		}
		info, err := w.root.Lstat(p[:i])
		if err == nil && info.IsDir() {
			continue
		}
		if err == nil {
			if err := w.moveAside(p[:i]); err != nil {
				return err
			}
		}
		if err := w.root.Mkdir(p[:i], 0o777); err != nil {
			return err
		}
	}
	return nil
}

// replace moves the restored file to its place. It moves a directory that is in the way to the
// store.
func (w *writer) replace(c change) error {
	beforeStep("write " + c.Path)
	if err := w.makeParents(c.Path); err != nil {
		return err
	}
	if info, err := w.root.Lstat(c.Path); err == nil && info.IsDir() && w.root.Remove(c.Path) != nil {
		if err := w.moveAside(c.Path); err != nil {
			return err
		}
	}
	restored := path.Join(w.temp(), c.Path)
	if mode, ok := w.state.Modes[c.Path]; ok && w.area == w.work && c.OldMode != modeLink {
		if mode &^= 0o111; c.OldMode == "100755" {
			mode |= mode >> 2 & 0o111
		}
		if err := w.root.Chmod(restored, mode); err != nil {
			return err
		}
	}
	return w.root.Rename(restored, c.Path)
}

// moveAside moves a file or directory that git cannot store to the store.
func (a *area) moveAside(p string) error {
	beforeStep("move " + p)
	kept := filepath.Join(a.store, "kept")
	if err := atomicfile.MakeDir(kept); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(kept, "")
	if err != nil {
		return err
	}
	from, to := filepath.Join(a.dir, filepath.FromSlash(p)), filepath.Join(dir, path.Base(p))
	if err = os.Rename(from, to); !isOtherDevice(err) {
		return err
	}
	if info, err := os.Lstat(from); err != nil || !info.IsDir() {
		return os.Remove(from) // git has the content of a file
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return os.RemoveAll(from)
}

// usual are the permissions that are not recorded.
var usual = []fs.FileMode{0o644, 0o755, 0o664, 0o775, 0o666, 0o777}

// readModes reads the unusual permissions of files. Git stores only whether a file is executable.
func (s *Space) readModes(ctx context.Context) error {
	files, err := s.list(ctx, command{args: []string{"ls-files", "-z", "--full-name"}})
	s.state.Modes = map[string]fs.FileMode{}
	for _, p := range files {
		info, err := os.Lstat(s.abs(p))
		if err == nil && info.Mode().IsRegular() && !slices.Contains(usual, info.Mode().Perm()) {
			s.state.Modes[p] = info.Mode().Perm()
		}
	}
	return err
}

// restoreModes restores the recorded permissions, so that a file with a secret does not become
// readable for others. Whether a file is executable is part of its content.
func (s *Space) restoreModes() error {
	root, err := os.OpenRoot(s.root)
	if err != nil {
		return err
	}
	defer root.Close()
	for p, mode := range s.state.Modes {
		info, err := root.Lstat(p) // fails if p leads out of the working tree
		if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&^0o111 == mode&^0o111 {
			continue
		}
		if err := root.Chmod(p, mode&^0o111|info.Mode().Perm()&0o111); err != nil {
			return err
		}
	}
	return nil
}
