package claudecli

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxProgress bounds in bytes what is said about progress.
const maxProgress = 200

// progress says in a line what a part of a message is about; "" for what nobody needs to know.
func (b *block) progress() string {
	switch b.Type {
	case "text":
		return line(b.Text)
	case "tool_use":
		return line(b.Name + " " + cmp.Or(b.Input.FilePath, b.Input.Command, b.Input.Pattern))
	}
	return ""
}

// line returns the beginning of a text as one line that a terminal can show.
func line(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxProgress {
		cut := maxProgress
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf) {
			return ' '
		}
		return r
	}, s)
}
