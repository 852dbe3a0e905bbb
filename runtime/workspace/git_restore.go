package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
)

// at returns the root that a path is in and its name there. Git's own directory is a root of its
// own.
func (r *reverting) at(p string) (root *os.Root, name string, done func(), err error) {
	if !strings.HasPrefix(p, ".git/") {
		return r.root, filepath.FromSlash(p), func() {}, nil
	}
	base := r.common
	rel, err := filepath.Rel(base, r.gitPath(p))
	if err != nil || !filepath.IsLocal(rel) || r.dir != r.common &&
		strings.HasPrefix(r.gitPath(p), r.dir+string(filepath.Separator)) {
		base = r.dir
		if rel, err = filepath.Rel(base, r.gitPath(p)); err != nil {
			return nil, "", nil, err
		}
	}
	root, err = os.OpenRoot(base)
	if err != nil {
		return nil, "", nil, err
	}
	return root, rel, func() { _ = root.Close() }, nil
}

// remove removes what was added, and directories that are empty then and were not there.
func (r *reverting) remove(c executor.Change, is *entry) error {
	root, name, done, err := r.at(c.Path)
	if err != nil {
		return err
	}
	defer done()
	if err := realParents(root, name); err != nil {
		return err
	}
	if is.mode == modeDir && (c.Ignored || c.Git) {
		err = root.RemoveAll(name)
	} else {
		err = root.Remove(name)
	}
	if err != nil && !missing(err) {
		return err
	}
	r.prune(c.Path)
	return nil
}

// prune removes the directories above p that are empty and were not there.
func (r *reverting) prune(p string) {
	if r.snap.entries[p] != nil || strings.HasPrefix(p, ".git/") {
		return
	}
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		e := r.snap.entries[d]
		if has(r.snap.dirs, d) || e != nil && e.mode == modeDir || has(r.snap.ignored, d) {
			return
		}
		name := filepath.FromSlash(d)
		if realParents(r.root, name) != nil {
			return
		}
		info, err := r.root.Lstat(name)
		if missing(err) {
			continue
		}
		if err != nil || !info.IsDir() || r.root.Remove(name) != nil {
			return // it is not empty, and no one's business
		}
	}
}

// errLink says that something above a path is not a directory any more.
var errLink = errors.New("a directory above it is a symbolic link or a file")

// realParents returns errLink unless everything above name that is there is a directory: a link
// would lead to another file.
func realParents(root *os.Root, name string) error {
	for d := filepath.Dir(name); d != "."; d = filepath.Dir(d) {
		info, err := root.Lstat(d)
		if missing(err) {
			continue
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return &fs.PathError{Op: "restore", Path: name, Err: errLink}
		}
	}
	return nil
}

// restore puts an entry back: beside its place, and then into it at once.
func (r *reverting) restore(p string, want *entry) error {
	root, name, done, err := r.at(p)
	if err != nil {
		return err
	}
	defer done()
	if err := realParents(root, name); err != nil {
		return err
	}
	if want.kept == notKept || want.mode == modeUnknown {
		return fmt.Errorf("restore %s: nothing was kept of it", text.Quote(p, maxQuoted))
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if want.mode == modeDir {
		return restoreDir(root, name, want)
	}
	if info, err := root.Lstat(name); err == nil && info.IsDir() {
		if err := root.RemoveAll(name); err != nil { // there was a file, so all in it is new
			return err
		}
	}
	return r.replace(root, name, want)
}

func restoreDir(root *os.Root, name string, want *entry) error {
	if info, err := root.Lstat(name); err == nil && !info.IsDir() {
		if err := root.Remove(name); err != nil {
			return err
		}
	}
	return root.MkdirAll(name, want.perm)
}

// replace writes an entry beside its place and renames it.
func (r *reverting) replace(root *os.Root, name string, want *entry) (err error) {
	temp := filepath.Join(filepath.Dir(name), restorePrefix+randomName())
	defer func() {
		if err != nil {
			_ = root.Remove(temp)
		}
	}()
	if want.mode == modePipe {
		if err := makePipe(root, temp); err != nil {
			return err
		}
		if err := root.Chmod(temp, want.perm); err != nil {
			return err
		}
		return root.Rename(temp, name)
	}
	if want.mode == modeLink {
		target, err := r.content(want)
		if err != nil {
			return err
		}
		if err := root.Symlink(target, temp); err != nil {
			return err
		}
		return root.Rename(temp, name)
	}
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = r.copyContent(f, want)
	if err == nil {
		err = f.Chmod(want.perm)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return root.Rename(temp, name)
}

var errNotRead = errors.New("git's object store could not be read")

// copyContent writes the content of an entry, as it was kept, to w.
func (r *reverting) copyContent(w io.Writer, e *entry) error {
	if e.kept == inFiles {
		f, size, err := r.openKept(r.snap.run, e)
		if err != nil {
			return err
		}
		defer f.Close()
		return r.copyChecked(w, f, f.Name(), size, e.id)
	}
	if r.objects == "" {
		return errNotRead
	}
	f, info, err := openRegular(filepath.Join(r.objects, e.id))
	if missing(err) {
		return fmt.Errorf("object %s is missing in git's object store", e.id)
	}
	if err != nil {
		return fmt.Errorf("read what was kept: %w", err)
	}
	defer f.Close()
	return r.copyChecked(w, f, f.Name(), info.Size(), e.id)
}

// fetch has the contents that are put back read out of git's object store.
func (r *reverting) fetch(ctx context.Context) error {
	var ids []string
	for _, c := range r.files {
		want := r.snap.entries[c.Path]
		if want == nil || !want.inTree() {
			continue
		}
		if is, err := r.scan.present(c.Path, want, c.Ignored); err != nil || !want.same(is) {
			ids = append(ids, want.id)
		}
	}
	var err error
	r.objects, err = r.extract(ctx, opRevert, ids)
	return err
}

func (r *reverting) content(e *entry) (string, error) {
	var b strings.Builder
	err := r.copyContent(&b, e)
	return b.String(), err
}
