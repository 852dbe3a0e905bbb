package verify_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/escalate/verify"
)

// Headings are what anybody would find in a text of nothing but a title and plain lines, and stay
// what they are when code follows.
func FuzzHeadings(f *testing.F) {
	for _, seed := range []string{"# a\n", "a\n---\n", "```\n# a\n```\n", "- ```\n  # a\n", "<!--\n# a\n-->", "> # a\n",
		"1. a\n===\n", "\t# a\n~~~", "# a # \n##\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found := verify.Headings([]byte(text))
		for _, h := range found {
			level, title, _ := strings.Cut(h, " ")
			assert.Contains(t, "123456", level)
			assert.True(t, utf8.ValidString(title))
			assert.NotContains(t, title, "\n")
		}
		assert.LessOrEqual(t, len(found), strings.Count(text, "\n")+1, "a line has one heading at most")
		for _, h := range found {
			assert.Contains(t, verify.Headings([]byte("# top\n\n"+text)), h,
				"what stands before a text changes none of its headings")
		}
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		assert.GreaterOrEqual(t, len(verify.Headings([]byte(text+"\n"))), len(found))
	})
}

// FuzzFormats has a format be decided alike twice, and JSON as the library decides it.
func FuzzFormats(f *testing.F) {
	for _, seed := range []string{"{}", "[1,2]", "a,b\n1,2", "<a><b/></a>", "\uFEFF<a/>", "\"", "<a>&b;</a>", "\xff",
		"<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range []string{"json", "csv", "xml", "utf-8"} {
			err := verify.Malformed(t.Context(), format, data)
			assert.Equal(t, err, verify.Malformed(t.Context(), format, data))
			if !utf8.Valid(data) {
				assert.ErrorContains(t, err, "is not UTF-8")
			} else if format == "json" {
				assert.Equal(t, json.Valid(data), err == nil)
			}
		}
	})
}
