// Package lanestest tests lanes that processes share, wherever they are kept.
package lanestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Now is the time at which Clock stands, and Ramp how callers enter.
var (
	Now  = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	Ramp = retry.Ramp{Step: time.Second}
)

var until = Now.Add(10 * time.Second)

// Clock stands still at Now.
type Clock struct{}

// Now returns the same time always.
func (Clock) Now() time.Time { return Now }

// Sleep returns at once.
func (Clock) Sleep(context.Context, time.Duration) error { return nil }

// Lanes are the lanes that are tested. They have Clock and Ramp.
type Lanes struct {
	// Open returns lanes which are kept in dir, which may be missing. Each value is another one.
	Open func(t *testing.T, dir string) retry.Lanes
	// Kept returns what is kept of each lane in dir; nil when there is nothing.
	Kept func(t *testing.T, dir string) []string
	// Spoil has each lane that is kept in dir hold content.
	Spoil func(t *testing.T, dir, content string)
	// Path returns the path that errors name.
	Path func(t *testing.T, dir string) string
}

// Test tests lanes. It is to be all that a test does, because it has a process of its own run that
// test again.
func Test(t *testing.T, l Lanes) {
	if answersAsProcess(t, l) {
		return
	}
	t.Run("they answer as lanes in memory do", l.answerAsMemoryLanesDo)
	t.Run("any name is one", l.takeAnyName)
	t.Run("an open lane is not kept", l.keepNoOpenLane)
	t.Run("a lane that cannot be read", l.makeAnewWhatCannotBeRead)
	t.Run("a very late pause", l.pauseVeryLate)
	t.Run("a context that has ended", l.heedContexts)
	t.Run("two processes", l.askFromTwoProcesses)
	t.Run("many at once", l.askAtOnce)
}

var ctx = context.Background()

// What lanes in memory answer, these answer too, also when every question is put to another value.
func (l Lanes) answerAsMemoryLanesDo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "lanes")
	memory := retry.NewLanes(Ramp, Clock{})
	for i, step := range []struct {
		lane, caller string
		pause, ask   time.Duration
	}{
		{"x", "a", 0, 0}, {"x", "", 10 * time.Second, 0}, {"x", "a", 0, 0}, {"x", "b", 0, 0},
		{"x", "c", 0, time.Second},
		{"y", "a", 0, 0}, {"x", "", 5 * time.Second, 0}, {"x", "b", 0, 2 * time.Second},
		{"x", "a", 0, 10 * time.Second},
		{"x", "", 20 * time.Second, 0}, {"x", "a", 0, 3 * time.Second}, {"x", "c", 0, 3 * time.Second},
		{"x", "d", 0, 21 * time.Second},
		{"x", "b", 0, time.Hour}, {"x", "a", 0, 0}, {"x", "", -time.Second, 0}, {"x", strings.Repeat("a", 999), 0, 0},
		{"x", "", 30 * time.Second, 0}, {"x", "a\xff", 0, 0}, {"x", "a\xfe", 0, 0},
		{"x", strings.Repeat("b", 999), 0, 0},
		{"x", "password=hunter2hunter2", 0, 0}, {"x", "password=hunter3hunter3", 0, 0},
		{"x", "a\xff", 0, 30 * time.Second},
	} {
		kept := l.Open(t, dir)
		if step.pause != 0 {
			require.NoError(t, memory.Pause(ctx, step.lane, Now.Add(step.pause)))
			require.NoError(t, kept.Pause(ctx, step.lane, Now.Add(step.pause)))
			continue
		}
		want, err := memory.Opens(ctx, step.lane, step.caller, Now.Add(step.ask))
		require.NoError(t, err)
		got, err := kept.Opens(ctx, step.lane, step.caller, Now.Add(step.ask))
		require.NoError(t, err)
		assert.True(t, want.Equal(got), "step %d: %s, not %s", i, got, want)
	}
}

