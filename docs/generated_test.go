package docs

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Every block below a line that names its file must be in that file literally. A line with only …
// means omitted lines.
func TestExcerpts(t *testing.T) {
	excerpts := 0
	for _, b := range blocks(read(t, "generated.md")) {
		file, ok := strings.CutPrefix(b.lead, "<!-- from ")
		if !ok {
			t.Errorf("generated.md:%d: the block does not say where it is from", b.line)
			continue
		}
		excerpts++
		file = strings.TrimSuffix(file, " -->")
		source := read(t, filepath.Join("..", file))
		for part := range strings.SplitSeq(b.text, "…\n") {
			assert.True(t, strings.Contains(source, part), "generated.md:%d: not in %s:\n%s", b.line, file, part)
		}
	}
	assert.NotZero(t, excerpts)
}
