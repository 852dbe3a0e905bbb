//go:build unix

package main

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is no file is refused, and not waited for.
func TestTasksThatAreNoFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "tasks.md")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, path := range []string{pipe, "/dev/null", t.TempDir()} {
		_, err := readTasks(path)
		assert.ErrorContains(t, err, path+" is no regular file")
	}
}
