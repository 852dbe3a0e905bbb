package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"
)

// scan looks at a working tree: at all that git does not ignore, and at what is watched of the
// rest. It starts a git command only when there is something that was not known before, to learn
// whether it is ignored.
type scan struct {
	*Git
	ctx context.Context
	op  string

	known   map[string]*entry   // what is listed whatever the rules say
	dirs    map[string]struct{} // the directories that it is in
	gitDirs map[string]struct{} // git directories of other repositories in the tree
	ignored map[string]struct{} // what git ignored when the tree was checked
	closed  map[string]struct{} // ignored directories that could not be read then
	first   bool                // there is nothing to compare with: what is found is what there is
	extras  []string            // files of the tree that git's configuration is in
	of      string              // the run
	opens   bool                // what its owner has no rights to any more is given them

	found     map[string]*entry
	asks      []ask
	hidden    []string // new, and ignored
	nowClosed []string
	perms     map[string]fs.FileMode // of directories, as they were at the beginning
	repos     []string               // git directories of submodules and of other repositories
	locks     []string               // of their references
	rules     bool                   // a file of ignore rules is new
}

// ask is a path of which git has to say whether it is ignored.
type ask struct {
	path     string
	dir      bool
	git      bool // a git directory or file of another repository; it is not asked about
	expanded bool // what is in the directory is among the asks, after it
	empty    bool
}

// run looks at everything.
func (s *scan) run() error {
	if err := s.gitFiles(); err != nil {
		return s.fail(err)
	}
	if err := s.enter(""); err != nil {
		return s.fail(err)
	}
	return s.fail(s.settle())
}

func (s *scan) fail(err error) error {
	if err == nil {
		return nil
	}
	return s.unread(s.op, err)
}

func (g *Git) relative(name string) string {
	if rest, ok := strings.CutPrefix(name, g.root+string(os.PathSeparator)); ok {
		return rest
	}
	return name
}

// enter looks at a directory that is not ignored.
func (s *scan) enter(dir string) error {
	if err := s.ctx.Err(); err != nil {
		return ended(s.ctx)
	}
	list, err := s.readDir(dir)
	if err != nil {
		return err
	}
	if len(list) == 0 && dir != "" {
		s.found[dir] = s.directory(dir)
	}
	for _, d := range list {
		if err := s.child(under(dir, d.Name()), d); err != nil {
			return err
		}
	}
	return nil
}

