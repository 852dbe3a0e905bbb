package diag_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

func TestFromRoot(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "services", "shop")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	name := func(name string) string {
		return diag.FromRoot(dir, diag.FileFindings{Source: diag.NewSource(name, nil)})[0].Source.Name
	}
	t.Setenv("GITHUB_WORKSPACE", "")
	assert.Equal(t, "taxonomy.yaml", name("taxonomy.yaml"), "no repository")
	t.Setenv("GITHUB_WORKSPACE", filepath.Join(root, "services"))
	assert.Equal(t, "shop/taxonomy.yaml", name("taxonomy.yaml"), "a download")
	require.NoError(t, os.Mkdir(filepath.Join(root, ".git"), 0o755))
	for given, want := range map[string]string{
		"taxonomy.yaml":                 "services/shop/taxonomy.yaml",
		"../errs/taxonomy.yaml":         "services/errs/taxonomy.yaml",
		filepath.Join(root, "all.yaml"): "all.yaml",
		"../../../outside.yaml":         "../../../outside.yaml",
		"-":                             "-",
	} {
		assert.Equal(t, want, name(given))
	}
}
