package workspace

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainInShell are the letters that mean themselves in every place of a word of a shell but the
// first.
const plainInShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./@%"

// shellWord returns a text as one word of a POSIX shell, in letters that can be printed.
func shellWord(s string) string {
	if s != "" && strings.Trim(s, plainInShell) == "" {
		return s
	}
	if utf8.ValidString(s) && strings.IndexFunc(s, func(c rune) bool { return !unicode.IsPrint(c) }) < 0 {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	for _, c := range []byte(s) {
		if c != '%' && strings.IndexByte(plainInShell, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	return `"$(printf '` + b.String() + `')"`
}
