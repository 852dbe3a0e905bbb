package state

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const fileAccess = "PERMISSION_FILE_ACCESS"

// systemChildren are children that need this system.
var systemChildren = map[string]func([]string) error{"limit": limitedChild, "open": openingChild}

// mounted returns a directory with a file system of its own, of so many bytes.
func mounted(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	mountedWith(t, dir, "size="+size)
	return dir
}

func mountedWith(t *testing.T, dir, options string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("no file system can be mounted here: %s", err)
	}
	t.Cleanup(func() {
		flags := 0
		if t.Failed() { // a test that was cut short has left files open
			flags = syscall.MNT_DETACH
		}
		assert.NoError(t, syscall.Unmount(dir, flags))
	})
}

func TestFullDisk(t *testing.T) {
	dir := mounted(t, "1m")
	ballast := filepath.Join(dir, "ballast")
	require.NoError(t, os.WriteFile(ballast, make([]byte, 256<<10), 0o600))
	s, err := Open(t.Context(), filepath.Join(dir, "state.db"), Options{})
	require.NoError(t, err)
	value := strings.Repeat("x", 9000)
	written := 0
	for err = nil; err == nil && written < 1000; {
		if err = noted(t.Context(), s, strconv.Itoa(written), value); err == nil {
			written++
		}
	}
	ev := evidenceOf(t, err)
	assert.Equal(t, []string{"state", "state_write", "ENOSPC", s.Path()},
		[]string{ev.Source, ev.Op, ev.Errno, ev.Attribute("path")})
	assert.Equal(t, fileAccess, taxonomy.CodeOf(errs.Classify(err)))
	assert.Len(t, notes(t, s), written)
	require.Error(t, noted(t.Context(), s, "again", value))

	require.NoError(t, os.Remove(ballast))
	require.NoError(t, noted(t.Context(), s, "room", value))
	require.NoError(t, s.Close())
	s, err = Open(t.Context(), s.Path(), Options{})
	require.NoError(t, err)
	assert.Len(t, notes(t, s), written+1)
	sound(t, s)
	require.NoError(t, s.Close())
}

func TestNoRoomToBegin(t *testing.T) {
	dir := mounted(t, "64k")
	path := filepath.Join(dir, "state.db")
	_, err := Open(t.Context(), path, Options{})
	ev := evidenceOf(t, err)
	assert.Equal(t, []string{"executor", "prepare", "ENOSPC", path},
		[]string{ev.Source, ev.Op, ev.Errno, ev.Attribute("path")})
	assert.Equal(t, map[string]string{"state.db.locks": "d---------"}, filesIn(t, dir), "nothing is left of it")
}

func TestReadOnlyFileSystem(t *testing.T) {
	dir := mounted(t, "4m")
	path := filepath.Join(dir, "state.db")
	s, err := Open(t.Context(), path, Options{})
	require.NoError(t, err)
	require.NoError(t, noted(t.Context(), s, "k", "v"))
	require.NoError(t, s.Close())
	require.NoError(t, syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	before := filesIn(t, dir)

	_, err = Open(t.Context(), path, Options{})
	ev := evidenceOf(t, err)
	assert.Equal(t, []string{"executor", "prepare", "EROFS", path},
		[]string{ev.Source, ev.Op, ev.Errno, ev.Attribute("path")})
	assert.Equal(t, fileAccess, taxonomy.CodeOf(errs.Classify(err)))
	_, err = Open(t.Context(), filepath.Join(dir, "new.db"), Options{})
	assert.Equal(t, "EROFS", evidenceOf(t, err).Errno)

	s, err = Open(t.Context(), path, Options{ReadOnly: true})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"k": "v"}, notes(t, s))
	require.NoError(t, s.Close())
	assert.Equal(t, before, filesIn(t, dir))
}

// limitedChild writes until a write fails for another reason than that the disk is full, and then
// with room again.
func limitedChild(args []string) error {
	ctx := context.Background()
	s, err := Open(ctx, args[0], Options{})
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	limited := limit
	limited.Cur = 200 << 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limited); err != nil {
		return err
	}
	n := 0
	for ; ; n++ {
		if err = noted(ctx, s, strconv.Itoa(n), strings.Repeat("x", 9000)); err != nil {
			break
		}
	}
	ev, _ := errors.AsType[*taxonomy.Evidence](err)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	after := noted(ctx, s, "after", "")
	fmt.Println(n, ev.Source, ev.Op, ev.Errno, after)
	return s.Close()
}

func TestWriteErrorInCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	out, err := childCommand(t, "limit", path).Output()
	require.NoError(t, err, string(out))
	var written int
	var rest string
	_, err = fmt.Sscan(string(out), &written, &rest)
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprintf("%d state state_write EIO <nil>\n", written), string(out))
	s := opened(t, path, Options{})
	there := notes(t, s)
	assert.Len(t, there, written+1)
	assert.Contains(t, there, "after")
	sound(t, s)
}

// openingChild opens a file as somebody who may do little, and says what came of it.
func openingChild(args []string) error {
	for _, o := range []Options{{}, {ReadOnly: true}} {
		s, err := Open(context.Background(), args[0], o)
		if err != nil {
			ev, _ := errors.AsType[*taxonomy.Evidence](err)
			fmt.Println(ev.Source, ev.Op, ev.Errno, taxonomy.CodeOf(errs.Classify(err)))
			continue
		}
		n := 0
		err = s.query(context.Background(), "count", "SELECT count(*) FROM executor_meta", nil,
			func(r row) error { return r.Scan(&n) })
		fmt.Println("opened", n, err)
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}

func TestForbiddenFile(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	refused := "executor prepare EACCES " + fileAccess + "\n"
	for _, test := range []struct {
		name      string
		dir, file os.FileMode
		live      bool // somebody writes it
		want      string
	}{
		{"all", 0o777, 0o666, false, "opened 1 <nil>\nopened 1 <nil>\n"},
		{"file to read", 0o777, 0o444, false, refused + "opened 1 <nil>\n"},
		{"directory to read", 0o755, 0o666, false, refused + "opened 1 <nil>\n"},
		{"directory to read, while it is written", 0o755, 0o666, true, refused + "opened 1 <nil>\n"},
		{"all to read, while it is written", 0o755, 0o444, true, refused + "opened 1 <nil>\n"},
		{"no file", 0o777, 0o600, false, refused + refused},
		{"no directory", 0o700, 0o666, false, refused + refused},
	} {
		t.Run(test.name, func(t *testing.T) {
			top, err := os.MkdirTemp("", "forbidden") // which others can enter, unlike t.TempDir
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, os.RemoveAll(top)) })
			require.NoError(t, os.Chmod(top, 0o755))
			dir := filepath.Join(top, "d")
			path := filepath.Join(dir, "state.db")
			s, err := Open(t.Context(), path, Options{})
			require.NoError(t, err)
			require.NoError(t, noted(t.Context(), s, "k", "v"))
			defer func() { require.NoError(t, s.Close()) }()
			if !test.live {
				require.NoError(t, s.Close())
			}
			binary := filepath.Join(top, "test")
			b, err := os.ReadFile(os.Args[0])
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(binary, b, 0o755))
			for _, suffix := range []string{"", "-wal", "-shm"} {
				if suffix == "" || test.live {
					require.NoError(t, os.Chmod(path+suffix, test.file))
				}
			}
			require.NoError(t, os.Chmod(dir, test.dir))

			cmd := childCommand(t, "open", path)
			cmd.Path = binary
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))
			assert.Equal(t, test.want, string(out))
		})
	}
}
