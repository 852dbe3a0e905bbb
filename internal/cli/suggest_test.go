package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSuggestThatCannotReadOrWrite(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "r"), []byte("{\"text\":\"went wrong\"}\n"), 0o644))
	for _, args := range [][]string{{"suggest", "r"}, {"suggest", "-format", "json", "r"}} {
		var stderr bytes.Buffer
		assert.Equal(t, exitTrouble, Run(t.Context(), args, Env{Stdout: brokenPipe{}, Stderr: &stderr, Dir: dir}))
		assert.Equal(t, "errgen: write result: broken\n", stderr.String())
	}
	var stderr bytes.Buffer
	assert.Equal(
		t, exitTrouble, Run(t.Context(), []string{"suggest", "-"}, Env{Stdin: brokenPipe{}, Stderr: &stderr, Dir: dir}))
	assert.Equal(t, "errgen: read record: <stdin>: broken\n", stderr.String())
}

// Only the first of many bad lines are told one by one.
func TestSuggestOfGarbage(t *testing.T) {
	status, stdout,
		stderr := call(t, t.TempDir(), strings.Repeat("\x1b[31m\xff\n", 1000)+`{"text":"it went wrong"}`, "suggest",
		"-")
	assert.Equal(t, exitClean, status)
	assert.Contains(t, stdout, "IT_WENT_WRONG:")
	assert.Equal(t, 11, strings.Count(stderr, "\n"))
	assert.True(t, strings.HasSuffix(stderr, "errgen: <stdin>: 990 more lines cannot be read either\n"), stderr)
	assert.True(t, harmless(stderr), stderr)
}
