package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rootModule is the module of errgen.
const rootModule = "github.com/errgen/errgen"

// TestReadme asks the question of README.md about the service on its first screen.
func TestReadme(t *testing.T) {
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		return string(text)
	}
	readme := read("README.md")
	block := func(before string) string {
		_, text, ok := strings.Cut(readme, before)
		text, _, closed := strings.Cut(text, "```\n")
		require.True(t, ok && closed, before)
		return text
	}
	dir := t.TempDir()
	_, requirements, _ := strings.Cut(read("go.mod"), "\n")
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	shop := read("docs/testdata/samples/readme/shop/shop.go")
	write("shop.go", shop)
	write("taxonomy.yaml", block("```yaml complete\n"))
	write("go.sum", read("go.sum"))
	write("go.mod", "module example.com/shop\n"+requirements+"\nrequire "+rootModule+" v0.0.0\n\n"+
		"replace "+rootModule+" => "+root+"\n")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	generate := exec.CommandContext(t.Context(), "go", "run", rootModule+"/cmd/errgen", "generate", "-o", "readme")
	generate.Dir = dir
	out, err := generate.CombinedOutput()
	require.NoError(t, err, string(out))

	status, codes, stderr := run(t, "codes", "-C", dir, "./...")
	require.Equal(t, exitClean, status, stderr)
	assert.Equal(t, block("$ go tool errgenvet codes ./...\n"), codes)

	const condition = "s.item(r.Context(), r.PathValue(\"id\"))\n\tif "
	require.Contains(t, shop, condition+"err != nil")
	write("shop.go", strings.Replace(shop, condition+"err != nil", condition+"errors.Is(err, errs.CodeInternal)", 1))
	status, findings, stderr := run(t, "-C", dir, "./...")
	require.Equal(t, exitFindings, status, stderr)
	finding, _, _ := strings.Cut(findings, "\n")
	assert.Equal(t, block("$ go tool errgenvet ./...\n"), finding+"\n")
}
