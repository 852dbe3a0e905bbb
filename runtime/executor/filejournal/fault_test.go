package filejournal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// faulty is a file on which single operations fail.
type faulty struct {
	*os.File
	write, sync, truncate error
	// takes is how many bytes a write that fails takes.
	takes int
}

func (f *faulty) WriteAt(b []byte, off int64) (int, error) {
	if f.write == nil {
		return f.File.WriteAt(b, off)
	}
	n, err := f.File.WriteAt(b[:f.takes], off)
	return n, errors.Join(err, &os.PathError{Op: "write", Path: f.Name(), Err: f.write})
}

func (f *faulty) Sync() error {
	return errors.Join(f.File.Sync(), f.sync)
}

func (f *faulty) Truncate(size int64) error {
	if f.truncate != nil {
		return f.truncate
	}
	return f.File.Truncate(size)
}

// An entry that could not be written is not there, not even half, and the next one follows what was
// there before.
func TestWritesThatFail(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault faulty
		errno string
	}{
		{"nothing is written", faulty{write: syscall.ENOSPC}, "ENOSPC"},
		{"half is written", faulty{write: syscall.ENOSPC, takes: 20}, "ENOSPC"},
		{"half is written, and stays", faulty{write: syscall.EIO, takes: 20, truncate: syscall.EIO}, "EIO"},
		{"all is written, and not synced", faulty{sync: syscall.EIO}, "EIO"},
		{"all is written, not synced, and stays", faulty{sync: syscall.EIO, truncate: syscall.EROFS}, "EIO"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			ctx := context.Background()
			entry := func(n int) executor.Entry { return executor.Entry{Point: executor.PointStarted, Iteration: n} }
			j := New(dir)
			_, err := j.Open(ctx, "r")
			require.NoError(t, err)
			require.NoError(t, j.Append(ctx, entry(1)))
			real := j.file.(*os.File)
			fault := c.fault
			fault.File, j.file = real, &fault

			for range 2 {
				ev, ok := errors.AsType[*taxonomy.Evidence](j.Append(ctx, entry(2)))
				require.True(t, ok)
				assert.Equal(t, []string{"state", "state_write", filepath.Join(dir, "r.journal")},
					[]string{ev.Source, ev.Op, ev.Attribute("path")})
				assert.NotEmpty(t, ev.Errno)
			}
			j.file = real
			require.NoError(t, j.Append(ctx, entry(3)))
			require.NoError(t, j.Close())

			entries, err := j.Open(ctx, "r")
			require.NoError(t, err)
			assert.Equal(t, []executor.Entry{entry(1), entry(3)}, entries)
			require.NoError(t, j.Close())
		})
	}
}
