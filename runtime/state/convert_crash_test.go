package state

import (
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	convertKills = 24
	convertSpan  = 4 * time.Millisecond // the first ones live for at most so long, others for twice as long each
	convertSpans = 9
)

// convertChild opens a state, and dies at a random moment if it is told to.
func convertChild(args []string) error {
	span, err := time.ParseDuration(args[1])
	if err != nil {
		return err
	}
	if span > 0 {
		time.AfterFunc(rand.N(span), func() {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill()
			}
		})
	}
	s, err := Open(context.Background(), args[0], Options{})
	if err != nil {
		return err
	}
	return s.Close()
}

// TestConvertKilled is of the row B-S06 that a crash leaves something from which it is converted
// again, or has converted.
func TestConvertKilled(t *testing.T) {
	text := manyOld(20, 20, strings.Repeat("an answer ", 20))
	cut := 0
	for n := range convertKills {
		old, path := oldFile(t, text)
		// killed, or done before that
		_ = childCommand(t, "convert", path, (convertSpan << (n % convertSpans)).String()).Run()
		if _, err := os.Lstat(path); err != nil {
			cut++
			left, err := os.ReadFile(old)
			require.NoError(t, err)
			require.Equal(t, text, string(left))
		}
		convertedOnce(t, old, path, 20, 20)
	}
	t.Logf("%d of %d were killed before there was a database", cut, convertKills)
}

// TestConvertAtOnce is of the row B-S08: processes and goroutines that open a state at once convert
// it once.
func TestConvertAtOnce(t *testing.T) {
	old, path := oldFile(t, manyOld(20, 50, "x"))
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			out, err := childCommand(t, "convert", path, "0s").CombinedOutput()
			assert.NoError(t, err, string(out))
		})
		wg.Go(func() {
			s, err := Open(context.Background(), path, Options{})
			if assert.NoError(t, err) {
				assert.NoError(t, s.Close())
			}
		})
	}
	wg.Wait()
	convertedOnce(t, old, path, 20, 50)
}

// convertedOnce asserts that all of a state is there, and the older file beside it as one copy.
func convertedOnce(t *testing.T, old, path string, tasks, attempts int) {
	t.Helper()
	s, err := Open(t.Context(), path, Options{})
	require.NoError(t, err)
	n := 0
	for st, err := range s.Statuses(t.Context()) {
		require.NoError(t, err)
		require.Equal(t, attempts, st.Attempts)
		require.Zero(t, st.Spent)
		n++
	}
	assert.Equal(t, tasks, n)
	counters, err := s.Counters(t.Context())
	require.NoError(t, err)
	assert.Equal(t, Counters{ConsecutiveFailures: tasks * attempts, Failed: tasks}, counters)
	recounted(t, s)
	require.NoError(t, s.Close())
	assert.ElementsMatch(
		t, []string{filepath.Base(path), filepath.Base(path) + locksSuffix, filepath.Base(old) + ".bak"},
		besideOf(t, path))
}

// TestConvertNeedsLittleMemory reads one text of 4 MiB, and one that is as long because it has many
// values.
func TestConvertNeedsLittleMemory(t *testing.T) {
	const size = 4 << 20
	const begin = `{"tasks": {"T": {"status": "x", "attempts": [`
	const attempt = `{"timestamp": "2026-01-01T00:00:00", "success": false, "duration_seconds": 1, "claude_output": "`
	for name, text := range map[string]io.Reader{
		"long": io.MultiReader(strings.NewReader(begin+attempt), io.LimitReader(&repeated{text: `\u00e9 `}, size/7*7),
			strings.NewReader(`"}]}}}`)),
		"many": io.MultiReader(strings.NewReader(begin+`], "other": [0`),
			io.LimitReader(&repeated{text: `, {"a": "b"}`}, size/12*12), strings.NewReader(`]}}}`)),
	} {
		n := 0
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		o := &oldReader{jsonReader: newJSONReader(text), sink: &heardSink{hear: func(a oldAttempt) {
			n++
			assert.True(t, strings.HasSuffix(a.text, "é é "))
			assert.LessOrEqual(t, len(a.text), 2*(maxOutput+beyond))
		}}, zone: time.UTC}
		require.NoError(t, o.read(), name)
		runtime.GC()
		runtime.ReadMemStats(&after)
		assert.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(1<<20), name)
		if name == "long" {
			assert.Equal(t, 1, n)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(2<<20))
		}
	}
}

// repeated is a text without an end.
type repeated struct {
	text string
	at   int
}

func (r *repeated) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = r.text[r.at]
		r.at = (r.at + 1) % len(r.text)
	}
	return len(b), nil
}
