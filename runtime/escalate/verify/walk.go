package verify

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/internal/text"
)

// Bounds on counting files: how many entries of directories are looked at, how deep, how many are
// read at a time, and how many are named.
const (
	maxEntries = 1 << 20
	maxDepth   = 256
	batch      = 1024
	maxListed  = 20
)

// countFiles counts the regular files that match a pattern.
func (l *looking) countFiles() *unmet {
	expected := bounds(l.k, "file", " matching "+named(l.k.Path))
	if err := plan.ValidPattern(l.k.Path); err != nil {
		return &unmet{kind: typeCount, expected: expected, actual: "a pattern that cannot be used", files: []string{}}
	}
	w := &walking{looking: l, pattern: path.Clean(l.k.Path)}
	base, _ := doublestar.SplitPattern(w.pattern)
	if !strings.Contains(w.pattern, "**") && !strings.Contains(w.pattern, "{") {
		w.depth = strings.Count(w.pattern, "/") + 1
	}
	err := w.directory(path.Clean(base), 1+depthOf(path.Clean(base)))
	actual := text.Count(w.found, "file")
	switch {
	case errors.Is(err, errTooMany):
		actual = "too many files to be counted"
	case err != nil:
		actual = "a directory that cannot be read: " + named(w.at) + " " + whyNot(err)
	case inBounds(l.k, w.found):
		return nil
	}
	return &unmet{kind: typeCount, expected: expected, actual: actual, files: w.files}
}

// errTooMany says that there is more than is looked at.
var errTooMany = errors.New("too many entries")

// walking counts the files below a directory.
type walking struct {
	*looking
	pattern string
	depth   int // how many names a path has that can match; 0 is any number
	seen    int
	found   int64
	files   []string // the first of those found
	at      string   // the directory that could not be read
}

// depthOf returns how many names a path has.
func depthOf(name string) int {
	if name == "." {
		return 0
	}
	return strings.Count(name, "/") + 1
}

// directory looks at what is in a directory, whose entries are at that depth. One that is not there
// has nothing in it.
func (w *walking) directory(name string, depth int) error {
	if w.depth > 0 && depth > w.depth {
		return nil
	}
	if depth > maxDepth {
		return errTooMany
	}
	below, err := w.entries(name)
	if err != nil {
		return err
	}
	for _, sub := range below {
		if err = w.directory(sub, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// entries counts the files in a directory, and returns the directories in it.
func (w *walking) entries(name string) ([]string, error) {
	f, err := openDirectory(w.root, filepath.FromSlash(name))
	if err != nil {
		if hadType(err) == typeNotFound {
			return nil, nil
		}
		w.at = name
		return nil, err
	}
	defer f.Close()
	var below []string
	for {
		if w.ctx.Err() != nil {
			return nil, context.Cause(w.ctx)
		}
		entries, err := f.ReadDir(batch)
		if w.seen += len(entries); w.seen > maxEntries {
			return nil, errTooMany
		}
		for _, entry := range entries {
			p := path.Join(name, entry.Name())
			if entry.IsDir() {
				if entry.Name() != ".git" {
					below = append(below, p)
				}
				continue
			}
			w.entry(p, entry)
		}
		if errors.Is(err, io.EOF) {
			return below, nil
		}
		if err != nil {
			w.at = name
			return nil, err
		}
	}
}

// entry counts what is a regular file, or a symbolic link to one in the tree, and matches.
func (w *walking) entry(name string, entry fs.DirEntry) {
	if !doublestar.MatchUnvalidated(w.pattern, name) {
		return
	}
	if entry.Type()&fs.ModeSymlink != 0 {
		info, err := w.root.Stat(filepath.FromSlash(name))
		if err != nil || !info.Mode().IsRegular() {
			return
		}
	} else if !entry.Type().IsRegular() {
		return
	}
	if w.found++; len(w.files) < maxListed {
		w.files = append(w.files, name)
	}
}
