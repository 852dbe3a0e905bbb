package diag_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/diag"
)

// A column counts characters, in short and in long lines, in any order.
func TestFrom(t *testing.T) {
	lines := []string{"short é", strings.Repeat("aé𝄞", 1000), strings.Repeat("b", 700), ""}
	s := diag.NewSource("taxonomy.yaml", []byte(strings.Join(lines, "\n")))
	for _, col := range []int{1, 2, 256, 257, 258, 3000, 3001, 9999, 512, 7, 700, 701} {
		for i, line := range lines {
			chars := []rune(line)
			assert.Equal(t, string(chars[min(col-1, len(chars)):]), s.From(i+1, col), "%d:%d", i+1, col)
		}
	}
}
