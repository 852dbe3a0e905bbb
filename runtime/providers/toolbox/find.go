package toolbox

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/errgen/errgen/runtime/internal/text"
)

const (
	maxExpression = 1000 // bytes of a regular expression
	maxShown      = 300  // bytes of a line that are shown
)

// errLimit ends a walk that reached a limit.
var errLimit = errors.New("limit reached")

type listArgs struct {
	Path    string `json:"path,omitempty" jsonschema:"The directory; the root by default."`
	Pattern string `json:"pattern,omitempty" jsonschema:"A pattern for paths: * within a name, ** across."`
}

// list implements list_files.
func (t *Toolbox) list(ctx context.Context, a listArgs) (Result, error) {
	var lines []string
	return t.walk(ctx, a.Path, a.Pattern, func(name string, entry fs.DirEntry) error {
		if len(lines) == t.limits.entries {
			return errLimit
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

// search implements search_files. It skips files that are not text, or cannot be read.
func (t *Toolbox) search(ctx context.Context, a searchArgs) (Result, error) {
	if a.Regexp == "" || len(a.Regexp) > maxExpression {
		return failed("regexp must have from 1 to %d bytes", maxExpression), nil
	}
	expression, err := regexp.Compile(a.Regexp)
	if err != nil {
		return failed("%s", err), nil
	}
	var found []string
	left, size := t.limits.search, 0
	return t.walk(ctx, a.Path, a.Pattern, func(name string, _ fs.DirEntry) error {
		content, _ := t.content(ctx, name)
		if left -= len(content); left < 0 {
			return errLimit
		}
		number := 0
		for line := range bytes.Lines(content) {
			number++
			if line = bytes.TrimRight(line, "\r\n"); !expression.Match(line) {
				continue
			}
			shown := strings.ToValidUTF8(string(line), "\uFFFD")
			if len(shown) > maxShown {
				shown = text.Head(shown, maxShown)
			}
			shown = fmt.Sprintf("%s:%d: %s", text.Name(name), number, shown)
			if size += len(shown) + 1; len(found) >= t.limits.entries || size > t.limits.read {
				return errLimit
			}
			found = append(found, shown)
		}
		return nil
	}, &found, "nothing matches")
}

// walk calls f for each file under start, or for start itself, in the order of the paths. The
// result contains the lines that f adds to lines, or the text none if there are none. Symbolic
// links are not followed, and git's directories are skipped.
func (t *Toolbox) walk(ctx context.Context, start, pattern string, f func(string, fs.DirEntry) error,
	lines *[]string, none string) (Result, error) {
	if err := checkPattern(pattern); err != nil {
		return failed("pattern %s: %s", text.Quote(pattern, maxQuoted), err), nil
	}
	start = cmp.Or(start, ".")
	root, err := t.resolve(start)
	if err == nil && isGit(root) {
		err = errGit
	}
	if err == nil {
		visited := 0
		err = fs.WalkDir(t.root.FS(), root, func(name string, entry fs.DirEntry, err error) error {
			switch visited++; {
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case err != nil && name == root:
				return err
			case visited > t.limits.visit:
				return errLimit
			case err != nil: // a directory that cannot be read is skipped
				return nil
			case entry.IsDir() && isGit(entry.Name()):
				return fs.SkipDir
			case entry.IsDir(), isGit(entry.Name()), !matchesPattern(pattern, name):
				return nil
			}
			return f(name, entry)
		})
	}
	switch {
	case ctx.Err() == nil && errors.Is(err, errLimit):
		return Result{Text: strings.Join(append(*lines, fmt.Sprintf(
			"[cut after %d; name a directory or a pattern]", len(*lines))), "\n")}, nil
	case err != nil:
		return t.pathFailed(ctx, start, err)
	case len(*lines) == 0:
		return Result{Text: none}, nil
	}
	return Result{Text: strings.Join(*lines, "\n")}, nil
}

// checkPattern returns an error for invalid patterns, and for those that could take very long.
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

// matchesPattern reports whether a path matches. A pattern without a slash can match the name
// alone.
func matchesPattern(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	if !strings.Contains(pattern, "/") && doublestar.MatchUnvalidated(pattern, path.Base(name)) {
		return true
	}
	return doublestar.MatchUnvalidated(strings.TrimPrefix(pattern, "./"), name)
}
