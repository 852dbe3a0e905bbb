package filelock_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/internal/filelock"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func take(t *testing.T, dir, name string) *filelock.Named {
	t.Helper()
	h, err := filelock.Take(t.Context(), dir, name, "run "+name, "", 0)
	require.NoError(t, err)
	return h
}

// refused returns the evidence that something is held.
func refused(t *testing.T, err error) *taxonomy.Evidence {
	t.Helper()
	ev, ok := errors.AsType[*taxonomy.Evidence](err)
	require.True(t, ok, "%v", err)
	return ev
}

// note writes a holder's note for r.
func note(t *testing.T, dir string, fields map[string]any) {
	t.Helper()
	b, err := json.Marshal(fields)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "r.holder"), b, 0o600))
}

// aDeadProcess returns what would be noted of a process that has ended.
func aDeadProcess(t *testing.T) map[string]any {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	require.NoError(t, cmd.Run())
	host, err := os.Hostname()
	require.NoError(t, err)
	return map[string]any{"pid": cmd.Process.Pid, "start": "another", "host": host, "since": time.Now()}
}

func TestOneAtATime(t *testing.T) {
	dir := t.TempDir()
	first := take(t, dir, "r")
	_, err := filelock.Take(t.Context(), dir, "r", "run r", "", time.Hour)
	ev := refused(t, err)
	host, hostErr := os.Hostname()
	require.NoError(t, hostErr)
	assert.Equal(t, []string{"executor", "lock", "", filelock.Path(dir, "r"), strconv.Itoa(os.Getpid()), host},
		[]string{ev.Source, ev.Op, ev.Type, ev.Attribute("path"), ev.Attribute("pid"), ev.Attribute("host")})
	assert.Equal(t, fmt.Sprintf("run r is held by process %d on %s since %s", os.Getpid(), host, ev.Attribute("since")),
		ev.Text)
	since, err := time.Parse(time.RFC3339, ev.Attribute("since"))
	require.NoError(t, err)
	assert.Equal(t, time.UTC, since.Location())

	other := take(t, dir, "s")
	require.NoError(t, other.Release())
	require.NoError(t, first.Release())
	again := take(t, dir, "r")
	require.NoError(t, again.Release())
}

func TestOneOfMany(t *testing.T) {
	dir := t.TempDir()
	var mu sync.Mutex
	var holds []*filelock.Named
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			h, err := filelock.Take(t.Context(), dir, "r", "run r", "", time.Hour)
			if err != nil {
				_, ok := errors.AsType[*taxonomy.Evidence](err)
				assert.True(t, ok, "%v", err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			holds = append(holds, h)
		})
	}
	wg.Wait()
	require.Len(t, holds, 1)
	require.NoError(t, holds[0].Release())
}

func TestTaken(t *testing.T) {
	dir := t.TempDir()
	for _, missing := range []string{dir, filepath.Join(dir, "none")} {
		_, taken, err := filelock.Taken(missing, "r")
		require.NoError(t, err)
		assert.False(t, taken)
	}
	_, err := os.Stat(filelock.Path(dir, "r"))
	require.ErrorIs(t, err, os.ErrNotExist, "asking leaves nothing")

	h := take(t, dir, "r")
	for range 2 {
		who, taken, err := filelock.Taken(dir, "r")
		require.NoError(t, err)
		assert.True(t, taken)
		assert.Equal(t, os.Getpid(), who.PID)
		assert.False(t, who.Dead())
	}
	require.NoError(t, h.Release())
	_, taken, err := filelock.Taken(dir, "r")
	require.NoError(t, err)
	assert.False(t, taken)

	require.NoError(t, os.Remove(filelock.Path(dir, "r")))
	require.NoError(t, os.Mkdir(filelock.Path(dir, "r"), 0o700), "a lock that cannot be tried")
	host, err := os.Hostname()
	require.NoError(t, err)
	note(t, dir, map[string]any{"pid": os.Getpid(), "host": host})
	_, taken, err = filelock.Taken(dir, "r")
	require.Error(t, err)
	assert.True(t, taken, "the holder in the note is alive")
	note(t, dir, aDeadProcess(t))
	_, taken, _ = filelock.Taken(dir, "r")
	assert.False(t, taken, "the dead have nothing")
}

func TestFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	dir := t.TempDir()
	h := take(t, dir, "r")
	for _, name := range []string{"r.lock", "r.holder"} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode(), name)
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "r.holder")))
	require.NoError(t, h.Release(), "the note is for people only")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
	assert.Equal(t, "r.lock", left[0].Name())
}

func TestWhatCannotBeTaken(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.WriteFile(outside, []byte("mine"), 0o600))
	for _, c := range []struct {
		name string
		make func(t *testing.T, dir string)
		want string
	}{
		{"no directory", func(t *testing.T, dir string) { require.NoError(t, os.Remove(dir)) }, "lock run r: "},
		{"a symbolic link",
			func(t *testing.T, dir string) { require.NoError(t, os.Symlink(outside, filelock.Path(dir, "r"))) },
			"not a regular file"},
		{"a directory", func(t *testing.T, dir string) { require.NoError(t, os.Mkdir(filelock.Path(dir, "r"), 0o700)) },
			"not a regular file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "locks")
			require.NoError(t, os.Mkdir(dir, 0o700))
			c.make(t, dir)
			_, err := filelock.Take(t.Context(), dir, "r", "run r", "", 0)
			require.ErrorContains(t, err, c.want)
			_, isEvidence := errors.AsType[*taxonomy.Evidence](err)
			assert.False(t, isEvidence, "nobody has it")
		})
	}
	content, err := os.ReadFile(outside)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(content))
}

