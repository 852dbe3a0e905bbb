package detect_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/detect"
)

func TestCutText(t *testing.T) {
	for _, c := range []struct {
		name, in string
		n        int
		want     string
	}{
		{"shorter", "abc", 4, "abc"},
		{"as long", "abc", 3, "abc"},
		{"the end", "abcdef", 2, "ef"},
		{"nothing", "abc", 0, ""},
		{"less than nothing", "abc", -1, ""},
		{"before a character", "aé", 2, "é"},
		{"inside of two bytes", "éa", 2, "a"},
		{"inside of three bytes", "日a", 2, "a"},
		{"inside of four bytes", "😀ab", 3, "ab"},
		{"inside of the last character", "日", 2, ""},
		{"bytes that are no UTF-8 are kept", "\xff\xfe\xfd", 2, "\xfe\xfd"},
		{"bytes that only continue", "\x80\x80\x80\x80\x80\x80", 5, "\x80\x80\x80\x80\x80"},
		{"half a character before a whole one", "\xe2\x84é", 2, "é"},
	} {
		assert.Equal(t, c.want, detect.CutText(c.in, c.n), c.name)
	}
	text := strings.Repeat("aé日😀", 9)
	for n := range len(text) {
		cut := detect.CutText(text, n)
		assert.True(t, utf8.ValidString(cut), n)
		assert.True(t, strings.HasSuffix(text, cut), n)
		assert.Less(t, n-len(cut), utf8.UTFMax, n)
	}
}
