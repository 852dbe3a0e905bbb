package state

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A file that comes into being, or goes, while it is located is no link to nothing.
func TestLocateWhileFilesComeAndGo(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, tt := range []struct {
		name   string
		misses int // how often the file comes just after it was looked for
		link   bool
		want   error
	}{
		{"not there", 0, false, nil},
		{"comes once", 1, false, nil},
		{"comes and goes", 5, false, nil},
		{"always", 1000, false, errRestless},
		{"a link to nothing", 0, true, errDangling},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(dir, tt.name)
			if tt.link {
				require.NoError(t, os.Symlink(filepath.Join(dir, "nothing"), path))
			}
			looks := 0
			got, err := locateBy(path, func(p string) (string, error) {
				if p != path {
					return filepath.EvalSymlinks(p)
				}
				if looks++; looks > tt.misses {
					return filepath.EvalSymlinks(p)
				}
				require.NoError(t, os.WriteFile(p, nil, 0o600))
				return "", &fs.PathError{Op: "lstat", Path: p, Err: fs.ErrNotExist}
			})
			assert.Equal(t, path, got)
			assert.ErrorIs(t, err, tt.want)
			assert.LessOrEqual(t, looks, 10)
		})
	}
}
