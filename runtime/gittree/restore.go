package gittree

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
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
// after that. Paths that contain ".git" are restored to what git was when the run began or committed
// last.
//
// Restore begins with a snapshot, so that the store has what it overwrites. What the store cannot
// hold, such as a repository, is moved to the directory "kept" of the store. A restored .gitignore
// can reveal files, so Snapshot and Guard belong after Restore.
func (s *Space) Restore(ctx context.Context, to Tree, paths []string) (after Tree, err error) {
	leave, err := s.enter(opRevert, paths...)
	if err != nil {
		return "", err
	}
	defer leave(&err)
	return s.restore(ctx, to, paths)
}

func (s *Space) restore(ctx context.Context, to Tree, paths []string) (Tree, error) {
	var files, ofGit []string
	nested := map[string][]string{}
	for _, p := range paths {
		if rest, ok := strings.CutPrefix(p, ".git/"); ok {
			ofGit = append(ofGit, rest)
		} else if repo, rest, ok := strings.Cut(p, "/.git/"); ok {
			nested[repo] = append(nested[repo], rest)
		} else if repo, ok := strings.CutSuffix(p, "/.git"); ok {
			nested[repo] = nil
		} else {
			files = append(files, p)
		}
	}
	for _, repo := range slices.Sorted(maps.Keys(nested)) {
		if err := s.restoreNested(ctx, repo, nested[repo]); err != nil {
			return "", err
		}
	}
	if ofGit != nil {
		if err := s.restoreGit(ctx, ofGit); err != nil {
			return "", err
		}
	}
	return s.work.restore(ctx, to, files)
}

// restoreGit restores files of git's directory from the baseline.
func (s *Space) restoreGit(ctx context.Context, paths []string) error {
	base, err := s.baseline()
	if err != nil {
		return err
	}
	if s.made.DotGit != nil {
		if err := s.restoreDotGit(".git", s.made.DotGit); err != nil {
			return err
		}
	}
	if err := s.restoreObjects(); err != nil {
		return err
	}
	_, err = s.inside.restore(ctx, base, paths)
	return err
}

// restoreDotGit restores a file .git.
func (s *Space) restoreDotGit(p string, content []byte) error {
	name := filepath.Join(s.root, filepath.FromSlash(p))
	info, err := os.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = s.work.moveAside(p)
	} else if notFound(err) {
		err = os.MkdirAll(filepath.Dir(name), 0o777)
	}
	if err == nil {
		beforeStep("write " + p)
		err = os.WriteFile(name, content, 0o644)
	}
	return err
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
	if err := a.apply(ctx, todo); err != nil {
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

func pathsOf(changes []change) (paths []string) {
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	return paths
}

// apply gives files their old content: it removes additions, deepest first, and writes the others.
func (a *area) apply(ctx context.Context, changes []change) error {
	root, err := os.OpenRoot(a.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	w := &writer{area: a, root: root}
	var written []change
	for _, c := range slices.Backward(slices.SortedFunc(slices.Values(changes), byPath)) {
		if c.OldMode != absent {
			written = append(written, c)
		} else if err := w.remove(c.Path); err != nil {
			return err
		}
	}
	return a.contents(ctx, written, w.write)
}

func byPath(x, y change) int { return strings.Compare(x.Path, y.Path) }

// contents calls do with the old content of each change, in their order.
func (s *Space) contents(ctx context.Context, changes []change, do func(change, io.Reader) error) error {
	if len(changes) == 0 {
		return nil
	}
	var ids strings.Builder
	for _, c := range changes {
		ids.WriteString(c.OldID + "\n")
	}
	r, pipe := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := s.git(ctx, command{stdin: strings.NewReader(ids.String()), stdout: pipe,
			args: []string{"cat-file", "--batch"}})
		pipe.CloseWithError(err)
		done <- err
	}()
	in := bufio.NewReader(r)
	for _, c := range changes {
		if err := oneContent(in, c, do); err != nil {
			r.CloseWithError(err)
			if gitErr := <-done; gitErr != nil && ctx.Err() != nil {
				return gitErr
			}
			return err
		}
	}
	_ = r.Close()
	return <-done
}

func oneContent(in *bufio.Reader, c change, do func(change, io.Reader) error) error {
	head, err := in.ReadString('\n')
	if err != nil {
		return err
	}
	var id, kind string
	var size int64
	if _, err := fmt.Sscan(head, &id, &kind, &size); err != nil || kind != "blob" || id != c.OldID {
		return fault(typeMissing, "the store lacks "+strings.TrimSpace(head), nil, c.Path)
	}
	content := io.LimitReader(in, size)
	if err := do(c, content); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, content); err != nil {
		return err
	}
	_, err = in.Discard(1)
	return err
}

