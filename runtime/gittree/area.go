package gittree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// area is a directory whose files the store tracks: the working tree, or a directory of git's. It
// has an index and a HEAD of its own.
type area struct {
	*Space
	name, dir  string
	git, store string
	last       Tree // of the last snapshot

	known        map[string]bool // ignored files that are in the index
	changedRules map[string]bool // .gitignore files that may differ from those that apply
	empty        []string        // repositories without files
	dirs         []string        // the directories of dirsOf
	dirsOf       Tree
}

// load continues with the last snapshot of another process.
func (a *area) load(ctx context.Context) error {
	a.known = map[string]bool{}
	head, err := os.ReadFile(filepath.Join(a.git, "HEAD"))
	if err != nil {
		return err
	}
	if strings.HasPrefix(string(head), "ref:") {
		return nil
	}
	tree, err := a.Space.line(ctx, command{area: a, args: []string{"rev-parse", "--verify", "HEAD^{tree}"}})
	a.last = Tree(tree)
	return err
}

// indexDiff is what differs from the index of an area.
type indexDiff struct {
	changed []string // to be read again
	gone    []string // to be removed from the index
	moved   bool     // whether the index differs from the last snapshot
}

// snapshot stores all files of the area. If nothing changed, it runs one git command.
func (a *area) snapshot(ctx context.Context) (Tree, error) {
	const maxRounds = 100 // each discovers one level of repositories within repositories
	for round := 0; ; round++ {
		d, err := a.compare(ctx)
		if err != nil {
			return "", err
		}
		again := false
		if len(d.changed)+len(d.gone) > 0 {
			d.moved = true
			if again, err = a.update(ctx, d); err != nil {
				return "", err
			}
		}
		if again && round < maxRounds {
			continue
		}
		if !d.moved && a.last != "" {
			return a.last, nil
		}
		return a.record(ctx)
	}
}

// compare finds out what differs from the index.
func (a *area) compare(ctx context.Context) (d indexDiff, err error) {
	_ = os.Remove(filepath.Join(a.git, "index.lock")) // of a git command that was ended
	var warning string
	entries, err := a.list(ctx, command{area: a, stderr: &warning, args: []string{
		"status", "--porcelain=v1", "-z", "-uall",
		"--ignored=matching", "--no-renames", "--ignore-submodules=all"}})
	if err == nil && warning != "" {
		err = fault(typeUnreadable, warning, nil)
	}
	if err != nil {
		return d, err
	}
	if a.name == "work" {
		if entries, err = a.applyRules(ctx, entries); err != nil {
			return d, err
		}
	}
	a.empty = nil
	for _, e := range entries {
		a.classify(&d, e[:2], e[3:])
	}
	links := map[string]bool{}
	keep := d.changed[:0]
	for _, p := range d.changed {
		if a.storable(links, p) {
			keep = append(keep, p)
		} else {
			d.gone = append(d.gone, p)
		}
	}
	d.changed = keep
	return d, nil
}

// excludes is the file with the rules of the area.
func (a *area) excludes() string {
	if a.name == "work" {
		return "work.exclude"
	}
	return "inside.exclude"
}

// classify adds an entry of git's status.
func (a *area) classify(d *indexDiff, code, p string) {
	dir := strings.HasSuffix(p, "/")
	switch {
	case path.Base(p) == a.temp():
		_ = os.Remove(filepath.Join(a.dir, p)) // of a process that was killed
		return
	case code == "!!":
		a.addIgnored(d, p, dir)
		return
	case dir: // a repository: git looks into it once one of its files is in the index
		if files := a.walk(p, nil, func(string) bool { return true }); len(files) > 0 {
			d.changed = append(d.changed, files[0])
		} else {
			a.empty = append(a.empty, strings.TrimSuffix(p, "/"))
		}
		return
	case code[1] != ' ':
		d.changed = append(d.changed, p)
	}
	delete(a.known, p)
	d.moved = d.moved || code[0] != '?' && code[0] != ' ' || code[1] == ' '
}

