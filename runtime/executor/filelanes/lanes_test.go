package filelanes_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errgen/errgen/runtime/executor/filelanes"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// child is the variable that has the test binary be a process which asks for a place in a lane.
const child = "FILELANES_CHILD"

func TestMain(m *testing.M) {
	if caller := os.Getenv(child); caller != "" {
		ask(os.Args[1], caller)
		return
	}
	goleak.VerifyTestMain(m)
}

// ask says when the caller may enter the lane, whenever a line asks for it.
func ask(dir, caller string) {
	lanes := filelanes.New(dir, ramp, clock{})
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if lines.Text() == "pause" {
			fmt.Println(lanes.Pause(context.Background(), "api/key", until))
			continue
		}
		opens, err := lanes.Opens(context.Background(), "api/key", caller, now)
		fmt.Println(opens.Sub(now), err)
	}
}

var (
	now   = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	until = now.Add(10 * time.Second)
	ramp  = retry.Ramp{Step: time.Second}
)

// clock stands still.
type clock struct{ late time.Duration }

func (c clock) Now() time.Time                           { return now.Add(c.late) }
func (clock) Sleep(context.Context, time.Duration) error { return nil }

var ctx = context.Background()

// What in-memory lanes answer, lanes in files answer too, also when every question is put to another value.
func TestTheyAnswerAsMemoryLanesDo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "lanes")
	memory := retry.NewLanes(ramp, clock{})
	for i, step := range []struct {
		lane, caller string
		pause, ask   time.Duration
	}{
		{"x", "a", 0, 0}, {"x", "", 10 * time.Second, 0}, {"x", "a", 0, 0}, {"x", "b", 0, 0}, {"x", "c", 0, time.Second},
		{"y", "a", 0, 0}, {"x", "", 5 * time.Second, 0}, {"x", "b", 0, 2 * time.Second}, {"x", "a", 0, 10 * time.Second},
		{"x", "", 20 * time.Second, 0}, {"x", "a", 0, 3 * time.Second}, {"x", "c", 0, 3 * time.Second}, {"x", "d", 0, 21 * time.Second},
		{"x", "b", 0, time.Hour}, {"x", "a", 0, 0}, {"x", "", -time.Second, 0}, {"x", strings.Repeat("a", 999), 0, 0},
	} {
		files := filelanes.New(dir, ramp, clock{})
		if step.pause != 0 {
			require.NoError(t, memory.Pause(ctx, step.lane, now.Add(step.pause)))
			require.NoError(t, files.Pause(ctx, step.lane, now.Add(step.pause)))
			continue
		}
		want, err := memory.Opens(ctx, step.lane, step.caller, now.Add(step.ask))
		require.NoError(t, err)
		got, err := files.Opens(ctx, step.lane, step.caller, now.Add(step.ask))
		require.NoError(t, err)
		assert.True(t, want.Equal(got), "step %d: %s, not %s", i, got, want)
	}
}

func TestFilesSayNothingOfTheirLanes(t *testing.T) {
	dir := t.TempDir()
	lanes := filelanes.New(dir, ramp, clock{})
	for _, lane := range []string{"../../etc/passwd", "api\x00key", strings.Repeat("x", 9999), ""} {
		require.NoError(t, lanes.Pause(ctx, lane, until))
		opens, err := lanes.Opens(ctx, lane, "a", now)
		require.NoError(t, err)
		assert.True(t, until.Equal(opens))
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 8)
	for _, e := range entries {
		assert.Regexp(t, `^[0-9a-f]{32}\.(lane|lock)$`, e.Name())
	}
}

func TestOpenLanesNeedNoFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lanes")
	lanes := filelanes.New(dir, ramp, clock{})
	opens, err := lanes.Opens(ctx, "x", "a", now)
	require.NoError(t, err)
	assert.Equal(t, now, opens)
	assert.NoDirExists(t, dir)
	require.NoError(t, lanes.Pause(ctx, "x", until))
	_, err = lanes.Opens(ctx, "x", "a", now.Add(time.Hour))
	require.NoError(t, err)
	left, err := filepath.Glob(filepath.Join(dir, "*.lane"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestALaneThatCannotBeRead(t *testing.T) {
	for _, content := range []string{"", "hello", `{"errgen_lane":2,"lane":{}}`, strings.Repeat(" ", 5<<20)} {
		dir := t.TempDir()
		lanes := filelanes.New(dir, ramp, clock{})
		require.NoError(t, lanes.Pause(ctx, "x", until))
		path, err := filepath.Glob(filepath.Join(dir, "*.lane"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path[0], []byte(content), 0o600))
		opens, err := lanes.Opens(ctx, "x", "a", now)
		ev, ok := errors.AsType[*taxonomy.Evidence](err)
		require.True(t, ok, err)
		assert.Equal(t, []string{"state", "state_write", path[0]}, []string{ev.Source, ev.Op, ev.Attribute("path")})
		assert.Equal(t, now, opens)

		require.NoError(t, lanes.Pause(ctx, "x", until), "a pause makes it anew")
		opens, err = lanes.Opens(ctx, "x", "a", now)
		require.NoError(t, err)
		assert.True(t, until.Equal(opens))
	}
}

func TestVeryLatePausesAndEndedContexts(t *testing.T) {
	lanes := filelanes.New(t.TempDir(), ramp, clock{})
	require.NoError(t, lanes.Pause(ctx, "x", time.Date(10500, 1, 1, 0, 0, 0, 0, time.UTC)))
	opens, err := lanes.Opens(ctx, "x", "a", now)
	require.NoError(t, err)
	assert.Equal(t, 9999, opens.Year())
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = lanes.Opens(ended, "x", "a", now)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	first, second := process(t, dir, "first"), process(t, dir, "second")
	assert.Equal(t, "0s <nil>", second("ask"))
	assert.Equal(t, "<nil>", first("pause"))
	assert.Equal(t, "10s <nil>", second("ask"), "the other process waits, too")
	assert.Equal(t, "11s <nil>", first("ask"), "and they do not start together")
	assert.Equal(t, "10s <nil>", second("ask"))
	assert.Equal(t, "11s <nil>", first("ask"))
}

func TestManyAskAtOnce(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, filelanes.New(dir, ramp, clock{}).Pause(ctx, "api/key", until))
	const callers = 40
	got := make(chan time.Duration, callers)
	for i := range callers {
		lanes := filelanes.New(dir, ramp, clock{})
		go func() {
			opens, err := lanes.Opens(ctx, "api/key", fmt.Sprint(i), now)
			assert.NoError(t, err)
			got <- opens.Sub(now)
		}()
	}
	var all []time.Duration
	for range callers {
		all = append(all, <-got)
	}
	slices.Sort(all)
	assert.Len(t, slices.Compact(all), callers, "each has an instant of its own")
	assert.Equal(t, 10*time.Second, all[0])
}

// process starts a process that answers questions.
func process(t *testing.T, dir, caller string) func(question string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], dir)
	cmd.Env = append(os.Environ(), child+"="+caller)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		assert.NoError(t, in.Close())
		assert.NoError(t, cmd.Wait())
	})
	lines := bufio.NewScanner(out)
	return func(question string) string {
		_, err := fmt.Fprintln(in, question)
		require.NoError(t, err)
		require.True(t, lines.Scan())
		return lines.Text()
	}
}