func (l Lanes) takeAnyName(t *testing.T) {
	dir := t.TempDir()
	lanes := l.Open(t, dir)
	names := []string{"../../etc/passwd", "api\x00key", strings.Repeat("x", 9999), "", "'; DROP TABLE lanes; --",
		"\xff\xfe", "password=hunter2hunter2"}
	for _, lane := range names {
		require.NoError(t, lanes.Pause(ctx, lane, until))
		opens, err := lanes.Opens(ctx, lane, lane, Now)
		require.NoError(t, err)
		assert.True(t, until.Equal(opens))
	}
	kept := l.Kept(t, dir)
	assert.Len(t, kept, len(names))
	for _, k := range kept {
		assert.Less(t, len(k), 300, "a long name of a caller has a fingerprint")
		assert.NotContains(t, k, "hunter2", "and so has one that says a secret")
	}
}

func (l Lanes) keepNoOpenLane(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lanes")
	lanes := l.Open(t, dir)
	opens, err := lanes.Opens(ctx, "x", "a", Now)
	require.NoError(t, err)
	assert.Equal(t, Now, opens)
	require.NoError(t, lanes.Pause(ctx, "x", Now))
	assert.Empty(t, l.Kept(t, dir))
	require.NoError(t, lanes.Pause(ctx, "x", until))
	assert.Len(t, l.Kept(t, dir), 1)
	opens, err = lanes.Opens(ctx, "x", "a", Now.Add(time.Hour))
	require.NoError(t, err)
	assert.Equal(t, Now.Add(time.Hour), opens)
	assert.Empty(t, l.Kept(t, dir))
}

func (l Lanes) makeAnewWhatCannotBeRead(t *testing.T) {
	for _, content := range []string{
		"", "hello", "null", `{"errgen_lane":2,"lane":{}}`, `{"errgen_lane":1,"lane":{"until":7}}`,
		strings.Repeat(" ", 5<<20),
	} {
		dir := t.TempDir()
		lanes := l.Open(t, dir)
		require.NoError(t, lanes.Pause(ctx, "x", until))
		l.Spoil(t, dir, content)
		opens, err := lanes.Opens(ctx, "x", "a", Now)
		ev, ok := errors.AsType[*taxonomy.Evidence](err)
		require.True(t, ok, "%.20q: %v", content, err)
		assert.Equal(t, []string{"state", "state_write", l.Path(t, dir)},
			[]string{ev.Source, ev.Op, ev.Attribute("path")})
		assert.Equal(t, Now, opens)

		require.NoError(t, lanes.Pause(ctx, "x", until), "a pause makes it anew")
		opens, err = lanes.Opens(ctx, "x", "a", Now)
		require.NoError(t, err)
		assert.True(t, until.Equal(opens))
	}
}

func (l Lanes) pauseVeryLate(t *testing.T) {
	lanes := l.Open(t, t.TempDir())
	require.NoError(t, lanes.Pause(ctx, "x", time.Date(10500, 1, 1, 0, 0, 0, 0, time.UTC)))
	for _, caller := range []string{"a", "b"} {
		opens, err := lanes.Opens(ctx, "x", caller, Now)
		require.NoError(t, err)
		assert.Equal(t, 9999, opens.Year())
	}
}

func (l Lanes) heedContexts(t *testing.T) {
	lanes := l.Open(t, t.TempDir())
	require.NoError(t, lanes.Pause(ctx, "x", until))
	ended, cancel := context.WithCancel(ctx)
	cancel()
	opens, err := lanes.Opens(ended, "x", "a", Now)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, Now, opens)
	require.ErrorIs(t, lanes.Pause(ended, "x", until.Add(time.Second)), context.Canceled)
}

func (l Lanes) askAtOnce(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, l.Open(t, dir).Pause(ctx, "api/key", until))
	const callers = 40
	got := make(chan time.Duration, callers)
	for i := range callers {
		lanes := l.Open(t, dir)
		go func() {
			opens, err := lanes.Opens(ctx, "api/key", fmt.Sprint(i), Now)
			assert.NoError(t, err)
			got <- opens.Sub(Now)
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

// Files returns the contents of the files in dir that match pattern.
func Files(t *testing.T, dir, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	require.NoError(t, err)
	var out []string
	for _, path := range paths {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		out = append(out, string(b))
	}
	return out
}
