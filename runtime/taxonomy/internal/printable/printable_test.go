package printable_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy/internal/printable"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"plain text, longer than a block", "plain text, longer than a block"},
		{"two\nlines\tand\r\nWindows'", "two\nlines\tand\r\nWindows'"},
		{"over\rwritten\r", `over\rwritten\r`},
		{"\x1b[31mred\x1b[0m \x1b[1;38:5:9mbright\x1b[m", "red bright"},
		{"\x1b[2J\x1b[31\x1b[\x1b]0;title\a\x1b[31", `\x1b[2J\x1b[31\x1b[\x1b]0;title\x07\x1b[31`},
		{"\x1b[" + strings.Repeat("1;", 20) + "m", `\x1b[` + strings.Repeat("1;", 20) + "m"},
		{"\x00\a\b\v\f\x7f", `\x00\x07\x08\x0b\x0c\x7f`},
		{"c1 \u009b31m \u0080\u009f \u00a0é", `c1 \u009b31m \u0080\u009f` + " \u00a0é"},
		{"\u202eevil\u202c \u202a \u2066x\u2069", `\u202eevil\u202c \u202a \u2066x\u2069`},
		{"“quoted” – … \u2028 \u2065 \u206a", "“quoted” – … \u2028 \u2065 \u206a"},
		{"broken \xc2", "broken \xc2"},
		{"broken \xe2\x80", "broken \xe2\x80"},
		{strings.Repeat("x", 100) + "\x1b", strings.Repeat("x", 100) + `\x1b`},
	} {
		got := printable.Text(c.in)
		assert.Equal(t, c.want, got)
		assert.Equal(t, got, printable.Text(got), "again")
		assert.Equal(t, "\x1b"+c.want, string(printable.Tail([]byte("\x1b"+c.in), 1)))
	}
}

func FuzzText(f *testing.F) {
	f.Add("\x1b[31m\u202e\r\n\u009b")
	f.Fuzz(func(t *testing.T, s string) {
		got := printable.Text(s)
		if strings.ContainsAny(got, "\x00\x07\x08\x0b\x0c\x1b\x7f\u009b\u202e\u2066") {
			t.Fatalf("%q: %q", s, got)
		}
		if printable.Text(got) != got || utf8.ValidString(s) != utf8.ValidString(got) {
			t.Fatalf("%q: %q", s, got)
		}
	})
}