// writer changes the files of an area without following links out of it.
type writer struct {
	*area
	root *os.Root
}

// remove removes a file, and the directories that become empty.
func (w *writer) remove(p string) error {
	beforeStep("remove " + p)
	if ok, err := w.directories(p, false); !ok || err != nil {
		return err
	}
	if err := w.root.Remove(p); err != nil && !notFound(err) {
		if info, lerr := w.root.Lstat(p); lerr == nil && info.IsDir() {
			return nil // it has files that are to stay
		}
		return err
	}
	for dir := path.Dir(p); dir != "." && w.root.Remove(dir) == nil; dir = path.Dir(dir) {
	}
	return nil
}

// directories reports whether all that is above p are directories. If make is set, it makes them.
func (w *writer) directories(p string, make bool) (bool, error) {
	for i, c := range p {
		if c != '/' {
			continue
		}
		info, err := w.root.Lstat(p[:i])
		if err == nil && info.IsDir() {
			continue
		}
		if !make {
			return false, nil
		}
		if err == nil {
			if err := w.moveAside(p[:i]); err != nil {
				return false, err
			}
		}
		if err := w.root.Mkdir(p[:i], 0o777); err != nil {
			return false, err
		}
	}
	return true, nil
}

// moveAside moves to the store what is at a path and cannot be stored by git.
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
		return os.Remove(from) // git has the content of a file, and a pipe has none
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return os.RemoveAll(from)
}

// write writes the old content of a change beside the file, and renames it.
func (w *writer) write(c change, content io.Reader) error {
	beforeStep("write " + c.Path)
	if _, err := w.directories(c.Path, true); err != nil {
		return err
	}
	perm, exact, err := w.permissions(c)
	if err != nil {
		return err
	}
	temp := path.Join(path.Dir(c.Path), w.temp())
	_ = w.root.Remove(temp)
	if c.OldMode == modeLink {
		target, err := io.ReadAll(content)
		if err == nil {
			err = w.root.Symlink(string(target), temp)
		}
		if err != nil {
			return err
		}
		return w.root.Rename(temp, c.Path)
	}
	f, err := w.root.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	if err == nil && exact {
		err = f.Chmod(perm)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		beforeStep("rename " + c.Path)
		err = w.root.Rename(temp, c.Path)
	}
	if err != nil {
		_ = w.root.Remove(temp)
	}
	return err
}

// permissions clears the way for a file, and returns its permissions and whether they apply
// regardless of the process's mask.
func (w *writer) permissions(c change) (perm fs.FileMode, exact bool, err error) {
	perm = 0o666
	info, err := w.root.Lstat(c.Path)
	switch {
	case err != nil:
	case info.IsDir():
		if w.root.Remove(c.Path) != nil {
			err = w.moveAside(c.Path)
		}
	case info.Mode().IsRegular():
		perm, exact = info.Mode().Perm()&^0o111|0o600, true
	case info.Mode()&fs.ModeSymlink == 0:
		err = w.moveAside(c.Path)
	}
	if err != nil && !notFound(err) {
		return 0, false, err
	}
	if recorded, ok := w.modes[c.Path]; ok && w.name == "work" {
		perm, exact = recorded&^0o111, true
	}
	if c.OldMode == "100755" {
		perm |= perm >> 2 & 0o111
	}
	return perm, exact, nil
}
