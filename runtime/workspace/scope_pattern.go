package workspace

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds on patterns. Matching one costs at most its length times that of the path; alternatives
// multiply, so they are written out here, once, and counted.
const (
	maxPatterns     = 10_000
	maxPattern      = 1024 // bytes
	maxAlternatives = 256  // written out
)

// expand checks a pattern and returns it with its alternatives written out, each a pattern of its
// own.
func expand(pattern string) ([]string, error) {
	if err := wellFormed(pattern); err != nil {
		return nil, err
	}
	texts := []string{""}
	if err := alternatives(pattern, &texts); err != nil {
		return nil, err
	}
	for _, text := range texts {
		if err := usable(text); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// wellFormed checks what can be said before alternatives are written out.
func wellFormed(pattern string) error {
	switch {
	case pattern == "":
		return errors.New("it is empty")
	case len(pattern) > maxPattern:
		return fmt.Errorf("it is longer than %d bytes", maxPattern)
	case strings.TrimSpace(pattern) != pattern:
		return errors.New("it begins or ends with a blank")
	case strings.ContainsAny(pattern, "\x00\r\n"):
		return errors.New("it holds a control character")
	case !utf8.ValidString(pattern):
		return errors.New("it is not UTF-8")
	case pattern[0] == '!':
		return errors.New("a pattern cannot be negated")
	case pattern[0] == '~':
		return errors.New("it begins with ~, but paths are relative to the root of the working tree")
	case !doublestar.ValidatePattern(pattern):
		return errors.New("a bracket or brace is not closed, or a backslash stands at the end")
	}
	return plainEscapes(pattern)
}

// plainEscapes refuses the backslash that was meant to separate directories.
func plainEscapes(pattern string) error {
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '\\' {
			continue
		}
		i++
		if !strings.ContainsRune(`*?[]{}\!^-,~`, rune(pattern[i])) {
			return errors.New(
				"a backslash only takes the meaning from *?[]{}!^-,~ and itself; directories are separated by /")
		}
	}
	return nil
}

// alternatives appends pattern to each of the texts, once for each alternative in it.
func alternatives(pattern string, texts *[]string) error {
	for pattern != "" {
		open := topLevel(pattern, "{")
		if open < 0 {
			appendAll(*texts, pattern)
			return nil
		}
		appendAll(*texts, pattern[:open])
		rest := pattern[open+1:]
		end := topLevel(rest, "}")
		if end < 0 {
			return errors.New("a brace is not closed")
		}
		var all []string
		for inner := rest[:end]; ; {
			comma := topLevel(inner, ",")
			option := inner
			if comma >= 0 {
				option, inner = inner[:comma], inner[comma+1:]
			}
			branch := append([]string(nil), *texts...)
			if err := alternatives(option, &branch); err != nil {
				return err
			}
			if all = append(all, branch...); len(all) > maxAlternatives {
				return fmt.Errorf("it has more than %d alternatives", maxAlternatives)
			}
			if comma < 0 {
				break
			}
		}
		*texts, pattern = all, rest[end+1:]
	}
	return nil
}

func appendAll(texts []string, s string) {
	for i := range texts {
		texts[i] += s
	}
}

// topLevel returns where the first of the wanted bytes stands in s outside of classes, escapes and
// inner braces, or -1.
func topLevel(s, wanted string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		if depth == 0 && strings.IndexByte(wanted, s[i]) >= 0 {
			return i
		}
		switch s[i] {
		case '\\':
			i++
		case '[':
			i = classEnd(s, i)
		case '{':
			depth++
		case '}':
			depth--
		}
	}
	return -1
}

// classEnd returns where the class ends that begins at s[i]; the end of s if it does not.
func classEnd(s string, i int) int {
	for i++; i < len(s) && s[i] != ']'; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return min(i, len(s)-1)
}

// usable checks a pattern without alternatives.
func usable(text string) error {
	if text == "" {
		return errors.New("an alternative is empty")
	}
	if text[0] == '/' {
		return errors.New("it is absolute, but paths are relative to the root of the working tree")
	}
	if !doublestar.ValidatePattern(text) {
		return errors.New("an alternative splits a bracket")
	}
	if err := classes(text); err != nil {
		return err
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(text, "/"), "/") {
		switch {
		case part == "":
			return errors.New("it has an empty part between two slashes")
		case part == "." || part == "..":
			return fmt.Errorf("it has a part %q, but paths are clean and relative to the root of the working tree",
				part)
		case part != "**" && strings.Contains(part, "**"):
			return errors.New("** beside other text in one part would mean no more than *; write **/ before it")
		}
	}
	return nil
}

// classes refuses classes that could match a slash.
func classes(text string) error {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			end := classEnd(text, i)
			class := text[i : end+1]
			i = end
			if strings.Contains(class, "/") || !negated(class) && doublestar.MatchUnvalidated(class, "/") {
				return fmt.Errorf("the class %s would match a slash; name the characters it is for", class)
			}
		}
	}
	return nil
}

func negated(class string) bool { return class[1] == '!' || class[1] == '^' }

// withoutSlash has the negated classes of a pattern stay within one part of a path, as every other
// wildcard does.
func withoutSlash(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		end := i
		switch text[i] {
		case '\\':
			end++
		case '[':
			end = classEnd(text, i)
			if negated(text[i:]) {
				b.WriteString(text[i:i+2] + "/")
				i += 2
			}
		}
		b.WriteString(text[i : end+1])
		i = end
	}
	return b.String()
}
