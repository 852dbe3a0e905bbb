package output

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// faultyDisk fails, or ends the process, at the given call of one operation, counted from one.
type faultyDisk struct {
	disk
	op string
	at int
	do func() error

	mu    *sync.Mutex
	calls map[string]int
}

func faulty(op string, at int, do func() error) faultyDisk {
	return faultyDisk{disk: osDisk{}, op: op, at: at, do: do, mu: new(sync.Mutex), calls: map[string]int{}}
}

func (d faultyDisk) hit(op string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls[op]++
	if op == d.op && d.calls[op] == d.at {
		return d.do()
	}
	return nil
}

func (d faultyDisk) MkdirAll(dir string) (string, error) {
	if err := d.hit("mkdir"); err != nil {
		return "", err
	}
	return d.disk.MkdirAll(dir)
}

func (d faultyDisk) WriteTemp(dir, like string, content []byte) (string, error) {
	if err := d.hit("write"); err != nil {
		return "", err
	}
	return d.disk.WriteTemp(dir, like, content)
}

func (d faultyDisk) Rename(from, to string) error {
	if err := d.hit("rename"); err != nil {
		return err
	}
	return d.disk.Rename(from, to)
}

func (d faultyDisk) Remove(path string) error {
	if err := d.hit("remove"); err != nil {
		return err
	}
	return d.disk.Remove(path)
}

var (
	oldTree = tree{"a_gen.go": made("old a"), "b_gen.go": made("old b"), "gone_gen.go": made("stale"),
		"own.go": "package errs"}
	newTree = tree{"a_gen.go": made("new a"), "b_gen.go": made("new b"), "c_gen.go": made("new c")}
	endTree = tree{"a_gen.go": made("new a"), "b_gen.go": made("new b"), "c_gen.go": made("new c"),
		"own.go": "package errs"}
)

func TestWriteIsAllOrNothing(t *testing.T) {
	tests := []struct {
		op    string
		calls int // how often the operation is called when all is well
	}{{"mkdir", 1}, {"write", 3}, {"rename", 3}}
	for _, tt := range tests {
		for at := 1; at <= tt.calls; at++ {
			t.Run(fmt.Sprintf("%s %d", tt.op, at), func(t *testing.T) {
				dir := t.TempDir()
				oldTree.write(t, dir)
				p, err := NewPlan(target(dir), files(newTree))
				require.NoError(t, err)
				p.disk = faulty(tt.op, at, func() error {
					return &os.PathError{Op: tt.op, Path: dir, Err: syscall.ENOSPC}
				})
				err = p.Write(t.Context())
				require.ErrorIs(t, err, syscall.ENOSPC)
				assert.Regexp(t, `^errs(/[abc]_gen\.go)?: no space left on device( \(nothing was changed\))?$`,
					filepath.ToSlash(err.Error()))
				assert.Equal(t, oldTree, readTree(t, dir))
			})
		}
	}
}

func TestWriteLeavesNoDirectoryBehind(t *testing.T) {
	for _, op := range []string{"write", "rename"} {
		t.Run(op, func(t *testing.T) {
			parent := t.TempDir()
			p, err := NewPlan(target(filepath.Join(parent, "x", "y", "errs")), files(newTree))
			require.NoError(t, err)
			p.disk = faulty(op, 3, func() error { return syscall.ENOSPC })
			require.ErrorIs(t, p.Write(t.Context()), syscall.ENOSPC)
			assert.Empty(t, readTree(t, parent))
		})
	}
}

func TestWriteTellsWhatItCannotPutBack(t *testing.T) {
	dir := t.TempDir()
	oldTree.write(t, dir)
	p, err := NewPlan(target(dir), files(newTree))
	require.NoError(t, err)
	p.disk = brokenFrom{faulty("rename", 3, func() error { return syscall.EIO })}
	assert.EqualError(
		t, p.Write(t.Context()),
		"errs/c_gen.go: input/output error (2 files are already the new ones, each of them whole: generate again)")
}

// brokenFrom goes on failing to write once its fault has happened.
type brokenFrom struct{ faultyDisk }

func (d brokenFrom) WriteTemp(dir, like string, content []byte) (string, error) {
	d.mu.Lock()
	broken := d.calls["rename"] >= d.at
	d.mu.Unlock()
	if broken {
		return "", syscall.EIO
	}
	return d.faultyDisk.WriteTemp(dir, like, content)
}

func TestStaleFileThatCannotBeRemoved(t *testing.T) {
	dir := t.TempDir()
	oldTree.write(t, dir)
	p, err := NewPlan(target(dir), files(newTree))
	require.NoError(t, err)
	p.disk = faulty("remove", 1, func() error { return syscall.EPERM })
	assert.EqualError(t, p.Write(t.Context()), "remove stale file: errs/gone_gen.go: operation not permitted")
}

// killAt names the operation and call at which the process that runs TestKilledChild ends.
const killAt = "ERRGEN_TEST_KILL"

// TestKilledChild is the process that TestKilledHalfWay kills.
func TestKilledChild(t *testing.T) {
	op, rest, ok := strings.Cut(os.Getenv(killAt), " ")
	if !ok {
		t.Skip("runs in a process of its own")
	}
	n, dir, _ := strings.Cut(rest, " ")
	at, err := strconv.Atoi(n)
	require.NoError(t, err)
	p, err := NewPlan(target(dir), files(newTree))
	require.NoError(t, err)
	p.disk = faulty(op, at, func() error {
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		if err != nil {
			return err
		}
		select {}
	})
	require.NoError(t, p.Write(t.Context()))
}

func TestKilledHalfWay(t *testing.T) {
	for _, at := range []string{"write 1", "write 3", "rename 1", "rename 2", "rename 3", "remove 1"} {
		t.Run(at, func(t *testing.T) {
			dir := t.TempDir()
			oldTree.write(t, dir)
			err := runKilled(t, at+" "+dir)
			require.Error(t, err, "the child was to be killed")

			for name, content := range readTree(t, dir) {
				if isTemporary(name) {
					continue
				}
				assert.Contains(t, []string{oldTree[name], newTree[name]}, content, name)
			}
			p, err := NewPlan(target(dir), files(newTree))
			require.NoError(t, err)
			require.NoError(t, p.Write(t.Context()))
			assert.Equal(t, endTree, readTree(t, dir), "the next run mends")
		})
	}
}
