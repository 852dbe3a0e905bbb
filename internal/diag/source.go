package diag

import "strings"

// Source is a file as read. It is safe for concurrent use once made.
type Source struct {
	Name  string // as the user gave it; "-" is standard input
	Bytes []byte

	lines []string
}

// NewSource returns the source of name. It keeps src and does not change it. A byte order mark is no part of
// the first line.
func NewSource(name string, src []byte) *Source {
	return &Source{Name: name, Bytes: src, lines: strings.Split(strings.TrimPrefix(string(src), "\uFEFF"), "\n")}
}

// Line returns the text of the 1-based line n without its line end, or "" when there is none.
func (s *Source) Line(n int) string {
	if s == nil || n < 1 || n > len(s.lines) {
		return ""
	}
	if n == len(s.lines) {
		return s.lines[n-1] // no newline follows, so a carriage return is text
	}
	return strings.TrimSuffix(s.lines[n-1], "\r")
}

// Lines returns the number of lines.
func (s *Source) Lines() int {
	if s == nil {
		return 0
	}
	return len(s.lines)
}

// display returns what messages call the file.
func (s *Source) display() string {
	switch {
	case s == nil:
		return "<unknown>"
	case s.Name == "-":
		return "<stdin>"
	}
	return s.Name
}
