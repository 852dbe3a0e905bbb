package toolbox

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/errgen/errgen/runtime/internal/text"
)

const (
	maxExpression = 1000     // bytes of a regular expression
	maxLine       = 64 << 10 // bytes of a line that are searched
	maxShown      = 300      // bytes of a line that are shown
)

// errEnough ends a walk early.
var errEnough = errors.New("enough")

type listArgs struct {
	Path    string `json:"path,omitempty" jsonschema:"The directory; the root by default."`
	Pattern string `json:"pattern,omitempty" jsonschema:"A pattern for paths: * within a name, ** across."`
}

// list is list_files.
func (t *Toolbox) list(ctx context.Context, a listArgs) (Result, error) {
	var lines []string
	return t.walk(ctx, a.Path, a.Pattern, func(name string, entry fs.DirEntry) error {
		if len(lines) == t.limits.Entries {
			return errEnough
		}
		line := text.Name(name)
		if entry.Type()&fs.ModeSymlink != 0 {
			line += " (symbolic link)"
		}
		lines = append(lines, line)
		return nil
	}, &lines, "there are no files")
}

type searchArgs struct {
	Regexp  string `json:"regexp"`
	Path    string `json:"path,omitempty" jsonschema:"The directory or file; the root by default."`
	Pattern string `json:"pattern,omitempty" jsonschema:"A pattern for paths: * within a name, ** across."`
}

// search is search_files. It skips files that are no text, or cannot be read.
func (t *Toolbox) search(ctx context.Context, a searchArgs) (Result, error) {
	if a.Regexp == "" || len(a.Regexp) > maxExpression {
		return failed("regexp must have from 1 to %d bytes", maxExpression), nil
	}
	expression, err := regexp.Compile(a.Regexp)
	if err != nil {
		return failed("%s", err), nil
	}
	var found []string
	left, size := t.limits.Search, 0
	return t.walk(ctx, a.Path, a.Pattern, func(name string, entry fs.DirEntry) error {
		if !entry.Type().IsRegular() || t.readable(ctx, name) != nil {
			return nil
		}
		f, _, err := t.openRegular(name)
		if err != nil {
			return nil
		}
		defer f.Close()
		limited := &limitedReader{ctx: ctx, r: f, left: left}
		err = matches(limited, expression, func(number int, line string) error {
			entry := fmt.Sprintf("%s:%d: %s", text.Name(name), number, line)
			if size += len(entry) + 1; len(found) >= t.limits.Entries || size > t.limits.Read {
				return errEnough
			}
			found = append(found, entry)
			return nil
		})
		if left = limited.left; left <= 0 {
			return errEnough
		}
		return err
	}, &found, "nothing matches")
}

// matches calls f with the lines that match, cut to maxShown.
func matches(r io.Reader, expression *regexp.Regexp, f func(number int, line string) error) error {
	in := bufio.NewReaderSize(r, maxLine)
	if isBinary(in) {
		return nil
	}
	for number := 1; ; number++ {
		line, err := in.ReadSlice('\n')
		if content := bytes.TrimRight(line, "\r\n"); len(line) > 0 && expression.Match(content) {
			found := strings.ToValidUTF8(string(content), "\uFFFD")
			if len(found) > maxShown {
				found = text.Head(found, maxShown)
			}
			if err := f(number, found); err != nil {
				return err
			}
		}
		for errors.Is(err, bufio.ErrBufferFull) { // the rest of a long line
			_, err = in.ReadSlice('\n')
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// walk calls f for each file under start, or for start itself, in the order of their paths, and
// returns the lines that f has made. It neither follows symbolic links nor enters git's
// directories.
func (t *Toolbox) walk(ctx context.Context, start, pattern string, f func(string, fs.DirEntry) error,
	lines *[]string, none string) (Result, error) {
	if err := checkPattern(pattern); err != nil {
		return failed("pattern %s: %s", text.Quote(pattern, maxQuoted), err), nil
	}
	name, err := t.resolve(cmp.Or(start, "."))
	if err == nil && isGit(name) {
		err = errGit
	}
	if err == nil {
		left := t.limits.Visit
		err = t.visit(ctx, name, &left, func(name string, entry fs.DirEntry) error {
			if !matchesPattern(pattern, name) {
				return nil
			}
			return f(name, entry)
		})
	}
	switch {
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case errors.Is(err, errEnough):
		return Result{Text: strings.Join(append(*lines, fmt.Sprintf(
			"[cut after %d; name a directory or a pattern]", len(*lines))), "\n")}, nil
	case err != nil:
		return unread(cmp.Or(start, "."), err), nil
	case len(*lines) == 0:
		return Result{Text: none}, nil
	}
	return Result{Text: strings.Join(*lines, "\n")}, nil
}

// visit visits a file, or the files under a directory, as many as are left.
func (t *Toolbox) visit(ctx context.Context, name string, left *int, f func(string, fs.DirEntry) error) error {
	info, err := t.root.Lstat(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return f(name, fs.FileInfoToDirEntry(info))
	}
	entries, err := t.entries(name, left)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		child := path.Join(name, entry.Name())
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case isGit(entry.Name()):
			continue
		case entry.IsDir():
			// A directory that cannot be read is skipped.
			if err := t.visit(ctx, child, left, f); errors.Is(err, errEnough) {
				return err
			}
		default:
			if err := f(child, entry); err != nil {
				return err
			}
		}
	}
	if *left < 0 {
		return errEnough
	}
	return nil
}

// entries returns the entries of a directory, sorted, as many as are left.
func (t *Toolbox) entries(dir string, left *int) ([]fs.DirEntry, error) {
	f, err := t.root.Open(filepath.FromSlash(dir))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []fs.DirEntry
	for *left >= 0 && err == nil {
		var some []fs.DirEntry
		some, err = f.ReadDir(256)
		all = append(all, some...)
		*left -= len(some)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, nil
}

// checkPattern refuses invalid patterns, and those that could take very long.
func checkPattern(pattern string) error {
	switch {
	case len(pattern) > 512, strings.Count(pattern, "**") > 4, strings.Count(pattern, "{") > 4,
		strings.Count(pattern, "*") > 24:
		return errors.New("too complex")
	case !doublestar.ValidatePattern(pattern):
		return errors.New("invalid")
	}
	return nil
}

// matchesPattern reports whether a path matches. A pattern without a slash is matched with the
// name.
func matchesPattern(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	if !strings.Contains(pattern, "/") && doublestar.MatchUnvalidated(pattern, path.Base(name)) {
		return true
	}
	return doublestar.MatchUnvalidated(strings.TrimPrefix(pattern, "./"), name)
}