// If the note is empty or invalid, only the lock counts.
func TestNotesThatSayNothing(t *testing.T) {
	for _, text := range []string{"", "{", "[]", `{"pid":"x"}`, strings.Repeat(" ", 1<<20) + "{}"} {
		dir := t.TempDir()
		h := take(t, dir, "r")
		require.NoError(t, os.WriteFile(filepath.Join(dir, "r.holder"), []byte(text), 0o600))
		_, err := filelock.Take(t.Context(), dir, "r", "run r", "", 0)
		ev := refused(t, err)
		assert.Equal(t, []string{"run r is held by another process", ""}, []string{ev.Text, ev.Attribute("pid")},
			"%.20q", text)
		who, taken, err := filelock.Taken(dir, "r")
		require.NoError(t, err)
		assert.True(t, taken)
		assert.Equal(t, filelock.Holder{}, who)
		require.NoError(t, h.Release())
	}
	dir := t.TempDir()
	note(t, dir, map[string]any{"pid": os.Getpid(), "host": "here"})
	h := take(t, dir, "r")
	require.NoError(t, h.Release(), "a note without a lock is nothing")
}

func TestDead(t *testing.T) {
	host, err := os.Hostname()
	require.NoError(t, err)
	dead := aDeadProcess(t)
	pid := dead["pid"].(int)
	for _, c := range []struct {
		name   string
		holder filelock.Holder
		want   bool
	}{
		{"ended", filelock.Holder{PID: pid, Start: "another", Host: host}, true},
		{"another one has its number now", filelock.Holder{PID: os.Getpid(), Start: "another", Host: host}, true},
		{"of another machine", filelock.Holder{PID: pid, Start: "another", Host: host + "-other"}, false},
		{"not known when it began", filelock.Holder{PID: pid, Host: host}, false},
		{"nobody", filelock.Holder{}, false},
	} {
		assert.Equal(t, c.want, c.holder.Dead(), c.name)
	}
}

// A dead holder can leave its lock to a child for a moment. Take waits for the lock until
// patience or the context ends.
func TestLockOfTheDead(t *testing.T) {
	dir := t.TempDir()
	h := take(t, dir, "r")
	dead := aDeadProcess(t)
	note(t, dir, dead)

	_, err := filelock.Take(t.Context(), dir, "r", "run r", "", 0)
	ev := refused(t, err)
	assert.Equal(t, fmt.Sprintf("run r is held by a child of dead process %d", dead["pid"]),
		ev.Text)
	assert.Empty(t, ev.Attribute("since"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = filelock.Take(ctx, dir, "r", "run r", "", time.Hour)
	require.ErrorIs(t, err, context.Canceled)

	taken := make(chan *filelock.Named)
	go func() {
		next, err := filelock.Take(context.WithoutCancel(t.Context()), dir, "r", "run r", "", time.Hour)
		assert.NoError(t, err)
		taken <- next
	}()
	require.NoError(t, h.Release())
	next := <-taken
	require.NotNil(t, next)
	require.NoError(t, next.Release())
}

// start starts a process that takes r, and returns its first line of output and its command.
func start(t *testing.T, dir string) (said string, cmd *exec.Cmd) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), child+"="+dir)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	_, err = cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { end(cmd) })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(line), cmd
}

// end kills a process and waits for it.
func end(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// The lock of a process ends with the process, even if it is killed.
func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		said, cmd := start(t, dir)
		require.Equal(t, "held", said)
		_, err := filelock.Take(t.Context(), dir, "r", "run r", "", time.Hour)
		assert.Equal(t, strconv.Itoa(cmd.Process.Pid), refused(t, err).Attribute("pid"),
			"the living are not waited for")
		second, other := start(t, dir)
		assert.Equal(t, "refused "+strconv.Itoa(cmd.Process.Pid), second)
		end(other)
		end(cmd)
		h := take(t, dir, "r")
		require.NoError(t, h.Release())
	}
}

func TestCheckName(t *testing.T) {
	for _, name := range []string{"", ".", "..", "../x", "a/b", `a\b`, ".hidden", "a b", "a\n", "a\x00", "a:b", "a~",
		"é", strings.Repeat("x", 101)} {
		assert.Error(t, filelock.CheckName(name), "%q", name)
	}
	for _, name := range []string{"a", "-rf", "_", "A_1.b-c", "a..b", "a.", strings.Repeat("x", 100)} {
		assert.NoError(t, filelock.CheckName(name), "%q", name)
	}
}

func FuzzCheckName(f *testing.F) {
	for _, name := range []string{"run-1", "..", "a/b", "CON", "\x00", "a.lock"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if filelock.CheckName(name) != nil {
			return
		}
		dir := filepath.Join(t.TempDir(), "locks")
		assert.Equal(t, dir, filepath.Dir(filelock.Path(dir, name)), "a lock is in its directory: %q", name)
	})
}
