package sample

import (
	"strings"

	"github.com/errgen/errgen/internal/model"
)

// secrets are texts of which every scrubber masks something.
var secrets = []string{
	"Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789",
	"password=correct-horse-battery-staple",
	"https://user:correct-horse@example.org/",
}

// Long returns a text that f cuts.
func Long(f *model.Field) string {
	return "first " + strings.Repeat("x", f.MaxLength) + " last"
}

// Secret returns a text in which f masks something.
func Secret(f *model.Field) (string, bool) {
	for _, s := range secrets {
		if s != f.Clean(s) {
			return s, true
		}
	}
	return "", false
}

// TwoLines returns a text of which a message shows the first line only.
func TwoLines(f *model.Field) string { return "some " + f.Wire + "\nsecond line" }
