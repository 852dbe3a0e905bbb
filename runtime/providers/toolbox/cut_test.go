package toolbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A long text may be cut within a secret. No part of the secret must be left.
func TestCutSecrets(t *testing.T) {
	dir := t.TempDir()
	tools, err := New(t.Context(), Options{Dir: dir})
	require.NoError(t, err)
	defer tools.Close()
	for _, secret := range []string{"https://user:GIVEN-s3cr3t-GIVEN@host/x",
		"sk-ant-api03-GIVENDEFghijkl1234567890GIVEN"} {
		for at := range len(secret) + 1 {
			begun := func(limit int) string {
				return strings.Repeat("x", limit-at-1) + " " + secret + " " + strings.Repeat("x", limit)
			}
			assert.NotContains(t, Label("run_command", []byte(`{"command": "`+begun(maxShown)+`"}`)), "GIVEN")
			require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte(begun(maxShown)), 0o600))
			found, err := tools.Call(t.Context(), "search_files", []byte(`{"regexp":"x"}`))
			require.NoError(t, err)
			assert.NotContains(t, found.Text, "GIVEN")

			c := newClip(1000)
			_, _ = c.Write(
				[]byte(begun(500) + strings.Repeat("y", 5000) + " " + secret + " " + strings.Repeat("x", 499-at)))
			assert.NotContains(t, c.String(), "GIVEN")
		}
	}
}
