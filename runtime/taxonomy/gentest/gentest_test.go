package gentest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMessagePattern(t *testing.T) {
	for _, tt := range []struct {
		template, message string
		want              bool
	}{
		{"failed", "failed", true},
		{"failed", "failed.", false},
		{"{a} failed", "x failed", true},
		{"{a} failed", " failed", true},
		{"{a} failed", "x fails", false},
		{"failed[ with {status:count} of {b}][: {cause}]", "failed", true},
		{"failed[ with {status:count} of {b}][: {cause}]", "failed with 1 of 2: line\nline", true},
		{"failed[ with {status:count} of {b}][: {cause}]", "failed: line", true},
		{"failed[ with {status:count} of {b}]", "failed with 1", false},
		{"a.c", "abc", false},
		{"[[{a}]] {{b}}", "[x] {b}", true},
		{"[[{a}]] {{b}}", "x {b}", false},
	} {
		assert.Equal(t, tt.want, messagePattern(tt.template).MatchString(tt.message), "%s: %s", tt.template, tt.message)
	}
}
