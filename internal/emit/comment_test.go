package emit

import (
	"go/build/constraint"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCommentLines(t *testing.T) {
	tests := []struct {
		name string
		in   []string
		want string
	}{
		{"nothing", nil, ""},
		{"empty paragraphs are left out", []string{"", " \n ", "a"}, "// a"},
		{"white space collapses", []string{"  a\tb \r\n c  "}, "// a b c"},
		{"blank lines part paragraphs", []string{"a\nb\n\n\nc", "d"}, "// a b\n//\n// c\n//\n// d"},
		{"long text wraps", []string{strings.Repeat("word ", 40)},
			"// " + strings.TrimSpace(strings.Repeat("word ", 19)) + "\n// " +
				strings.TrimSpace(strings.Repeat("word ", 19)) + "\n// word word"},
		{"a word longer than a line stands alone", []string{"a " + strings.Repeat("x", 200) + " b"},
			"// a\n// " + strings.Repeat("x", 200) + "\n// b"},
		{"width counts characters", []string{strings.Repeat("ä", 47) + " " + strings.Repeat("ö", 46)},
			"// " + strings.Repeat("ä", 47) + " " + strings.Repeat("ö", 46)},
		{"the end of a comment", []string{"*/ func init() {}"}, "// */ func init() {}"},
		{"directives", []string{"//go:build ignore\n\n//line x:1"}, "// //go:build ignore\n//\n// //line x:1"},
		{"old build constraints", []string{"+build a\n\n+build b"}, "// '+build' a\n//\n// '+build' b"},
		{"deprecation in passing", []string{"X: y.\n\nDeprecated: z."}, "// X: y.\n//\n// 'Deprecated:' z."},
		{"deprecation meant", []string{"X", "Deprecated: z."}, "// X\n//\n// Deprecated: z."},
		{"line separators", []string{"a\u2028b\u2029c\u0085d\vd"}, "// a b c d d"},
		{"control characters", []string{"a\x00b\x1b[31mc\x7f"}, "// a b [31mc"},
		{"marks of direction", []string{"a\u202eb\u2066c\ufeffd"}, "// a b c d"},
		{"joiners stay", []string{"می\u200cخواهم"}, "// می\u200cخواهم"},
		{"broken UTF-8", []string{"a\xffb"}, "// a\uFFFDb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := commentLines(tt.in...)
			assert.Equal(t, tt.want, strings.Join(got, "\n"))
			for _, line := range got {
				assert.True(t, line == "//" || strings.HasPrefix(line, "// "), "%q is no directive", line)
				assert.False(t, constraint.IsPlusBuild(line), "%q is no constraint", line)
			}
		})
	}
}

func TestOneLine(t *testing.T) {
	assert.Equal(t, "a.yaml b", oneLine("a.yaml\n\u2028b\x00"))
}

func TestPhrases(t *testing.T) {
	for _, tt := range []struct{ doc, want string }{
		{"", "X is x."},
		{"The provider failed.", "X: The provider failed."},
		{"the provider failed", "X: the provider failed."},
		{"Really?", "X: Really?"},
		{`It says "no"`, `X: It says "no".`},
		{"Ünïcode", "X: Ünïcode."},
	} {
		assert.Equal(t, tt.want, about("X", tt.doc, " is x."))
	}
}
