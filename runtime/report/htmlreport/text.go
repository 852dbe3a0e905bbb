package htmlreport

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/errgen/errgen/runtime/internal/text"
)

const (
	// maxMarks is how many combining marks may stand on one letter; more would be drawn over the
	// lines around it.
	maxMarks = 4
	ellipsis = "…"
)

// line makes s one line of at most limit bytes.
func line(s string, limit int) string {
	return visible(s, limit, func(r rune) bool { return false })
}

// block makes s at most limit bytes and keeps its lines and tabs.
func block(s string, limit int) string {
	return visible(strings.ReplaceAll(text.Beginning(s, limit), "\r\n", "\n"), limit,
		func(r rune) bool { return r == '\n' || r == '\t' })
}

// visible masks secrets, shows what one could not see, and cuts. What is put in place of invisible
// characters is longer than they are, so the limit holds for the result.
func visible(s string, limit int, keep func(rune) bool) string {
	s = text.Beginning(s, limit)
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

// show is how a rune is written: control characters as their pictures, characters that change the
// direction of the text or cannot be seen by their number.
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

// isInvisible tells formatting characters, among them those that turn the direction of a text, from
// letters. The joiners of scripts and emoji are left as they are.
func isInvisible(r rune) bool {
	if r == '\u200c' || r == '\u200d' {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Noncharacter_Code_Point) || r == '\u115f' ||
		r == '\u1160' || r == '\u3164' || r == '\uffa0'
}
