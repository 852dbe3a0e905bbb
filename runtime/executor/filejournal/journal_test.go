package filejournal_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filejournal"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var at = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func started(n int) executor.Entry {
	return executor.Entry{
		Point: executor.PointStarted, At: at.Add(time.Duration(n) * time.Second), Iteration: n,
		Started: &executor.Started{Call: 1, Provider: "p\n\x00\"é"},
	}
}

func open(t *testing.T, dir, run string) (*filejournal.Journal, []executor.Entry) {
	t.Helper()
	j := filejournal.New(dir)
	entries, err := j.Open(context.Background(), run)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, j.Close()) })
	return j, entries
}

// write makes a journal with n entries and returns its path.
func write(t *testing.T, dir, run string, n int) string {
	t.Helper()
	j, _ := open(t, dir, run)
	for i := range n {
		require.NoError(t, j.Append(context.Background(), started(i+1)))
	}
	require.NoError(t, j.Close())
	return filepath.Join(dir, run+".journal")
}

func iterations(entries []executor.Entry) []int {
	out := []int{}
	for _, e := range entries {
		out = append(out, e.Iteration)
	}
	return out
}

func evidence(t *testing.T, err error) *taxonomy.Evidence {
	t.Helper()
	ev, ok := errors.AsType[*taxonomy.Evidence](err)
	require.True(t, ok, "%T: %v", err, err)
	return ev
}

func TestEntriesComeBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	j, entries := open(t, dir, "run-1")
	assert.Empty(t, entries)
	_, err := os.Stat(filepath.Join(dir, "run-1.journal"))
	require.ErrorIs(t, err, os.ErrNotExist, "a run without entries has no file")
	require.NoError(t, j.Append(context.Background(), started(1)))
	require.NoError(t, j.Close())
	require.NoError(t, j.Close(), "closing twice")

	j, entries = open(t, dir, "run-1")
	assert.Equal(t, []executor.Entry{started(1)}, entries)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	require.NoError(t, j.Append(cancelled, started(2)), "what has happened is written also when the run is cancelled")
	require.NoError(t, j.Append(context.Background(), started(3)))
	require.NoError(t, j.Close())

	_, entries = open(t, dir, "run-1")
	assert.Equal(t, []executor.Entry{started(1), started(2), started(3)}, entries)
	_, entries = open(t, dir, "run-2")
	assert.Empty(t, entries, "runs have nothing to do with each other")
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	dir := filepath.Join(t.TempDir(), "journals")
	j, _ := open(t, dir, "r")
	require.NoError(t, j.Append(context.Background(), started(1)))
	for _, c := range []struct {
		path string
		mode os.FileMode
	}{{"", 0o700 | os.ModeDir}, {"r.journal", 0o600}, {"r.lock", 0o600}, {"r.holder", 0o600}} {
		info, err := os.Stat(filepath.Join(dir, c.path))
		require.NoError(t, err)
		assert.Equal(t, c.mode, info.Mode(), c.path)
	}
	require.NoError(t, j.Close())
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(dir, "r.journal"), filepath.Join(dir, "r.lock")}, names,
		"nothing else stays")
}

func TestNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"", ".", "..", "../x", "a/b", `a\b`, ".hidden", "a b", "a\n", "a:b", "é",
		strings.Repeat("x", 101)} {
		_, err := filejournal.New(dir).Open(context.Background(), name)
		ev := evidence(t, err)
		assert.Equal(t, []string{"executor", "prepare", "run"}, []string{ev.Source, ev.Op, ev.Attribute("field")}, "%q",
			name)
	}
	for _, name := range []string{"a", "-rf", "A_1.b-c", "a..b", strings.Repeat("x", 100)} {
		j, _ := open(t, dir, name)
		require.NoError(t, j.Append(context.Background(), started(1)), name)
	}
	left, err := os.ReadDir(filepath.Dir(dir))
	require.NoError(t, err)
	assert.Len(t, left, 1, "nothing was made beside the directory")
}

