package triage

import "strings"

// level is the severity that the prefix of a line states.
type level uint8

const (
	noLevel level = iota
	debug
	info
	warning
	failure
)

// entry is a line of a log.
type entry struct {
	raw   string // without colours
	text  string // also without times and tags of runners
	level level
}

// clean returns a line as an entry. Of a line that was overwritten by carriage returns, the last
// version remains.
func clean(s string) entry {
	s = strings.TrimRight(s, "\r\n")
	if i := strings.LastIndexByte(s, '\r'); i >= 0 {
		s = s[i+1:]
	}
	if strings.IndexByte(s, 0x1b) >= 0 {
		s = withoutEscapes(s)
	}
	e := entry{raw: s}
	for strings.HasPrefix(s, "travis_") {
		_, s, _ = strings.Cut(s, " ")
	}
	for range 4 {
		rest, l := withoutTag(withoutTime(s))
		if len(rest) == len(s) {
			break
		}
		s, e.level = rest, max(e.level, l)
	}
	e.text = s
	return e
}

// withoutEscapes removes the escape sequences of terminals.
func withoutEscapes(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != 0x1b {
			b.WriteByte(s[i])
			continue
		}
		if i++; i >= len(s) || s[i] != '[' {
			continue
		}
		for i++; i < len(s) && (s[i] < '@' || s[i] > '~'); i++ {
		}
	}
	return b.String()
}

func isDigit(c byte) bool { return c-'0' < 10 }

// withoutTime removes a time that the line begins with: 2024-01-02T03:04:05.678Z, 2024-01-02
// 03:04:05,678 or 03:04:05, also in brackets.
func withoutTime(s string) string {
	t := strings.TrimPrefix(s, "[")
	i := 0
	switch {
	case len(t) > 19 && isDigit(t[0]) && isDigit(t[3]) && t[4] == '-' && t[7] == '-' && t[13] == ':' && t[16] == ':':
		i = 19
	case len(t) > 9 && isDigit(t[0]) && t[2] == ':' && t[5] == ':' && isDigit(t[6]) && isDigit(t[7]):
		i = 8
	default:
		return s
	}
	for i < len(t) && (isDigit(t[i]) || strings.IndexByte(".,Z+:", t[i]) >= 0) {
		i++
	}
	if i >= len(t) {
		return s
	}
	if len(t) < len(s) {
		if t[i] != ']' {
			return s
		}
		i++
	} else if t[i] != ' ' && t[i] != '\t' {
		return s
	}
	return strings.TrimPrefix(t[i:], " ")
}

var levels = map[string]level{
	"ERROR": failure, "FATAL": failure, "error": failure, "CRITICAL": failure, "SEVERE": failure, "fatal": failure,
	"WARN": warning, "WARNING": warning, "warning": warning, "warn": warning,
	"INFO": info, "info": info, "DEBUG": debug, "TRACE": debug, "debug": debug,
}

// withoutTag removes the tag of a runner or a tool that the line begins with: "[ERROR] ", an
// indented "[junit] ", "[task 2025-01-02T03:04:05Z] ", "   INFO - ", "DEBUG util.py:459:  ",
// "#12 3.456 " of a container build, and "#12 " of its errors.
func withoutTag(s string) (string, level) {
	t := strings.TrimLeft(s, " ")
	if t == "" {
		return s, noLevel
	}
	if rest, ok := strings.CutPrefix(t, "│"); ok { // the margin of a message of Terraform or goreleaser
		return strings.TrimLeft(rest, " "), noLevel
	}
	switch c := t[0]; {
	case c == '[':
		i := strings.IndexByte(t[:min(len(t), 40)], ']')
		if i < 2 || len(t) == i+1 {
			return s, noLevel
		}
		tag, rest := t[1:i], strings.TrimPrefix(t[i+1:], " ")
		if l, ok := levels[tag]; ok {
			return rest, l
		}
		if strings.HasPrefix(tag, "task ") || len(t) < len(s) && isLower(tag) {
			return rest, noLevel
		}
	case c == '#' && len(t) > 5 && isDigit(t[1]):
		i := 1
		for fields := 0; i < len(t) && fields < 2 && (isDigit(t[i]) || t[i] == '.' || t[i] == ' '); i++ {
			if t[i] == ' ' {
				fields++
			}
		}
		if t[i-1] == ' ' && (strings.IndexByte(t[:i], '.') > 0 || strings.HasPrefix(t[i:], "ERROR: ")) {
			return t[i:], noLevel
		}
	case c >= 'A' && c <= 'Z':
		word := t[:wordEnd(t)]
		l, ok := levels[word]
		if !ok {
			break
		}
		rest := t[len(word):]
		if strings.HasPrefix(rest, " - ") {
			return rest[3:], l
		}
		// mock writes the output of a build with the place in its own source.
		if i := strings.Index(rest[:min(len(rest), 40)], ".py:"); i > 0 && rest[0] == ' ' {
			if j := strings.Index(rest[i+4:], ": "); j > 0 && j < 6 {
				return strings.TrimLeft(rest[i+4+j+2:], " "), noLevel
			}
		}
	}
	return s, noLevel
}

func wordEnd(s string) int {
	for i := range len(s) {
		if s[i] < 'A' || s[i] > 'Z' {
			return i
		}
	}
	return len(s)
}

func isLower(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}

// isWarning reports whether a line calls itself a warning, a remark or a debugging output. It is
// called for each line with a word of failures, so it uses no expression.
func isWarning(s string) bool {
	if strings.Contains(s, "arning:") || strings.Contains(s, "WARN") {
		return true
	}
	words := 0
	for i := 0; i < len(s) && i < 40 && words < 2; i++ {
		if !isLetter(s[i]) || i > 0 && isLetter(s[i-1]) {
			continue
		}
		words++
		for _, w := range [...]string{"warn", "deprecat", "notice", "note", "info", "debug"} {
			if len(s)-i >= len(w) && strings.EqualFold(s[i:i+len(w)], w) {
				return true
			}
		}
	}
	return false
}

func isLetter(c byte) bool { return (c|0x20)-'a' < 26 }

// shape returns a hash of a line in which all numbers are equal.
func shape(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		c := s[i]
		if isDigit(c) {
			if i > 0 && isDigit(s[i-1]) {
				continue
			}
			c = '0'
		}
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}