// under returns the path of a name in a directory.
func under(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

func (s *scan) directory(dir string) *entry {
	if e := s.known[dir]; e != nil && e.mode == modeDir {
		return e
	}
	return &entry{mode: modeDir, perm: 0o755}
}

func (s *scan) child(p string, d fs.DirEntry) error {
	if ofGit(d.Name()) {
		if p == ".git" {
			return nil
		}
		return s.otherRepository(p, d.IsDir())
	}
	if d.IsDir() {
		return s.childDir(p)
	}
	if e := s.known[p]; e != nil {
		return s.file(p, e, e.ignored)
	}
	if s.isIgnored(p) {
		return s.watched(p)
	}
	s.asks = append(s.asks, ask{path: p})
	return nil
}

func (s *scan) childDir(p string) error {
	if e := s.known[p]; e != nil && e.mode == modeDir {
		s.found[p] = e
		return s.enter(p)
	}
	if _, ok := s.dirs[p]; ok {
		return s.enter(p)
	}
	if s.isIgnored(p) {
		return s.belowIgnored(p)
	}
	s.asks = append(s.asks, ask{path: p, dir: true})
	return nil
}

func (s *scan) isIgnored(p string) bool {
	_, ok := s.ignored[p]
	return ok || s.passed[p]
}

// watched looks at a file that git ignores, if it is watched.
func (s *scan) watched(p string) error {
	if s.opts.Watch == nil || !s.opts.Watch.Watches(p) {
		return nil
	}
	return s.file(p, s.known[p], true)
}

// belowIgnored looks at what is watched in a directory that git ignores.
func (s *scan) belowIgnored(dir string) error {
	if s.opts.Watch == nil || !s.opts.Watch.WatchesBelow(dir) {
		return nil
	}
	if err := s.ctx.Err(); err != nil {
		return ended(s.ctx)
	}
	list, err := s.readDir(dir)
	if err != nil {
		return s.unreadable(dir, err)
	}
	for _, d := range list {
		p := under(dir, d.Name())
		switch {
		case ofGit(d.Name()):
		case d.IsDir():
			err = s.belowIgnored(p)
		default:
			err = s.watched(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unreadable lets an ignored directory pass that could not be read from the beginning: nobody with
// our rights has changed anything in it.
func (s *scan) unreadable(dir string, err error) error {
	if _, ok := s.closed[dir]; errors.Is(err, fs.ErrPermission) && (ok || s.first) {
		s.nowClosed = append(s.nowClosed, dir)
		return nil
	}
	return err
}

// file looks at what is not a directory. Was is what was known of it; nil is nothing.
func (s *scan) file(p string, was *entry, ignored bool) error {
	if len(s.extras) > 0 && s.found[p] != nil {
		return nil // git's own, and looked at already
	}
	e, err := s.look(p, was, ignored)
	if err != nil || e == nil {
		return err
	}
	if e.mode != modeDir { // it became one just now; what it has is found the next time
		s.found[p] = e
	}
	return nil
}

// look returns what is at p: nil for nothing, was if that is still there.
func (s *scan) look(p string, was *entry, ignored bool) (*entry, error) {
	return s.lookAt(p, s.path(p), was, ignored)
}

func (s *scan) lookAt(p, name string, was *entry, ignored bool) (*entry, error) {
	e, err := s.lookOnce(p, name, was, ignored)
	if err != nil && s.shut(p, err) {
		e, err = s.lookOnce(p, name, was, ignored)
	}
	return e, err
}

func (s *scan) lookOnce(p, name string, was *entry, ignored bool) (*entry, error) {
	info, err := os.Lstat(name)
	if err != nil {
		if missing(err) {
			return nil, nil
		}
		return nil, err
	}
	mode := modeOf(info.Mode())
	id := ""
	switch mode {
	case modeFile, modeExec:
		if id, info, err = s.contentID(p, name, info); err != nil {
			return nil, err
		}
		mode = modeOf(info.Mode())
	case modeLink:
		target, err := os.Readlink(name)
		if err != nil {
			return nil, err
		}
		id = s.idOf([]byte(target))
	}
	if was != nil && was.mode == mode && was.id == id && was.perm == info.Mode().Perm() {
		return was, nil
	}
	e := &entry{mode: mode, id: id, perm: info.Mode().Perm(), ignored: ignored}
	if was != nil {
		e.git, e.kept = was.git, was.kept
		// as git knows it, which knows no more of permissions
		if was.perm == 0 && was.mode == e.mode && was.id == e.id {
			return e, nil
		}
		if was.same(e) {
			return was, nil
		}
	}
	e.kept = s.placeOf(p, e)
	return e, nil
}

// placeOf returns where the content of e is to be kept.
func (s *scan) placeOf(p string, e *entry) place {
	if e.content() && (e.ignored || e.git) || e.regular() && s.opts.Secret(p) {
		return inFiles
	}
	return inObjects
}

// contentID returns the name of a file's content, without reading it if nothing can have changed.
func (s *scan) contentID(p, name string, info fs.FileInfo) (string, fs.FileInfo, error) {
	if now, ok := stampOf(info); ok {
		if read, known := s.cache[p]; known && now.unchanged(read) {
			return read.id, info, nil
		}
	}
	began := time.Now()
	id, info, err := s.hashFile(name)
	if err != nil {
		if missing(err) {
			err = &fs.PathError{Op: "read", Path: name, Err: errMoving}
		}
		return "", nil, err
	}
	if st, ok := stampOf(info); ok && st.settled(began) {
		st.id = id
		s.cache[p] = st
	} else {
		delete(s.cache, p)
	}
	return id, info, nil
}
