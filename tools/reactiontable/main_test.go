package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
)

const page = "../../docs/executor.md"

func TestPageIsUpToDate(t *testing.T) {
	var out bytes.Buffer
	assert.Zero(t, run([]string{"-check", page}, &out), out.String())
}

func TestStalePageIsMended(t *testing.T) {
	name := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, os.WriteFile(name, []byte("before\n"+begin+"old\n"+end+"after\n"), 0o600))
	var out bytes.Buffer
	assert.Equal(t, 1, run([]string{"-check", name}, &out))
	assert.Contains(t, out.String(), "stale")
	require.Zero(t, run([]string{name}, &out))
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "before\n"+begin+section(errs.Table)+end+"after\n", string(got))
	assert.Zero(t, run([]string{"-check", name}, &out))
}

func TestPageWithoutMarks(t *testing.T) {
	for _, text := range []string{"", begin, end + begin} {
		_, err := replaced([]byte(text), "x")
		assert.Error(t, err, text)
	}
}

func TestSection(t *testing.T) {
	s := section(errs.Table)
	assert.Contains(
		t, s, "| `PROVIDER_API_ERROR` | The provider's API answered with an error, or could not be reached. | yes "+
			"/ no | `backoff` / `stop_all` / `stop` |\n")
	assert.Contains(
		t, s, "| `wait` | retry | 21 calls in all, 5s apart, for 30m0s at most; waits as long as it is asked to; "+
			"everybody with the credential waits; then `block` |\n")
	assert.Contains(t, s, "| `undo_and_stop` | abort | puts the named files back |\n")
}
