package htmlreport

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/errgen/errgen/runtime/internal/text"
)

const (
	// maxMarks bounds the combining marks on one letter, because many marks would cover other
	// lines.
	maxMarks = 4
	ellipsis = "…"
)

// visible returns s masked, in at most limit bytes, without invisible characters.
func visible(s string, limit int) string {
	s = strings.ReplaceAll(text.Beginning(s, limit), "\r\n", "\n")
	var b strings.Builder
	marks := 0
	for _, r := range s {
		if marks++; !unicode.Is(unicode.M, r) {
			marks = 0
		}
		if marks > maxMarks {
			continue
		}
		shown := show(r)
		if b.Len()+len(shown) > limit-len(ellipsis) {
			return strings.TrimRight(b.String(), " ") + ellipsis
		}
		b.WriteString(shown)
	}
	return strings.TrimSpace(b.String())
}

// show returns a control character as its picture, and a character that is invisible or changes the
// direction of the text as its number. Lines and tabs stay.
func show(r rune) string {
	switch {
	case r == '\n' || r == '\t':
		return string(r)
	case r == '\r' || r == '\u2028' || r == '\u2029' || r == '\u0085':
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
