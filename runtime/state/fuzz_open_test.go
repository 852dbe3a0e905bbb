package state

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzOpen opens a state in which arbitrary bytes stand somewhere, in the database or in the log
// beside it, or are all of it. What is refused is not changed, and what is opened can be asked, or
// says why not.
func FuzzOpen(f *testing.F) {
	whole, log := bytesOf(f)
	for _, at := range []uint32{0, 16, 18, 40, 60, 68, 100, 4096, 4100, 9000} {
		f.Add(at, []byte("\x00\xff\x07"), false)
		f.Add(at, []byte("\x00\xff\x07"), true)
	}
	f.Add(uint32(math.MaxUint32), []byte("SQLite format 3\x00"), false)
	f.Add(uint32(math.MaxUint32), []byte("text"), false)
	f.Add(uint32(math.MaxUint32), []byte(nil), true)

	f.Fuzz(func(t *testing.T, at uint32, patch []byte, inLog bool) {
		database, log := whole, log
		if inLog {
			log = patched(log, at, patch)
		} else {
			database = patched(whole, at, patch)
		}
		path := filepath.Join(t.TempDir(), "state.db")
		require.NoError(t, os.WriteFile(path, database, 0o600))
		if inLog {
			require.NoError(t, os.WriteFile(path+"-wal", log, 0o600))
		}
		s, err := openWith(t.Context(), path, Options{}, steps, hasty)
		if err != nil {
			evidenceOf(t, err)
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.True(t, string(database) == string(after), "it was refused, and changed")
			return
		}
		for _, err := range []error{
			noted(t.Context(), s, "new", "v"),
			s.query(t.Context(), "read", "SELECT key, value FROM executor_meta", nil, func(row) error { return nil }),
			s.Close(),
		} {
			if err != nil {
				evidenceOf(t, err)
			}
		}
	})
}

// bytesOf returns a state and the log that is beside it while it is open.
func bytesOf(f *testing.F) (database, log []byte) {
	path := filepath.Join(f.TempDir(), "state.db")
	s, err := Open(f.Context(), path, Options{})
	require.NoError(f, err)
	require.NoError(f, noted(f.Context(), s, "k", "v"))
	log, err = os.ReadFile(path + "-wal")
	require.NoError(f, err)
	require.NoError(f, s.Close())
	database, err = os.ReadFile(path)
	require.NoError(f, err)
	return database, log
}

// patched returns b with a patch somewhere in it; beyond all of it, the patch alone.
func patched(b []byte, at uint32, patch []byte) []byte {
	if at == math.MaxUint32 {
		return patch
	}
	b = slices.Clone(b)
	copy(b[int(at)%len(b):], patch)
	return b
}
