package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/config"
)

func TestFilesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	require.NoError(t, os.WriteFile(plain, []byte("provider: x"), 0o600))
	loop := filepath.Join(dir, "loop")
	require.NoError(t, os.Symlink(loop, loop))
	dangling := filepath.Join(dir, "dangling")
	require.NoError(t, os.Symlink(filepath.Join(dir, "nothing"), dangling))
	for _, c := range []struct{ path, kind, errno string }{
		{filepath.Join(dir, "nothing"), "missing", "ENOENT"},
		{dangling, "missing", "ENOENT"},
		{dir, "", "EISDIR"},
		{loop, "", "ELOOP"},
		{filepath.Join(plain, "below"), "", "ENOTDIR"},
		{os.DevNull, "", ""},
	} {
		_, err := config.Load(c.path, new(settings))
		ev := evidence(t, err)[0]
		assert.Equal(t, []string{c.kind, c.errno, c.path}, []string{ev.Type, ev.Errno, ev.Attribute("path")}, c.path)
	}
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(plain, link))
	var into settings
	_, err := config.Load(link, &into)
	require.NoError(t, err)
	assert.Equal(t, "x", into.Provider)

	_, err = config.Load(plain, &into, config.MaxBytes(5))
	assert.Equal(t, "a file of at most 5 bytes", evidence(t, err)[0].Attribute("expected"))
	_, err = config.Parse("c.yml", make([]byte, 6), &into, config.MaxBytes(5))
	assert.Equal(t, []string{"invalid | a file of at most 5 bytes"}, problems(t, err))
}

func TestNoPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	path := filepath.Join(t.TempDir(), "c.yml")
	require.NoError(t, os.WriteFile(path, nil, 0))
	_, err := config.Load(path, new(settings))
	assert.Equal(t, "EACCES", evidence(t, err)[0].Errno)
	assert.False(t, errors.Is(err, os.ErrNotExist))
}
