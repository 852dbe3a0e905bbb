package state

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	killFiles = 4  // that are written side by side
	killsEach = 52 // of processes that write one, one after another
	killCheck = 13 // after so many kills a file is looked at
	killSpan  = 150 * time.Millisecond
	killAfter = 8 // attempts at most, and a moment; after none of them, within killSpan of the start
	killSoon  = 5 * time.Millisecond
	madeFiles = 16 // that somebody is killed while making
	madeSpan  = 30 * time.Millisecond
)

// dieWithin has this process be killed at a random moment of the span.
func dieWithin(span time.Duration) {
	time.AfterFunc(rand.N(span), func() {
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			_ = self.Kill()
		}
	})
}

// killedChild records attempts, says the name of each that was acknowledged, and dies at a random
// moment: soon after as many attempts as it is told, which a machine that is slow gets to as well.
func killedChild(args []string) error {
	path, name := args[0], args[1]
	span, err := time.ParseDuration(args[2])
	if err != nil {
		return err
	}
	after, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	if after == 0 {
		dieWithin(span)
	}
	ctx := context.Background()
	s, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		a := Attempt{Task: "t" + strconv.Itoa(n%3), Success: n%4 == 3, Output: name + "." + strconv.Itoa(n)}
		if n%5 > 0 {
			a.Usage = executor.Usage{InputTokens: taxonomy.Some(int64(n)), OutputTokens: taxonomy.Some(int64(7)),
				CostUSD: taxonomy.Some(0.3)}
		}
		if !a.Success {
			a.Error = strings.Repeat("x", n*97%9000)
		}
		if _, err := s.RecordAttempt(ctx, a); err != nil {
			return err
		}
		fmt.Println(a.Output)
		if n+1 == after {
			dieWithin(killSoon)
		}
	}
}

func TestKilledWhileAttemptsAreWritten(t *testing.T) {
	files := killFiles
	if testing.Short() {
		files = 1
	}
	for f := range files {
		t.Run(strconv.Itoa(f), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "state.db")
			var acknowledged []string
			for kill := range killsEach {
				acknowledged = append(
					acknowledged, killed(t, path, fmt.Sprintf("%d.%d", f, kill), killSpan, rand.N(killAfter+1))...)
				if kill%killCheck == killCheck-1 {
					allThere(t, path, acknowledged)
				}
			}
			assert.Greater(t, len(acknowledged), killsEach, "hardly anything was written")
			t.Logf("%d attempts", len(acknowledged))
		})
	}
}

func TestKilledWhileItIsMade(t *testing.T) {
	dir := t.TempDir()
	for n := range madeFiles {
		path := filepath.Join(dir, strconv.Itoa(n)+".db")
		allThere(t, path, killed(t, path, "c", madeSpan, 0))
		assert.NoFileExists(t, path+".tmp")
	}
}

// killed runs one child to its end, and returns what it acknowledged.
func killed(t *testing.T, path, name string, span time.Duration, after int) []string {
	t.Helper()
	out, err := childCommand(t, "kill", path, name, span.String(), strconv.Itoa(after)).Output()
	var names []string
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		require.NotContains(t, lines.Text(), "error")
		names = append(names, lines.Text())
	}
	require.ErrorContains(t, err, "signal: killed")
	return names
}

// allThere asserts that every acknowledged attempt is there, none twice, and that the counters are
// those that a recount gives.
func allThere(t *testing.T, path string, acknowledged []string) {
	t.Helper()
	s, err := Open(t.Context(), path, Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	sound(t, s)
	recounted(t, s)
	there := map[string]int{}
	failures, status := 0, map[string]string{}
	err = s.query(t.Context(), "read", "SELECT claude_output, success, task_id FROM attempts ORDER BY id", nil,
		func(r row) error {
			var name, task string
			var success bool
			if err := r.Scan(&name, &success, &task); err != nil {
				return err
			}
			there[name]++
			failures++
			status[task] = "running"
			if success {
				failures, status[task] = 0, "completed"
			}
			return nil
		})
	require.NoError(t, err)
	for name, times := range there {
		assert.Equal(t, 1, times, name)
	}
	for _, name := range acknowledged {
		assert.Contains(t, there, name)
	}
	completed := 0
	for _, s := range status {
		if s == "completed" {
			completed++
		}
	}
	counters, err := s.Counters(t.Context())
	require.NoError(t, err)
	assert.Equal(t, Counters{ConsecutiveFailures: failures, Completed: completed}, counters)
}
