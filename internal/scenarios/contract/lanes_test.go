package contract_test

import (
	"context"
	"database/sql"
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

	"github.com/errgen/errgen/runtime/executor/filelanes"
	"github.com/errgen/errgen/runtime/executor/state"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// laneNow is the time of laneClock.
var (
	laneNow   = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	laneUntil = laneNow.Add(10 * time.Second)
)

// laneClock returns laneNow, and later times after Pass.
type laneClock struct{ passed atomic.Int64 }

func (c *laneClock) Now() time.Time { return laneNow.Add(time.Duration(c.passed.Load())) }

func (*laneClock) Sleep(context.Context, time.Duration) error { return nil }

// Pass sets the clock to d after laneNow.
func (c *laneClock) Pass(d time.Duration) { c.passed.Store(int64(d)) }

// lanes are shared waits in a directory, without jitter.
type lanes struct {
	// Open returns the lanes in dir, which may be missing.
	Open func(t *testing.T, dir string, clock *laneClock) retry.SharedWait
	// Kept returns the stored content of each lane in dir.
	Kept func(t *testing.T, dir string) []string
	// Spoil replaces the content of each lane in dir.
	Spoil func(t *testing.T, dir, content string)
	// Path returns the path that errors name.
	Path func(t *testing.T, dir string) string
}

// TestLanes holds the stores of shared waits to one contract.
func TestLanes(t *testing.T) {
	database := func(_ *testing.T, dir string) string { return filepath.Join(dir, "state.db") }
	edit := func(t *testing.T, dir string, f func(db *sql.DB)) {
		db, err := sql.Open("sqlite", "file:"+database(t, dir)+"?_pragma=busy_timeout(10000)")
		require.NoError(t, err)
		defer func() { require.NoError(t, db.Close()) }()
		f(db)
	}
	file := func(t *testing.T, dir string) string {
		paths, err := filepath.Glob(filepath.Join(dir, "*.lane"))
		require.NoError(t, err)
		require.Len(t, paths, 1)
		return paths[0]
	}
	for name, l := range map[string]lanes{
		"filelanes": {
			Open: func(_ *testing.T, dir string, clock *laneClock) retry.SharedWait {
				return filelanes.New(dir, clock, still)
			},
			Kept: func(t *testing.T, dir string) (kept []string) {
				paths, err := filepath.Glob(filepath.Join(dir, "*.lane"))
				require.NoError(t, err)
				for _, path := range paths {
					b, err := os.ReadFile(path)
					require.NoError(t, err)
					kept = append(kept, string(b))
				}
				return kept
			},
			Spoil: func(t *testing.T, dir, content string) {
				require.NoError(t, os.WriteFile(file(t, dir), []byte(content), 0o600))
			},
			Path: file,
		},
		"state": {
			Open: func(t *testing.T, dir string, clock *laneClock) retry.SharedWait {
				s, err := state.Open(t.Context(), database(t, dir), state.Options{Clock: clock, Random: still})
				require.NoError(t, err)
				t.Cleanup(func() { assert.NoError(t, s.Close()) })
				return s.Lanes()
			},
			Kept: func(t *testing.T, dir string) (kept []string) {
				edit(t, dir, func(db *sql.DB) {
					rows, err := db.Query("SELECT until FROM lanes ORDER BY lane")
					require.NoError(t, err)
					defer func() { require.NoError(t, rows.Close()) }()
					for rows.Next() {
						var until string
						require.NoError(t, rows.Scan(&until))
						kept = append(kept, until)
					}
					require.NoError(t, rows.Err())
				})
				return kept
			},
			Spoil: func(t *testing.T, dir, content string) {
				edit(t, dir, func(db *sql.DB) {
					_, err := db.Exec("UPDATE lanes SET until = ?", content)
					require.NoError(t, err)
				})
			},
			Path: database,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for name, test := range map[string]func(*testing.T){
				"as in memory": l.answersAsInMemory, "jitter": l.spreads, "any name": l.takesAnyName,
				"an open lane": l.storesNoOpenLane, "an unreadable lane": l.replacesUnreadable,
				"a very late pause": l.pausesVeryLate, "a context that ended": l.heedsContexts,
				"concurrent use": l.answersConcurrently,
			} {
				t.Run(name, test)
			}
		})
	}
}

