package toolbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/errgen/errgen/runtime/internal/text"
)

type listArgs struct {
	Path    string `json:"path"`
	Pattern string `json:"pattern"`
}

// list is list_files.
func (t *Toolbox) list(ctx context.Context, a listArgs) (Result, error) {
	if err := checkPattern(a.Pattern); err != nil {
		return failed("pattern %s: %s", text.Quote(a.Pattern, maxQuoted), err), nil
	}
	start, err := t.resolve(orText(a.Path, "."))
	if err != nil {
		return t.unread(a.Path, err), nil
	}
	var lines []string
	whole, err := t.visit(ctx, start, func(name string, entry fs.DirEntry) error {
		if !matchesPattern(a.Pattern, name) {
			return nil
		}
		if len(lines) == t.limits.Entries {
			return errEnough
		}
		line := text.Name(name)
		if entry.Type()&fs.ModeSymlink != 0 {
			line += " (symbolic link)"
		}
		lines = append(lines, line)
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case err != nil:
		return t.unread(orText(a.Path, "."), err), nil
	case len(lines) == 0 && whole:
		return Result{Text: "there are no files"}, nil
	case !whole:
		lines = append(lines, fmt.Sprintf("[cut after %d; name a directory or a pattern]", len(lines)))
	}
	return Result{Text: strings.Join(lines, "\n")}, nil
}

// errEnough ends a walk early.
var errEnough = errors.New("enough")

// visit calls f for each file under start, or for start itself if it is one, in the order of their
// paths. It neither follows symbolic links nor enters what git keeps. Whole is false when f has
// returned errEnough, or when there are more files than one call may look at.
func (t *Toolbox) visit(ctx context.Context, start string, f func(name string, entry fs.DirEntry) error) (
	whole bool, err error) {
	if isGit(start) {
		return true, errGit
	}
	info, err := t.root.Lstat(filepath.FromSlash(start))
	if err != nil {
		return true, err
	}
	if !info.IsDir() {
		return true, f(start, fs.FileInfoToDirEntry(info))
	}
	left := t.limits.Visit
	err = t.visitDir(ctx, start, &left, f)
	if errors.Is(err, errEnough) {
		return false, nil
	}
	return left >= 0, err
}

func (t *Toolbox) visitDir(ctx context.Context, dir string, left *int, f func(string, fs.DirEntry) error) error {
	entries, err := t.entries(dir, left)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		name := path.Join(dir, entry.Name())
		switch {
		case isGit(entry.Name()):
			continue
		case entry.IsDir():
			// What cannot be entered is left out, as what cannot be read is.
			if err := t.visitDir(ctx, name, left, f); errors.Is(err, errEnough) || ctx.Err() != nil {
				return err
			}
		default:
			if err := f(name, entry); err != nil {
				return err
			}
		}
		if *left < 0 {
			return errEnough
		}
	}
	return nil
}

// entries returns what is in a directory, sorted: as much of it as may still be looked at.
func (t *Toolbox) entries(dir string, left *int) ([]fs.DirEntry, error) {
	f, err := t.root.Open(filepath.FromSlash(dir))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []fs.DirEntry
	for *left >= 0 {
		some, err := f.ReadDir(256)
		all = append(all, some...)
		*left -= len(some)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, nil
}

// checkPattern refuses patterns that cannot be read, and those that could take very long.
func checkPattern(pattern string) error {
	switch {
	case len(pattern) > 512, strings.Count(pattern, "**") > 4, strings.Count(pattern, "{") > 4,
		strings.Count(pattern, "*") > 24:
		return errors.New("too complex")
	case !doublestar.ValidatePattern(pattern):
		return errors.New("not a pattern")
	}
	return nil
}

// matchesPattern reports whether a path matches. A pattern without a slash is about the name alone.
func matchesPattern(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	if !strings.Contains(pattern, "/") {
		if ok, _ := doublestar.Match(pattern, path.Base(name)); ok { // the pattern was checked
			return true
		}
	}
	ok, _ := doublestar.Match(strings.TrimPrefix(pattern, "./"), name)
	return ok
}

func orText(s, def string) string {
	if s == "" {
		return def
	}
	return s
}
