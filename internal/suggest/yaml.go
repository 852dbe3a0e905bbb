package suggest

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pair is a key of a YAML mapping and its value, both as YAML has them.
type pair struct{ key, value string }

// flow writes a mapping on one line.
func flow(pairs []pair) string {
	parts := make([]string, len(pairs))
	for i, p := range pairs {
		parts[i] = p.key + ": " + p.value
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// scalar writes a text as YAML: without quotes if it is a word that no reader of YAML takes for
// anything else.
func scalar(s string) string {
	if isPlain(s) {
		return s
	}
	return quote(s)
}

// isPlain reports whether s needs no quotes: words of letters, digits, hyphens and underscores, the
// first of which begins with a letter.
func isPlain(s string) bool {
	if s == "" || !isLetter(s[0]) || s[len(s)-1] == ' ' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && (c < '0' || c > '9') && c != '_' && c != '-' && (c != ' ' || s[i-1] == ' ') {
			return false
		}
	}
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		return false
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// quote writes a text in double quotes, on one line and with everything escaped that could not be
// seen.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		b.WriteString(escaped(r))
	}
	b.WriteByte('"')
	return b.String()
}

func escaped(r rune) string {
	switch {
	case r == '"' || r == '\\':
		return `\` + string(r)
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r == utf8.RuneError, strconv.IsPrint(r) && !unicode.Is(unicode.Cf, r):
		return string(r)
	case r < 0x100:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}
