//go:build unix

package toolbox_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/providers/toolbox"
)

// A pipe without a writer would block its reader.
func TestPipesAreNotOpened(t *testing.T) {
	dir, _ := tree(t, nil)
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	tools := open(t, dir)
	refused := toolbox.Result{Text: "pipe: not a regular file", IsError: true}
	assert.Equal(t, refused, use(t, tools, "read_file", "path", "pipe"))
	assert.Equal(t, refused, use(t, tools, "write_file", "path", "pipe", "content", "x"))
	assert.Equal(t, refused, use(t, tools, "edit_file", "path", "pipe", "old", "x", "new", "y"))
	assert.Equal(t, "nothing matches", use(t, tools, "search_files", "regexp", "x").Text)
	assert.Equal(t, "pipe", use(t, tools, "list_files").Text)
}
