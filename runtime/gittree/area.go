package gittree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
)

// area is a directory whose files the store tracks: the working tree, or a directory of git's. It
// has an index and a HEAD of its own.
type area struct {
	*Space
	dir, git string
	excludes string // the file with the rules
	last     Tree   // of the last snapshot

	known map[string]bool // ignored files that are in the index
	// ahead are the ignored directories of the last comparison in which watched files can be.
	ahead []string
	empty []string // repositories without files
	dirs  []string // the directories of dirsOf
	// newRules reports whether the rules of rulesOf differ from those that apply.
	newRules        bool
	dirsOf, rulesOf Tree
}

// newArea returns the area of a name, and continues with the last snapshot of another process.
func (s *Space) newArea(ctx context.Context, name, dir string) (*area, error) {
	a := &area{Space: s, dir: dir, git: filepath.Join(s.store, name), known: map[string]bool{}}
	if a.excludes = filepath.Join(s.store, "git.exclude"); name == "work" {
		a.excludes = filepath.Join(s.store, "work.exclude")
	}
	head, err := os.ReadFile(filepath.Join(a.git, "HEAD"))
	if notFound(err) {
		err = errors.Join(atomicfile.MakeDir(a.git), s.write(name+"/commondir", []byte("..\n")),
			s.write(name+"/HEAD", []byte(headless)))
	} else if err == nil && !strings.HasPrefix(string(head), "ref:") {
		var tree string
		tree, err = s.line(ctx, command{area: a, args: []string{"rev-parse", "--verify", "HEAD^{tree}"}})
		a.last = Tree(tree)
	}
	return a, err
}

// indexDiff is what differs from the index of an area.
type indexDiff struct {
	changed []string            // to be read again
	gone    []string            // to be removed from the index
	moved   bool                // whether the index differs from the last snapshot
	walked  map[string][]string // the watched files in ignored directories, by directory
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
	// A killed process can have left these.
	_ = os.Remove(filepath.Join(a.git, "index.lock"))
	_ = os.RemoveAll(filepath.Join(a.dir, a.temp()))
	walked := a.walkAhead()
	var warning string
	entries, err := a.list(ctx, command{area: a, stderr: &warning, args: []string{
		"status", "--porcelain=v1", "-z", "-uall",
		"--ignored=matching", "--no-renames", "--ignore-submodules=all"}})
	d.walked = walked()
	if err == nil && warning != "" {
		err = fault(typeUnreadable, warning, nil)
	}
	if err != nil {
		return d, err
	}
	if a == a.work {
		if entries, err = a.applyRules(ctx, entries); err != nil {
			return d, err
		}
	}
	a.empty, a.ahead = nil, nil
	for _, e := range entries {
		a.classify(&d, e[:2], e[3:])
	}
	return d, nil
}

// classify adds an entry of git's status.
func (a *area) classify(d *indexDiff, code, p string) {
	dir := strings.HasSuffix(p, "/")
	switch {
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
	case code[1] == 'D': // also if a directory above it is a link now
		d.gone = append(d.gone, p)
	case code[1] != ' ':
		d.changed = append(d.changed, p)
	}
	delete(a.known, p)
	d.moved = d.moved || code[0] != '?' && code[0] != ' ' || code[1] == ' '
}

// addIgnored adds the watched and tracked files among those that rules ignore. Files of rules are
// watched, so that they can be restored.
func (a *area) addIgnored(d *indexDiff, p string, dir bool) {
	files := []string{p}
	if dir {
		files = nil
		if a.watchesBelow(strings.TrimSuffix(p, "/")) {
			a.ahead = append(a.ahead, p)
			var done bool
			if files, done = d.walked[p]; !done {
				files = a.walk(p, a.watchesBelow, a.watches)
			}
		}
	} else if path.Base(p) != ".gitignore" && !a.watches(p) {
		files = nil
	}
	for _, p := range files {
		if !a.known[p] {
			d.changed = append(d.changed, p)
		}
	}
}

// watches reports whether an ignored file is part of the snapshots.
func (a *area) watches(p string) bool {
	w := a.opts.Watch
	return a == a.work && (a.tracked[p] || w != nil && w.Watches(p))
}

// watchesBelow reports whether an ignored file below a directory can be part of the snapshots.
func (a *area) watchesBelow(dir string) bool {
	w := a.opts.Watch
	return a == a.work && (a.tracked[dir] || w != nil && w.WatchesBelow(dir))
}

// walkAhead walks the ignored directories of the last comparison while git compares other files,
// which takes as long. The function that it returns waits for the result.
func (a *area) walkAhead() (wait func() map[string][]string) {
	walked := map[string][]string{}
	var walking sync.WaitGroup
	walking.Go(func() {
		for _, dir := range a.ahead {
			// By now it can be a link out of the working tree, or a pipe, whose opening blocks.
			name := filepath.Join(a.dir, filepath.FromSlash(dir))
			real, err := filepath.EvalSymlinks(name)
			if info, statErr := os.Lstat(name); err == nil && real == name && statErr == nil && info.IsDir() {
				walked[dir] = a.walk(dir, a.watchesBelow, a.watches)
			}
		}
	})
	return func() map[string][]string { walking.Wait(); return walked }
}

// walk returns the files and links below a directory that are wanted. It skips git's directories,
// and those that below excludes. The path of the directory ends with a slash.
func (a *area) walk(dir string, below, want func(string) bool) (files []string) {
	f, err := os.Open(filepath.Join(a.dir, filepath.FromSlash(dir)))
	if err != nil {
		return nil // git reports what it cannot read
	}
	entries, _ := f.ReadDir(-1) // not sorted, which takes twice the time
	_ = f.Close()
	for _, e := range entries {
		p := dir + e.Name()
		switch {
		case e.Name() == ".git":
		case e.IsDir():
			if below == nil || below(p) {
				files = append(files, a.walk(p+"/", below, want)...)
			}
		case (e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0) && want(p):
			files = append(files, p)
		}
	}
	return files
}

// temp is the name of the directory with files that are being restored in the area.
func (s *Space) temp() string { return ".errgen-" + s.run + "-tmp" }

// update reads files into the index. It reports whether there are repositories in which git has to
// look again.
func (a *area) update(ctx context.Context, d indexDiff) (again bool, err error) {
	for _, step := range []struct {
		paths []string
		args  []string
	}{
		{d.gone, []string{"update-index", "--force-remove", "-z", "--stdin"}},
		{d.changed, []string{"update-index", "--add", "--remove", "--replace", "-z", "--stdin"}},
	} {
		if len(step.paths) == 0 {
			continue
		}
		var warning string
		c := command{area: a, stdin: zeroTerminated(step.paths), args: step.args, stderr: &warning}
		if _, err := a.Space.git(ctx, c); err != nil {
			return false, err
		}
		if warning != "" { // a name that git refuses, such as .GIT
			return false, fault(typeUnreadable, warning, nil)
		}
		for _, p := range step.paths {
			for dir := p; dir != "." && !again; dir = path.Dir(dir) {
				_, err := os.Lstat(filepath.Join(a.dir, dir, ".git"))
				again = err == nil
			}
		}
	}
	for _, p := range d.changed {
		a.known[p] = true
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
	if err := a.write(filepath.Base(a.git)+"/HEAD", []byte(id+"\n")); err != nil {
		return "", err
	}
	a.last = Tree(tree)
	return a.last, nil
}

// notFound reports whether err means that a file, or a directory above it, does not exist.
func notFound(err error) bool { return errors.Is(err, fs.ErrNotExist) || isNotDir(err) }
