package plan

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/errgen/errgen/runtime/internal/text"
)

// Bounds on paths and patterns.
const (
	maxPath         = 4096
	maxPattern      = 1024
	maxAlternatives = 4
)

// badPath says why a path is not one of the tree, or "". A path that begins with a drive or a tilde
// is absolute to those who write so.
func badPath(name string) string {
	switch {
	case name == "":
		return "is empty: name it, relative to the root of the tree"
	case len(name) > maxPath:
		return fmt.Sprintf("is longer than %d bytes: name something shorter", maxPath)
	case !utf8.ValidString(name) || strings.ContainsRune(name, 0):
		return "is no text: use a name in UTF-8 without zero bytes"
	case absolute(name):
		return "is absolute: name it relative to the root of the tree"
	}
	if clean := path.Clean(strings.ReplaceAll(name, `\`, "/")); clean == ".." || strings.HasPrefix(clean, "../") {
		return "leaves the tree: name something in it"
	}
	if ofGit(name) {
		return inGit
	}
	return ""
}

// inGit is why a path of git's own is none: what stands there is no work of a step, and neither put
// back nor committed.
const inGit = "is in git's own directory: name something else in the tree"

// ofGit reports whether a part of a path or a pattern is git's own directory, also as Windows reads
// it.
func ofGit(name string) bool {
	return slices.ContainsFunc(parts(name), func(part string) bool {
		part = strings.TrimRight(part, ". ")
		return strings.EqualFold(part, ".git") || strings.EqualFold(part, "git~1")
	})
}

// parts returns the parts of a path or a pattern, also those in alternatives.
func parts(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(`/\{},`, r) })
}

func absolute(name string) bool {
	switch name[0] {
	case '/':
		return true
	case '~':
		return name == "~" || name[1] == '/'
	case '\\':
		return strings.HasPrefix(name, `\\`)
	}
	return len(name) > 2 && name[1] == ':' && (name[2] == '/' || name[2] == '\\') && isWord(name[0])
}

func (c *checking) path(of, name string, line int) bool {
	if why := badPath(name); why != "" {
		c.add(Invalid, line, "%s has the path %s, which %s", of, text.Quote(name, maxShown), why)
		return false
	}
	return true
}

// filePath checks the path of what a step makes.
func (c *checking) filePath(of, name string, line int) {
	if c.path(of, name, line) && path.Clean(name) == "." {
		c.add(Invalid, line, "%s has the path %s, which is the tree itself: name something in it", of,
			text.Quote(name, maxShown))
	}
}

func (c *checking) pattern(of, pattern string, line int) {
	if err := ValidPattern(pattern); err != nil {
		c.add(Invalid, line, "%s has the pattern %s: %v", of, text.Quote(pattern, maxShown), err)
	}
}

// ValidPattern says why a pattern of [Count] cannot be used, or nil: it is empty, absolute, longer
// than 1024 bytes, leaves the tree, is in git's own directory, has more than 4 groups of
// alternatives, or has a bracket that is not closed. In a pattern * is anything but a slash, **
// anything, ? one character but a slash, [a-z] a class and {a,b} a choice.
func ValidPattern(pattern string) error {
	if why := badPath(pattern); why != "" {
		return errors.New("it " + why)
	}
	switch {
	case len(pattern) > maxPattern:
		return fmt.Errorf("it is longer than %d bytes: use a shorter one", maxPattern)
	case strings.Count(pattern, "{") > maxAlternatives:
		return fmt.Errorf("it has more than %d groups of alternatives: use fewer", maxAlternatives)
	case hasParent(pattern):
		return errors.New("it has .. in it: name what is counted from the root of the tree")
	case !doublestar.ValidatePattern(pattern):
		return errors.New("a bracket in it is not closed: close it, or write a backslash before it")
	}
	return nil
}

// hasParent reports whether .. is a part of a pattern, also as an alternative.
func hasParent(pattern string) bool { return slices.Contains(parts(pattern), "..") }
