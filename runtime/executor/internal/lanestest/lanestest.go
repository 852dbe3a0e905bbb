// Package lanestest tests lanes that processes share, wherever they are kept.
package lanestest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Now is the time of Clock.
var Now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

var until = Now.Add(10 * time.Second)

// Clock returns Now, and later times after Pass.
type Clock struct{ passed atomic.Int64 }

// Now returns the clock's time.
func (c *Clock) Now() time.Time { return Now.Add(time.Duration(c.passed.Load())) }

// Sleep returns immediately.
func (*Clock) Sleep(context.Context, time.Duration) error { return nil }

// Pass sets the clock to d after Now.
func (c *Clock) Pass(d time.Duration) { c.passed.Store(int64(d)) }

// Lanes are the lanes that are tested. They have no jitter.
type Lanes struct {
	// Open returns the lanes in dir, which may be missing.
	Open func(t *testing.T, dir string, clock *Clock) retry.SharedWait
	// Kept returns the stored content of each lane in dir.
	Kept func(t *testing.T, dir string) []string
	// Spoil has each lane that is kept in dir hold content.
	Spoil func(t *testing.T, dir, content string)
	// Path returns the path that errors name.
	Path func(t *testing.T, dir string) string
}

// Test tests lanes.
func Test(t *testing.T, l Lanes) {
	t.Run("as in memory", l.answerAsMemoryLanesDo)
	t.Run("jitter", l.spread)
	t.Run("any name is one", l.takeAnyName)
	t.Run("an open lane is not kept", l.keepNoOpenLane)
	t.Run("a lane that cannot be read", l.makeAnewWhatCannotBeRead)
	t.Run("a very late pause", l.pauseVeryLate)
	t.Run("a context that has ended", l.heedContexts)
	t.Run("concurrent use", l.askAtOnce)
}

var ctx = context.Background()

// Lanes in memory answer the same, also when each question is put to another value.
func (l Lanes) answerAsMemoryLanesDo(t *testing.T) {
	dir, clock := filepath.Join(t.TempDir(), "a", "lanes"), &Clock{}
	memory := retry.NewSharedWait(clock, Still)
	for i, step := range []struct {
		lane       string
		now, pause time.Duration
	}{
		{"x", 0, 0}, {"x", 0, 10 * time.Second}, {"x", 0, 0}, {"x", time.Second, 0}, {"y", time.Second, 0},
		{"x", time.Second, 5 * time.Second}, {"x", 2 * time.Second, 0}, {"x", 2 * time.Second, 20 * time.Second},
		{"x", 3 * time.Second, 0}, {"x", 20 * time.Second, 0}, {"x", 20 * time.Second, time.Second},
		{"x", 20 * time.Second, 0}, {"x", 20 * time.Second, 30 * time.Second}, {"x", 29 * time.Second, 0},
		{"x", time.Hour, 0},
	} {
		clock.Pass(step.now)
		kept := l.Open(t, dir, clock)
		if step.pause != 0 {
			require.NoError(t, memory.Pause(ctx, step.lane, Now.Add(step.pause)))
			require.NoError(t, kept.Pause(ctx, step.lane, Now.Add(step.pause)))
			continue
		}
		want, err := memory.Until(ctx, step.lane)
		require.NoError(t, err)
		got, err := kept.Until(ctx, step.lane)
		require.NoError(t, err)
		assert.Equal(t, max(0, want.Sub(clock.Now())), max(0, got.Sub(clock.Now())), "step %d", i)
	}
}

// Still is a source of jitter that adds none.
func Still() float64 { return 0 }

func (l Lanes) spread(t *testing.T) {
	lanes := l.Open(t, t.TempDir(), &Clock{})
	require.NoError(t, lanes.Pause(ctx, "x", until))
	for range 2 {
		got, err := lanes.Until(ctx, "x")
		require.NoError(t, err)
		assert.Equal(t, until, got.UTC(), "the instant is stored without jitter")
	}
}

func (l Lanes) takeAnyName(t *testing.T) {
	dir := t.TempDir()
	lanes := l.Open(t, dir, &Clock{})
	names := []string{"../../etc/passwd", "api\x00key", strings.Repeat("x", 9999), "", "'; DROP TABLE lanes; --",
		"\xff\xfe", "password=hunter2hunter2"}
	for _, lane := range names {
		require.NoError(t, lanes.Pause(ctx, lane, until))
		opens, err := lanes.Until(ctx, lane)
		require.NoError(t, err)
		assert.True(t, until.Equal(opens))
	}
	kept := l.Kept(t, dir)
	assert.Len(t, kept, len(names))
	for _, k := range kept {
		assert.NotContains(t, k, "hunter2")
	}
}

func (l Lanes) keepNoOpenLane(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lanes")
	clock := &Clock{}
	lanes := l.Open(t, dir, clock)
	opens, err := lanes.Until(ctx, "x")
	require.NoError(t, err)
	assert.Zero(t, opens)
	require.NoError(t, lanes.Pause(ctx, "x", Now))
	assert.Empty(t, l.Kept(t, dir))
	require.NoError(t, lanes.Pause(ctx, "x", until))
	assert.Len(t, l.Kept(t, dir), 1)
}

func (l Lanes) makeAnewWhatCannotBeRead(t *testing.T) {
	for _, content := range []string{
		"", "hello", "null", `{"until":7}`, strings.Repeat(" ", 5<<20),
	} {
		dir := t.TempDir()
		lanes := l.Open(t, dir, &Clock{})
		require.NoError(t, lanes.Pause(ctx, "x", until))
		l.Spoil(t, dir, content)
		opens, err := lanes.Until(ctx, "x")
		ev, ok := errors.AsType[*taxonomy.Evidence](err)
		require.True(t, ok, "%.20q: %v", content, err)
		assert.Equal(t, []string{"state", l.Path(t, dir)}, []string{ev.Source, ev.Attribute("path")})
		assert.Zero(t, opens)

		require.NoError(t, lanes.Pause(ctx, "x", until), "a pause makes it anew")
		opens, err = lanes.Until(ctx, "x")
		require.NoError(t, err)
		assert.True(t, until.Equal(opens))
	}
}

func (l Lanes) pauseVeryLate(t *testing.T) {
	lanes := l.Open(t, t.TempDir(), &Clock{})
	require.NoError(t, lanes.Pause(ctx, "x", time.Date(10500, 1, 1, 0, 0, 0, 0, time.UTC)))
	for range 2 {
		opens, err := lanes.Until(ctx, "x")
		require.NoError(t, err)
		assert.Equal(t, 9999, opens.Year())
	}
}

func (l Lanes) heedContexts(t *testing.T) {
	lanes := l.Open(t, t.TempDir(), &Clock{})
	require.NoError(t, lanes.Pause(ctx, "x", until))
	ended, cancel := context.WithCancel(ctx)
	cancel()
	opens, err := lanes.Until(ended, "x")
	require.ErrorIs(t, err, context.Canceled)
	assert.Zero(t, opens)
	require.ErrorIs(t, lanes.Pause(ended, "x", until.Add(time.Second)), context.Canceled)
}

func (l Lanes) askAtOnce(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 40 {
		lanes := l.Open(t, dir, &Clock{})
		wg.Go(func() {
			assert.NoError(t, lanes.Pause(ctx, "api/key", until.Add(-time.Duration(i)*time.Millisecond)))
			_, err := lanes.Until(ctx, "api/key")
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	got, err := l.Open(t, dir, &Clock{}).Until(ctx, "api/key")
	require.NoError(t, err)
	assert.Equal(t, until, got.UTC(), "the latest pause holds")
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