func TestSymbolicLinksAreRefused(t *testing.T) {
	for _, suffix := range []string{".journal", ".lock"} {
		dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
		require.NoError(t, os.WriteFile(outside, []byte("mine"), 0o600))
		require.NoError(t, os.Symlink(outside, filepath.Join(dir, "r"+suffix)))
		_, err := filejournal.New(dir).Open(context.Background(), "r")
		assert.ErrorContains(t, err, "not a regular file", suffix)
		content, err := os.ReadFile(outside)
		require.NoError(t, err)
		assert.Equal(t, "mine", string(content))
	}
}

func TestOneHolder(t *testing.T) {
	dir := t.TempDir()
	j, _ := open(t, dir, "r")
	_, err := filejournal.New(dir).Open(context.Background(), "r")
	ev := evidence(t, err)
	assert.Equal(t, []string{"executor", "lock", filepath.Join(dir, "r.lock"), fmt.Sprint(os.Getpid())},
		[]string{ev.Source, ev.Op, ev.Attribute("path"), ev.Attribute("pid")})
	assert.Regexp(t, `^run r is held by process \d+ on .+ since \d{4}-`, ev.Text)
	assert.Equal(t, "permission", taxonomy.CategoryOf(errs.Classify(err)))
	_, err = j.Open(context.Background(), "other")
	assert.ErrorContains(t, err, "is open for another run")

	require.NoError(t, j.Close())
	_, entries := open(t, dir, "r")
	assert.Empty(t, entries)
	assert.ErrorContains(t, j.Append(context.Background(), started(1)), "is not open")
}

// Wherever a crash cuts a journal, the entries before the cut are there, and it can be gone on
// with.
func TestTornTails(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "r", 3)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	var ends []int
	for i, c := range whole {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	for size := ends[0]; size <= len(whole); size++ {
		beside := slices.ContainsFunc(ends, func(end int) bool { return max(size-end, end-size) <= 2 })
		if !beside && size%11 != 0 {
			continue
		}
		want := []int{}
		for i, end := range ends[1:] {
			if end <= size {
				want = append(want, i+1)
			}
		}
		torn := whole[:size:size]
		for _, zeros := range []int{0, 700} { // blocks that were made for the file, and never written
			require.NoError(t, os.WriteFile(path, append(torn, make([]byte, zeros)...), 0o600))
			j, entries := open(t, dir, "r")
			assert.Equal(t, want, iterations(entries), size)
			require.NoError(t, j.Append(context.Background(), started(9)))
			require.NoError(t, j.Close())
			j, entries = open(t, dir, "r")
			assert.Equal(t, append(want, 9), iterations(entries), size)
			require.NoError(t, j.Close())
		}
	}
}

func TestDamage(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(lines []string) []string
		want   string
	}{
		{"a byte in the middle",
			func(l []string) []string { l[2] = strings.Replace(l[2], "started", "Started", 1); return l },
			"line 3: it is not what was written"},
		{"a byte at the end",
			func(l []string) []string { l[3] = strings.Replace(l[3], "started", "Started", 1); return l },
			"line 4: it is not what was written"},
		{"no line", func(l []string) []string { return append(l[:2:2], l[3:]...) },
			"line 3: entry 3 stands where entry 2 should"},
		{"a line twice", func(l []string) []string { return append(append(l[:3:3], l[2]), l[3:]...) },
			"line 4: entry 2 stands where entry 3 should"},
		{"zeros in the middle", func(l []string) []string { l[2] = l[2][:9] + "\x00\x00" + l[2][11:]; return l },
			"line 3: it is not what was written"},
		{"no first line", func(l []string) []string { return l[1:] }, "line 1: it does not begin as a journal does"},
		{"another run's", func(l []string) []string { l[0] = strings.Replace(l[0], `"r"`, `"s"`, 1); return l },
			`line 1: it is the journal of run "s"`},
		{"a newer release's", func(l []string) []string { l[0] = strings.Replace(l[0], ":1", ":2", 1); return l },
			"line 1: it has version 2, and only versions up to 1 are known here: a newer release wrote it"},
		{"something else", func([]string) []string { return []string{"hello", ""} },
			"line 1: it does not begin as a journal does"},
		{"nothing", func([]string) []string { return nil }, "line 1: it is empty"},
		{"a line without end", func(l []string) []string { l[2] += strings.Repeat("x", 9<<20); return l },
			"line 3: it has no end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := write(t, dir, "r", 3)
			whole, err := os.ReadFile(path)
			require.NoError(t, err)
			damaged := strings.Join(c.change(strings.Split(string(whole), "\n")), "\n")
			require.NoError(t, os.WriteFile(path, []byte(damaged), 0o600))

			_, err = filejournal.New(dir).Open(context.Background(), "r")
			ev := evidence(t, err)
			assert.Equal(t, []string{"executor", "resume", "refused", path},
				[]string{ev.Source, ev.Op, ev.Type, ev.Attribute("path")})
			assert.Contains(t, ev.Text, c.want)
			assert.Contains(t, ev.Text, path)
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, damaged, string(after), "nothing is lost")

			require.NoError(t, os.WriteFile(path, whole, 0o600))
			_, entries := open(t, dir, "r")
			assert.Equal(t, []int{1, 2, 3}, iterations(entries), "the run is not held by whoever could not read it")
		})
	}
}

