package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// TestDamagedLog refuses a state whose write-ahead log SQLite would ignore in part. What a killed
// process leaves is opened.
func TestDamagedLog(t *testing.T) {
	from := filepath.Join(t.TempDir(), "state.db")
	s := opened(t, from)
	for _, task := range []string{"A", "B", "C"} {
		require.NoError(t, s.MarkRunning(t.Context(), task))
	}
	file, log := []byte(content(t, from)), []byte(content(t, from+"-wal"))
	require.Equal(t, -1, int(damagedAt(log)))
	size := walFrame + int(binary.BigEndian.Uint32(log[8:]))
	frames := (len(log) - walHeader) / size
	require.Greater(t, frames, 3)
	last := walHeader + (frames-1)*size
	flipped := func(at int) []byte {
		b := bytes.Clone(log)
		b[at] ^= 1
		return b
	}
	garbage := append(bytes.Clone(log), bytes.Repeat([]byte{7}, 2*size)...)
	for name, c := range map[string]struct {
		log     []byte
		damaged bool
	}{
		"whole":                          {log, false},
		"without its last transaction":   {log[:last], false},
		"with half of a frame":           {log[:last+size/2], false},
		"with an older frame at its end": {garbage, false},
		"header":                         {flipped(5), true},
		"salt":                           {flipped(17), true},
		"first frame":                    {flipped(walHeader + 100), true},
		"salt of the first frame":        {flipped(walHeader + 9), true},
		"last frame":                     {flipped(last + 200), true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			require.NoError(t, os.WriteFile(path, file, 0o600))
			require.NoError(t, os.WriteFile(path+"-wal", c.log, 0o600))
			for _, readOnly := range []bool{true, false} {
				s, err := Open(t.Context(), path, Options{ReadOnly: readOnly})
				if !c.damaged {
					require.NoError(t, err)
					require.NoError(t, s.Close())
					continue
				}
				ev, ok := errors.AsType[*taxonomy.Evidence](err)
				require.True(t, ok)
				assert.Equal(t, "resume refused corrupt", ev.Op+" "+ev.Type+" "+ev.Attribute("reason"))
				assert.ErrorContains(t, err, "move the log away")
				assert.Equal(t, c.log, []byte(content(t, path+"-wal")), "nothing is changed")
			}
		})
	}
}
