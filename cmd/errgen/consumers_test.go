package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A change of the shop's taxonomy names the place in its client that handles the code.
func TestConsumersOfShop(t *testing.T) {
	if testing.Short() {
		t.Skip("builds errgenvet")
	}
	const shop = "../../examples/shop"
	dir := t.TempDir()
	uses := exec.CommandContext(t.Context(), "go", "run", "../../vet/cmd/errgenvet", "uses", "-C", shop, "./...")
	uses.Stderr = os.Stderr
	text, err := uses.Output()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "shop.json"), text, 0o600))
	released, err := filepath.Abs(filepath.Join(shop, "taxonomy.yaml"))
	require.NoError(t, err)
	b, err := os.ReadFile(released)
	require.NoError(t, err)
	for old, want := range map[string]string{
		"ORDER_EXISTS": `handles it at service\.go:\d+ \(reaction\), client/client\.go:\d+ \(code\)`,
		"ORDER_CLOSED": `handles it at client/placeorder/main\.go:\d+ \(reaction\)`,
	} {
		changed := bytes.ReplaceAll(b, []byte(old), []byte(old+"_NOW"))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "taxonomy.yaml"), changed, 0o600))
		cmd := exec.CommandContext(t.Context(),
			"errgen", "breaking", "-v", "-against", released, "-consumers", "*.json")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.Error(t, err, "the change is breaking")
		assert.Regexp(t, "renamed to .*; (shop.*)?"+want, string(out))
	}
}
