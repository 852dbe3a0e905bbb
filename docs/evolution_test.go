package docs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/breaking"
	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/spec"
)

// Each taxonomy of the page is compared with the first one, and must have the changes that its
// fence names; "fine" means no change.
func TestEvolution(t *testing.T) {
	var released *breaking.Taxonomy
	compared := 0
	for _, b := range blocks(read(t, "evolution.md")) {
		info, ok := strings.CutPrefix(b.info, "yaml complete ")
		if !ok {
			assert.False(t, strings.HasPrefix(b.text, "errgen:"),
				"evolution.md:%d: the block does not say what it shows", b.line)
			continue
		}
		tree, findings := spec.Parse("taxonomy.yaml", []byte(b.text))
		_, findings = check.Tree(tree, findings)
		assert.Empty(t, findings, "evolution.md:%d", b.line)
		now := breaking.New(tree)
		if info == "released" {
			released = now
			continue
		}
		require.NotNil(t, released, "evolution.md:%d", b.line)
		compared++
		got := make(map[string]bool)
		for _, c := range breaking.Compare(released, now) {
			got[c.ID] = true
		}
		want := make(map[string]bool)
		for _, id := range strings.Fields(strings.TrimPrefix(strings.TrimPrefix(info, "breaks"), "fine")) {
			want[id] = true
		}
		assert.Equal(t, want, got, "evolution.md:%d", b.line)
	}
	assert.NotZero(t, compared)
}

// Every kind of change is in the list, with whom it concerns.
func TestChangesAreListed(t *testing.T) {
	listed := make(map[string]string)
	for line := range strings.SplitSeq(read(t, "changes.md"), "\n") {
		if cells := strings.Split(line, " | "); len(cells) == 3 && strings.HasPrefix(line, "| `") {
			listed[strings.Trim(cells[0], "| `")] = cells[1]
		}
	}
	want := make(map[string]string)
	for _, id := range breaking.IDs() {
		want[id] = strings.ReplaceAll(breaking.Levels(id).String(), ",", ", ")
	}
	assert.Equal(t, want, listed)
}