func TestWhatIsNoJSONIsNotWritten(t *testing.T) {
	dir := t.TempDir()
	j, _ := open(t, dir, "r")
	bad := started(1)
	bad.Judged = &executor.Judged{Errors: []executor.ErrorRecord{{Details: []byte("{")}}}
	ev := evidence(t, j.Append(context.Background(), bad))
	assert.Equal(t, []string{"state", "state_write"}, []string{ev.Source, ev.Op})
	long := started(1)
	long.Started.Provider = strings.Repeat("x", 9<<20)
	assert.ErrorContains(t, j.Append(context.Background(), long), "is too long")
	require.NoError(t, j.Append(context.Background(), started(1)))
	require.NoError(t, j.Close())
	_, entries := open(t, dir, "r")
	assert.Equal(t, []int{1}, iterations(entries))
}

func TestRuns(t *testing.T) {
	dir := t.TempDir()
	runs, err := filejournal.Runs(filepath.Join(dir, "none"))
	require.NoError(t, err)
	assert.Empty(t, runs)

	j, _ := open(t, dir, "done")
	text := strings.Repeat("x", 300<<10)
	for _, e := range []executor.Entry{
		{Point: executor.PointBegun, At: at, Begun: &executor.Begun{Version: 1, Run: "done", Task: "t-1", Dir: "/w"}},
		started(1),
		{Point: executor.PointEnded, At: at.Add(time.Minute), Iteration: 1, Ended: &executor.Result{
			Status: executor.StatusBlocked, EndReason: executor.EndMaxFailures, Text: text,
		}},
		{Point: executor.PointNotified, At: at.Add(2 * time.Minute), Iteration: 1},
	} {
		require.NoError(t, j.Append(context.Background(), e))
	}
	path := write(t, dir, "torn", 2)
	appendTo(t, path, `{"seq":3,"len":`)
	appendTo(t, write(t, dir, "damaged", 1), "")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "damaged.journal"), []byte("hello\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".x.journal"), nil, 0o600))

	runs, err = filejournal.Runs(dir)
	require.NoError(t, err)
	require.Len(t, runs, 3)
	assert.Equal(t, filejournal.Run{
		Name: "done", Task: "t-1", Dir: "/w", Point: executor.PointNotified, Iteration: 1, At: at.Add(2 * time.Minute),
		Status: executor.StatusBlocked, EndReason: executor.EndMaxFailures,
	}, runs[0])
	assert.True(t, runs[0].Ended())
	assert.Equal(
		t, filejournal.Run{Name: "torn", Point: executor.PointStarted, Iteration: 2, At: at.Add(2 * time.Second)},
		runs[1])
	assert.Equal(t, "damaged", runs[2].Name)
	assert.ErrorContains(t, runs[2].Err, "line 1: it does not begin as a journal does")
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(b, text...), 0o600))
}