// addIgnored adds the watched files among those that git ignores. Files of rules are watched, so
// that they can be restored.
func (a *area) addIgnored(d *indexDiff, p string, dir bool) {
	w := a.opts.Watch
	watches := func(p string) bool { return a.name == "work" && w != nil && w.Watches(p) }
	files := []string{p}
	if dir {
		files = nil
		if below := strings.TrimSuffix(p, "/"); a.name == "work" && w != nil && w.WatchesBelow(below) {
			files = a.walk(p, w.WatchesBelow, watches)
		}
	} else if path.Base(p) != ".gitignore" && !watches(p) {
		files = nil
	}
	for _, p := range files {
		if !a.known[p] {
			d.changed = append(d.changed, p)
		}
	}
}

// walk returns the files and links below a directory that are wanted. It skips git's directories,
// and those that below excludes.
func (a *area) walk(dir string, below, want func(string) bool) (files []string) {
	temp := a.temp()
	_ = filepath.WalkDir(filepath.Join(a.dir, dir), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // git reports what it cannot read
		}
		rel := filepath.ToSlash(name[len(a.dir)+1:])
		switch {
		case d.IsDir():
			if d.Name() == ".git" || below != nil && !below(rel) {
				return fs.SkipDir
			}
		case d.Name() == temp:
			_ = os.Remove(name)
		case d.Name() != ".git" && (d.Type().IsRegular() || d.Type()&fs.ModeSymlink != 0) && want(rel):
			files = append(files, rel)
		}
		return nil
	})
	return files
}

// temp is the name of files that are being written in the area.
func (s *Space) temp() string { return ".errgen-" + s.run + "-tmp" }

// storable reports whether git can store a path: not behind a link, and not a pipe or a directory.
func (a *area) storable(links map[string]bool, p string) bool {
	if a.behindLink(links, path.Dir(p)) {
		return false
	}
	info, err := os.Lstat(filepath.Join(a.dir, p))
	if err != nil {
		return true // removed; git reports anything else
	}
	return info.Mode().IsRegular() || info.Mode()&fs.ModeSymlink != 0
}

// behindLink reports whether a directory is a symbolic link or below one.
func (a *area) behindLink(known map[string]bool, dir string) bool {
	if dir == "." {
		return false
	}
	is, ok := known[dir]
	if !ok {
		info, err := os.Lstat(filepath.Join(a.dir, dir))
		is = err == nil && info.Mode()&fs.ModeSymlink != 0 || a.behindLink(known, path.Dir(dir))
		known[dir] = is
	}
	return is
}

// update reads files into the index. It reports whether there are repositories in which git has to
// look again.
func (a *area) update(ctx context.Context, d indexDiff) (again bool, err error) {
	if len(d.gone) > 0 {
		again = len(d.changed) == 0
		if _, err := a.Space.git(ctx, command{area: a, stdin: zeroTerminated(d.gone),
			args: []string{"update-index", "--force-remove", "-z", "--stdin"}}); err != nil {
			return false, err
		}
	}
	if len(d.changed) == 0 {
		return again, nil
	}
	if _, err := a.Space.git(ctx, command{area: a, stdin: zeroTerminated(d.changed),
		args: []string{"update-index", "--add", "--remove", "--replace", "-z", "--stdin"}}); err != nil {
		return false, err
	}
	for _, p := range d.changed {
		a.known[p] = true
		for dir := path.Dir(p); dir != "." && !again; dir = path.Dir(dir) {
			_, err := os.Lstat(filepath.Join(a.dir, dir, ".git"))
			again = err == nil
		}
	}
	return again, nil
}

// record makes the index the last snapshot.
func (a *area) record(ctx context.Context) (Tree, error) {
	tree, err := a.Space.line(ctx, command{area: a, args: []string{"write-tree"}})
	if err != nil || Tree(tree) == a.last {
		return Tree(tree), err
	}
	id, err := a.Space.line(ctx, command{area: a, args: []string{"commit-tree", "-m", "snapshot", tree}})
	if err != nil {
		return "", err
	}
	if err := a.write(filepath.Join(filepath.Base(a.git), "HEAD"), []byte(id+"\n")); err != nil {
		return "", err
	}
	a.last = Tree(tree)
	return a.last, nil
}

// notFound reports whether err says that a file, or a directory above it, does not exist.
func notFound(err error) bool { return errors.Is(err, fs.ErrNotExist) || isNotDir(err) }
