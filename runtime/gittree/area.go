package gittree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
)

// area is a directory whose files the store tracks: the working tree, or a directory of git's. It
// has a separate index.
type area struct {
	*Space
	dir, git string
	excludes []string // the options that select what is ignored
	last     Tree     // of the last snapshot of this process

	empty  []string // repositories without files
	dirs   []string // the directories of dirsOf
	dirsOf Tree
}

// newArea returns the area of a name.
func (s *Space) newArea(name, dir string, excludes ...string) (*area, error) {
	a := &area{Space: s, dir: dir, git: filepath.Join(s.store, name), excludes: excludes}
	if _, err := os.Stat(filepath.Join(a.git, "commondir")); err == nil {
		return a, nil
	}
	return a, errors.Join(atomicfile.MakeDir(a.git), s.write(name+"/HEAD", []byte(headless)),
		s.write(name+"/commondir", []byte("..\n")))
}

// snapshot stores all files of the area. If nothing changed, it runs one git command, and another
// one for watched files.
func (a *area) snapshot(ctx context.Context) (Tree, error) {
	const maxRounds = 100 // each discovers one level of repositories within repositories
	for round := 0; ; round++ {
		changed, gone, err := a.compare(ctx)
		if err != nil {
			return "", err
		}
		if len(changed)+len(gone) == 0 && a.last != "" {
			return a.last, nil
		}
		if err := a.update(ctx, changed, gone); err != nil {
			return "", err
		}
		if !a.inRepositories(append(changed, gone...)) || round == maxRounds {
			break
		}
	}
	tree, err := a.line(ctx, command{area: a, args: []string{"write-tree"}})
	a.last = Tree(tree)
	return a.last, err
}

// compare returns the files that differ from the index, and those that it contains and that do not
// exist. Watched files can be listed twice.
func (a *area) compare(ctx context.Context) (changed, gone []string, err error) {
	// A killed process can have left these.
	_ = os.Remove(filepath.Join(a.git, "index.lock"))
	_ = os.RemoveAll(filepath.Join(a.dir, a.temp()))
	var watched []string
	var werr error
	var wg sync.WaitGroup
	wg.Go(func() { watched, werr = a.watched(ctx) })
	paths, err := a.ls(ctx, command{args: append([]string{"-m", "-o"}, a.excludes...)})
	wg.Wait()
	if err := errors.Join(err, werr); err != nil {
		return nil, nil, err
	}
	a.empty = nil
	for _, p := range paths {
		repo, ok := strings.CutSuffix(p, "/")
		if ok { // git looks into a repository once one of its files is in the index
			p = a.firstFile(repo)
		}
		switch {
		case p == "":
			a.empty = append(a.empty, repo)
		case a.isFile(p):
			changed = append(changed, p)
		default:
			gone = append(gone, p)
		}
	}
	return append(changed, watched...), gone, nil
}

// ls lists files of the area.
func (a *area) ls(ctx context.Context, c command) ([]string, error) {
	var warning string
	c.area, c.stderr, c.args = a, &warning, append([]string{"ls-files", "-z"}, c.args...)
	paths, err := a.list(ctx, c)
	if err == nil && warning != "" {
		err = fault(typeUnreadable, warning, nil)
	}
	return paths, err
}

// watched returns the files that are watched although rules ignore them, unless they are in the
// index.
func (a *area) watched(ctx context.Context) (files []string, err error) {
	if a != a.work {
		return nil, nil
	}
	if !a.state.Begun { // git does not ignore files that a person has added
		c := command{in: inUsers, args: []string{"ls-files", "-z", "-c", "-i", "--exclude-standard"}}
		if files, err = a.list(ctx, c); err != nil {
			return nil, err
		}
	}
	if w := a.opts.Watch; w != nil && len(w.Pathspecs()) > 0 {
		paths, err := a.ls(ctx, command{env: []string{"GIT_LITERAL_PATHSPECS=0"},
			args: append([]string{"-o", "--"}, w.Pathspecs()...)})
		if err != nil {
			return nil, err
		}
		files = append(files, slices.DeleteFunc(paths, func(p string) bool { return !w.Watches(p) })...)
	}
	return slices.DeleteFunc(files, func(p string) bool { return !a.isFile(p) }), nil
}

// isFile reports whether a path is a file or a link, and no directory above it is a link.
func (a *area) isFile(p string) bool {
	name := filepath.Join(a.dir, filepath.FromSlash(p))
	info, err := os.Lstat(name)
	if err != nil || info.IsDir() {
		return false
	}
	real, err := filepath.EvalSymlinks(filepath.Dir(name))
	return err == nil && real == filepath.Dir(name)
}

// firstFile returns a file or link below a directory, outside of git's directories, or "".
func (a *area) firstFile(dir string) (file string) {
	_ = filepath.WalkDir(filepath.Join(a.dir, dir), func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // git reports what it cannot read
		case d.Name() == ".git" && d.IsDir():
			return fs.SkipDir
		case d.Name() != ".git" && (d.Type().IsRegular() || d.Type()&fs.ModeSymlink != 0):
			file = filepath.ToSlash(name[len(a.dir)+1:])
			return fs.SkipAll
		}
		return nil
	})
	return file
}

// temp is the name of the directory with files that are being restored in the area.
func (s *Space) temp() string { return ".errgen-" + s.run + "-tmp" }

// update reads the changed files into the index, and removes others from it.
func (a *area) update(ctx context.Context, changed, gone []string) error {
	a.last = ""
	if len(gone) > 0 {
		c := command{area: a, stdin: zeroTerminated(gone)}
		c.args = []string{"update-index", "--force-remove", "-z", "--stdin"}
		if _, err := a.Space.git(ctx, c); err != nil {
			return err
		}
	}
	if len(changed) == 0 {
		return nil
	}
	_, err := a.Space.git(ctx, command{area: a, stdin: zeroTerminated(changed),
		args: []string{"update-index", "-q", "--refresh", "--add", "--remove", "--replace", "-z", "--stdin"}})
	return err
}

// inRepositories reports whether paths are in repositories within the area.
func (a *area) inRepositories(paths []string) bool {
	for _, p := range paths {
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			if _, err := os.Lstat(filepath.Join(a.dir, dir, ".git")); err == nil {
				return true
			}
		}
	}
	return false
}

// notFound reports whether err means that a file, or a directory above it, does not exist.
func notFound(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
