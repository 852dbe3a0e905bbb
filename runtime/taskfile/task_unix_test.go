//go:build unix

package taskfile_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/taskfile"
)

func TestReadPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "task.md")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	_, err := taskfile.Read(path)
	assert.ErrorIs(t, errs.Classify(err), errs.CodeConfigInvalid)
	assert.Equal(t, path, evidenceOf(t, err).Attribute("path"))
}
