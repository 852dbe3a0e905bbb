package scope

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// pattern is a pattern that is ready to be matched.
type pattern struct {
	source   string // as it was configured
	glob     string // for doublestar
	required string // each path that matches contains it
}

// match returns the source of the first pattern that p matches.
func match(patterns []pattern, p string) (source string, ok bool) {
	for i := range patterns {
		if strings.Contains(p, patterns[i].required) && doublestar.MatchUnvalidated(patterns[i].glob, p) {
			return patterns[i].source, true
		}
	}
	return "", false
}

// newPattern checks a pattern. A plain name that restricts also covers the files below it.
func newPattern(source string, restricts, fold bool) (pattern, error) {
	if fold {
		source = folded(source)
	}
	if err := usable(source); err != nil {
		return pattern{}, err
	}
	glob, directory := strings.CutSuffix(source, "/")
	last := glob[strings.LastIndexByte(glob, '/')+1:]
	if (directory || restricts && !strings.ContainsAny(escape.ReplaceAllString(last, ""), "*?[")) && last != "**" {
		glob += "/**" // it also matches the directory itself
	}
	return pattern{source, glob, required(glob)}, nil
}

// required returns the longest text that each path that matches the glob contains. Most paths of a
// tree are decided by it.
func required(glob string) (longest string) {
	if strings.ContainsAny(glob, `{[\`) {
		return ""
	}
	for part := range strings.FieldsFuncSeq(glob, func(r rune) bool { return r == '*' || r == '?' }) {
		if part = strings.Trim(part, "/"); len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

var (
	escape   = regexp.MustCompile(`\\.`)
	control  = regexp.MustCompile(`[\x00-\x1f\x7f]|^\s|\s$`)
	escaped  = regexp.MustCompile(`^(?:[^\\]|\\[*?\[\]{}\\!^,~-])*\\?$`)
	absolute = regexp.MustCompile(`(?:^|[{,])/`)
	notClean = regexp.MustCompile(`//|(?:^|[/{,])\.\.?(?:$|[/},])`)
	twoStars = regexp.MustCompile(`[^/{,]\*\*|\*\*[^/},]`)
	class    = regexp.MustCompile(`\[(?:\\.|[^\]\\])+\]`)
)

// Bounds on one pattern. Matching takes the time of its length times the path's, for each
// combination of its alternatives.
const (
	maxLength       = 1024
	maxBraces       = 3
	maxAlternatives = 32
)

// usable refuses patterns that cannot match a clean relative path, or not what they seem to match.
func usable(p string) error {
	plain := escape.ReplaceAllString(p, "x") // without escaped characters
	if !strings.Contains(plain, "{") {
		plain = strings.ReplaceAll(plain, ",", "x") // commas separate within braces only
	}
	switch {
	case p == "":
		return errors.New("it is empty")
	case len(p) > maxLength:
		return fmt.Errorf("it is longer than %d bytes", maxLength)
	case strings.Count(plain, "{") > maxBraces || strings.Count(plain, ",") > maxAlternatives:
		return fmt.Errorf("it has more than %d braces or %d alternatives; write several patterns", maxBraces,
			maxAlternatives)
	case control.MatchString(p) || !utf8.ValidString(p):
		return errors.New("it contains leading or trailing space, control characters or invalid UTF-8")
	case p[0] == '!' || p[0] == '~':
		return fmt.Errorf("%c has no meaning here; write \\%c for a name that begins with it", p[0], p[0])
	case !escaped.MatchString(p):
		return errors.New("directories are separated by /; a backslash quotes one of *?[]{}!^-,~ or itself")
	case !doublestar.ValidatePattern(p):
		return errors.New("a bracket or brace is not closed, or a backslash is at the end")
	case absolute.MatchString(plain):
		return errors.New("it is absolute; paths are relative to the root of the working tree")
	case notClean.MatchString(plain):
		return errors.New("it has a part that is empty, . or ..; paths are clean")
	case twoStars.MatchString(p):
		return errors.New("** next to other text in one part matches no more than *; write **/ before it")
	}
	for _, c := range class.FindAllString(p, -1) {
		if strings.Contains(c, "/") || doublestar.MatchUnvalidated(c, "/") {
			return fmt.Errorf("the class %s matches a slash; list the characters", c)
		}
	}
	return nil
}

// reaches reports whether the pattern can match a path below dir.
func (p pattern) reaches(dir string) bool {
	if dir == "" || dir == "." {
		return true
	}
	parts := strings.Split(p.glob, "/")
	for name := range strings.SplitSeq(dir, "/") {
		switch {
		case len(parts) == 0:
			return false
		case parts[0] == "**" || strings.Count(parts[0], "{") != strings.Count(parts[0], "}"):
			return true // or alternatives that contain a slash: assume that they match
		case !doublestar.MatchUnvalidated(parts[0], name):
			return false
		}
		parts = parts[1:]
	}
	return len(parts) > 0
}

// GitOwned reports whether a part of p names git's own directory on any system that the tree may be
// checked out on: Windows ignores case, dots and blanks at the end and what follows a colon, and
// knows a short name; Apple's file systems ignore some invisible characters.
func GitOwned(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		part, _, _ = strings.Cut(part, ":")
		part = strings.TrimRight(invisible.ReplaceAllString(part, ""), ". ")
		if strings.EqualFold(part, ".git") || strings.EqualFold(part, "git~1") {
			return true
		}
	}
	return false
}

// invisible are the characters that HFS+ ignores in names.
var invisible = regexp.MustCompile(`[\x{200c}-\x{200f}\x{202a}-\x{202e}\x{206a}-\x{206f}\x{feff}]`)

// Literal returns a pattern that matches a path, which has slashes. White space, control characters
// and invalid UTF-8 in it become "?", because no pattern may contain them.
func Literal(path string) string {
	var b strings.Builder
	for _, r := range path {
		switch {
		case r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r):
			b.WriteByte('?')
		case strings.ContainsRune(`*?[]{}\!^~`, r):
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
