//go:build unix

package filejournal_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filejournal"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// child is the variable that has the test binary be a process which writes a journal; it holds what
// to do.
const child = "FILEJOURNAL_CHILD"

func TestMain(m *testing.M) {
	if how := os.Getenv(child); how != "" {
		if err := writeOn(how, os.Args[1]); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// writeOn goes on with run r in dir, and says the number of each entry when it is written.
func writeOn(how, dir string) error {
	j := filejournal.New(dir)
	ctx := context.Background()
	entries, err := j.Open(ctx, "r")
	if err != nil {
		return err
	}
	if how == "hold" {
		fmt.Println("held")
		_, err := os.Stdin.Read(make([]byte, 1))
		return err
	}
	if how == "limit" {
		signal.Ignore(syscall.SIGXFSZ)
		limit := syscall.Rlimit{Cur: 4 << 10, Max: 4 << 10}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
	}
	for n := len(entries) + 1; ; n++ {
		e := executor.Entry{Point: executor.PointAnswered, Iteration: n,
			Answered: &executor.Answered{Text: strings.Repeat("x", 100*(n%50))}}
		if err := j.Append(ctx, e); err != nil {
			ev, _ := errors.AsType[*taxonomy.Evidence](err)
			fmt.Println("failed", ev.Source, ev.Op, ev.Errno, taxonomy.CodeOf(errs.Classify(err)))
			return j.Close()
		}
		fmt.Println(n)
	}
}

func start(t *testing.T, how, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], dir)
	cmd.Env = append(os.Environ(), child+"="+how)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	_, err = cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, bufio.NewScanner(out)
}

func TestAnotherProcessHoldsTheRun(t *testing.T) {
	dir := t.TempDir()
	cmd, out := start(t, "hold", dir)
	require.True(t, out.Scan())
	require.Equal(t, "held", out.Text())
	_, err := filejournal.New(dir).Open(context.Background(), "r")
	ev := evidence(t, err)
	assert.Equal(t, []string{"executor", "lock", strconv.Itoa(cmd.Process.Pid)},
		[]string{ev.Source, ev.Op, ev.Attribute("pid")})
	assert.Contains(t, ev.Text, "run r is held by process "+strconv.Itoa(cmd.Process.Pid))

	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	_, entries := open(t, dir, "r")
	assert.Empty(t, entries, "the dead hold nothing")
}

// A file that may not grow is like a full disk: of the entry that does not fit nothing is there.
func TestNoRoom(t *testing.T) {
	dir := t.TempDir()
	_, out := start(t, "limit", dir)
	written, last := 0, ""
	for out.Scan() {
		if n, err := strconv.Atoi(out.Text()); err == nil {
			written = n
		}
		last = out.Text()
	}
	assert.Equal(t, "failed state state_write EFBIG PERMISSION_FILE_ACCESS", last)
	content, err := os.ReadFile(filepath.Join(dir, "r.journal"))
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(string(content), "}\n"), "no half entry")
	_, entries := open(t, dir, "r")
	assert.Len(t, entries, written)
}
