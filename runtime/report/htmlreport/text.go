package htmlreport

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"github.com/errgen/errgen/runtime/internal/text"
)

const (
	// maxMarks bounds the combining marks on one letter; more would cover the lines around it.
	maxMarks = 4
	ellipsis = "…"
	unknown  = "unknown"
)

// name returns a short text of one line, or "unknown" if it is empty.
func name(s string) string { return cmp.Or(line(s, nameLimit), unknown) }

// line returns s masked, on one line of at most limit bytes.
func line(s string, limit int) string {
	return visible(text.Beginning(s, limit), limit, func(rune) bool { return false })
}

// block returns s masked, with its lines and tabs, in at most limit bytes.
func block(s string, limit int) string {
	return visible(strings.ReplaceAll(text.Beginning(s, limit), "\r\n", "\n"), limit,
		func(r rune) bool { return r == '\n' || r == '\t' })
}

// visible replaces invisible characters and cuts the text.
func visible(s string, limit int, keep func(rune) bool) string {
	var b strings.Builder
	marks := 0
	for _, r := range s {
		shown := string(r)
		if !keep(r) {
			shown = show(r)
		}
		if marks++; !unicode.Is(unicode.M, r) {
			marks = 0
		}
		if marks > maxMarks {
			continue
		}
		if b.Len()+len(shown) > limit-len(ellipsis) {
			return strings.TrimRight(b.String(), " ") + ellipsis
		}
		b.WriteString(shown)
	}
	return strings.TrimSpace(b.String())
}

// show returns a control character as its picture, and a character that is invisible or changes the
// direction of the text as its number.
func show(r rune) string {
	switch {
	case r == '\n' || r == '\t' || r == '\r' || r == '\u2028' || r == '\u2029' || r == '\u0085':
		return " "
	case r < ' ':
		return string(0x2400 + r)
	case r == 0x7f:
		return "\u2421"
	case isInvisible(r):
		return fmt.Sprintf("[U+%04X]", r)
	}
	return string(r)
}

// isInvisible reports whether r is a formatting character. The joiners of scripts and emoji stay.
func isInvisible(r rune) bool {
	if r == '\u200c' || r == '\u200d' {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Noncharacter_Code_Point) || r == '\u115f' ||
		r == '\u1160' || r == '\u3164' || r == '\uffa0'
}
