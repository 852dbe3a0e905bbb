package predict

import (
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// longestName bounds the names of providers and codes that are kept, in bytes.
const longestName = 128

// name returns s as it is kept: masked, one line of text, and bounded.
func name(s string) string {
	s = s[:min(len(s), 4*longestName)]
	s = strings.ToValidUTF8(taxonomy.Scrub(s), "�")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	if len(s) <= longestName {
		return s
	}
	end := longestName
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}