// Lanes in memory answer the same, even if each question opens the lanes again.
func (l lanes) answersAsInMemory(t *testing.T) {
	dir, clock := filepath.Join(t.TempDir(), "a", "lanes"), &laneClock{}
	memory := retry.NewSharedWait(clock, still)
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
			require.NoError(t, memory.Pause(t.Context(), step.lane, laneNow.Add(step.pause)))
			require.NoError(t, kept.Pause(t.Context(), step.lane, laneNow.Add(step.pause)))
			continue
		}
		want, err := memory.Until(t.Context(), step.lane)
		require.NoError(t, err)
		got, err := kept.Until(t.Context(), step.lane)
		require.NoError(t, err)
		assert.Equal(t, max(0, want.Sub(clock.Now())), max(0, got.Sub(clock.Now())), "step %d", i)
	}
}

// still is a source of jitter that adds none.
func still() float64 { return 0 }

func (l lanes) spreads(t *testing.T) {
	opened := l.Open(t, t.TempDir(), &laneClock{})
	require.NoError(t, opened.Pause(t.Context(), "x", laneUntil))
	for range 2 {
		got, err := opened.Until(t.Context(), "x")
		require.NoError(t, err)
		assert.Equal(t, laneUntil, got.UTC(), "the instant is stored without jitter")
	}
}

func (l lanes) takesAnyName(t *testing.T) {
	dir := t.TempDir()
	opened := l.Open(t, dir, &laneClock{})
	names := []string{"../../etc/passwd", "api\x00key", strings.Repeat("x", 9999), "", "'; DROP TABLE lanes; --",
		"\xff\xfe", "password=hunter2hunter2"}
	for _, lane := range names {
		require.NoError(t, opened.Pause(t.Context(), lane, laneUntil))
		opens, err := opened.Until(t.Context(), lane)
		require.NoError(t, err)
		assert.True(t, laneUntil.Equal(opens))
	}
	kept := l.Kept(t, dir)
	assert.Len(t, kept, len(names))
	for _, k := range kept {
		assert.NotContains(t, k, "hunter2")
	}
}

func (l lanes) storesNoOpenLane(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lanes")
	clock := &laneClock{}
	opened := l.Open(t, dir, clock)
	opens, err := opened.Until(t.Context(), "x")
	require.NoError(t, err)
	assert.Zero(t, opens)
	require.NoError(t, opened.Pause(t.Context(), "x", laneNow))
	assert.Empty(t, l.Kept(t, dir))
	require.NoError(t, opened.Pause(t.Context(), "x", laneUntil))
	assert.Len(t, l.Kept(t, dir), 1)
}

func (l lanes) replacesUnreadable(t *testing.T) {
	for _, content := range []string{
		"", "hello", "null", `{"until":7}`, strings.Repeat(" ", 5<<20),
	} {
		dir := t.TempDir()
		opened := l.Open(t, dir, &laneClock{})
		require.NoError(t, opened.Pause(t.Context(), "x", laneUntil))
		l.Spoil(t, dir, content)
		opens, err := opened.Until(t.Context(), "x")
		ev, ok := errors.AsType[*taxonomy.Evidence](err)
		require.True(t, ok, "%.20q: %v", content, err)
		assert.Equal(t, []string{"state", l.Path(t, dir)}, []string{ev.Source, ev.Attribute("path")})
		assert.Zero(t, opens)

		require.NoError(t, opened.Pause(t.Context(), "x", laneUntil), "a pause makes it anew")
		opens, err = opened.Until(t.Context(), "x")
		require.NoError(t, err)
		assert.True(t, laneUntil.Equal(opens))
	}
}

func (l lanes) pausesVeryLate(t *testing.T) {
	opened := l.Open(t, t.TempDir(), &laneClock{})
	require.NoError(t, opened.Pause(t.Context(), "x", time.Date(10500, 1, 1, 0, 0, 0, 0, time.UTC)))
	for range 2 {
		opens, err := opened.Until(t.Context(), "x")
		require.NoError(t, err)
		assert.Equal(t, 9999, opens.Year())
	}
}

func (l lanes) heedsContexts(t *testing.T) {
	opened := l.Open(t, t.TempDir(), &laneClock{})
	require.NoError(t, opened.Pause(t.Context(), "x", laneUntil))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	opens, err := opened.Until(ended, "x")
	require.ErrorIs(t, err, context.Canceled)
	assert.Zero(t, opens)
	require.ErrorIs(t, opened.Pause(ended, "x", laneUntil.Add(time.Second)), context.Canceled)
}

func (l lanes) answersConcurrently(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 40 {
		opened := l.Open(t, dir, &laneClock{})
		wg.Go(func() {
			assert.NoError(t, opened.Pause(t.Context(), "api/key", laneUntil.Add(-time.Duration(i)*time.Millisecond)))
			_, err := opened.Until(t.Context(), "api/key")
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	got, err := l.Open(t, dir, &laneClock{}).Until(t.Context(), "api/key")
	require.NoError(t, err)
	assert.Equal(t, laneUntil, got.UTC(), "the latest pause holds")
}
