package recovery

import (
	"strconv"
	"strings"
)

// location is a place that a tool has reported.
type location struct {
	file         string
	line, column int // 0 is unknown
}

// locationsIn returns the places that a text names, limit at most, one for each line: file(12,5),
// file(12:5), file:12:5 and file:12. They are untrusted; the file is what stands before the
// numbers, as far as it has the characters of paths and a space, a quote, a bracket or the line's
// beginning before it.
func locationsIn(text string, limit int) []location {
	var all []location
	for line := range strings.SplitSeq(text, "\n") {
		if len(all) == limit {
			break
		}
		if l, ok := locate(line); ok {
			all = append(all, l)
		}
	}
	return all
}

func locate(line string) (location, bool) {
	for i := 1; i+1 < len(line); i++ {
		if !isDigit(line[i+1]) {
			continue
		}
		var l location
		var ok bool
		switch line[i] {
		case '(':
			l, ok = bracketed(line[i+1:])
		case ':':
			l, ok = colons(line[i+1:])
		}
		if !ok {
			continue
		}
		if l.file = pathBefore(line[:i]); l.file != "" {
			return l, true
		}
	}
	return location{}, false
}

// bracketed reads "12,5)" or "12:5)".
func bracketed(s string) (l location, ok bool) {
	l.line, s = number(s)
	if l.line == 0 || s == "" || s[0] != ',' && s[0] != ':' {
		return l, false
	}
	l.column, s = number(s[1:])
	return l, l.column > 0 && strings.HasPrefix(s, ")")
}

// colons reads "12:5" or "12", and what may follow.
func colons(s string) (l location, ok bool) {
	l.line, s = number(s)
	if l.line == 0 {
		return l, false
	}
	if len(s) > 1 && s[0] == ':' && isDigit(s[1]) {
		l.column, s = number(s[1:])
	}
	return l, s == "" || strings.IndexByte(": \t\r,;)]'\"-", s[0]) >= 0
}

// number reads a number that can be one of a line; 0 is none.
func number(s string) (n int, rest string) {
	const most = 9 // digits
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if i == 0 || i > most {
		return 0, s[i:]
	}
	n, _ = strconv.Atoi(s[:i])
	return n, s[i:]
}

// pathBefore returns the path that a text ends in.
func pathBefore(s string) string {
	i := len(s)
	for i > 0 && len(s)-i <= maxPath && (isAlphanumeric(s[i-1]) || strings.IndexByte("_./\\@+-", s[i-1]) >= 0) {
		i--
	}
	if i >= 2 && s[i-1] == ':' && isDrive(s[i-2]) && i < len(s) && (s[i] == '\\' || s[i] == '/') &&
		(i == 2 || isEdge(s[i-3])) {
		return s[i-2:]
	}
	if i > 0 && !isEdge(s[i-1]) {
		return ""
	}
	return s[i:]
}

func isDrive(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// isEdge reports whether a path can begin behind the character.
func isEdge(c byte) bool { return strings.IndexByte(" \t'\"`([<>", c) >= 0 }
