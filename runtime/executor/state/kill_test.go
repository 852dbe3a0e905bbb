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
)

// recordChild records attempts, prints the name of each after it was acknowledged, and kills itself
// at a random moment soon after the given number, or soon after its start if that is 0.
func recordChild(args []string) error {
	path, name := args[0], args[1]
	after, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	dieSoon := func() {
		time.AfterFunc(rand.N(20*time.Millisecond), func() {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill()
			}
		})
	}
	if after == 0 {
		dieSoon()
	}
	s, err := Open(context.Background(), path, Options{})
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		a := Attempt{Task: "t" + strconv.Itoa(n%3), Success: n%4 == 3, Output: name + "." + strconv.Itoa(n)}
		if !a.Success {
			a.Error = strings.Repeat("x", n*97%9000)
		}
		if _, err := s.RecordAttempt(context.Background(), a); err != nil {
			return err
		}
		fmt.Println(a.Output)
		if n == after {
			dieSoon()
		}
	}
}

// Processes that record attempts are killed at random moments, also while they create the file, or
// import an older one: no acknowledged attempt is lost, none is recorded twice, and the file is
// correct.
func TestKilledWhileRecording(t *testing.T) {
	files, kills := 4, 40
	if testing.Short() {
		files, kills = 2, 10
	}
	for f := range files {
		t.Run(strconv.Itoa(f), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), ".executor-state.db")
			if f%2 == 1 {
				require.NoError(t, os.WriteFile(LegacyPath(path), []byte(oldState), 0o600))
			}
			var acknowledged []string
			for kill := range kills {
				out, err := child(t, "record", path, strconv.Itoa(kill), strconv.Itoa(kill%7)).Output()
				require.ErrorContains(t, err, "signal: killed", string(out))
				for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
					require.NotContains(t, lines.Text(), "error")
					acknowledged = append(acknowledged, lines.Text())
				}
			}
			require.Greater(t, len(acknowledged), kills)
			checkRecorded(t, path, acknowledged)
		})
	}
}

// checkRecorded asserts that each acknowledged attempt was recorded once, and that the counters are
// those of a recount.
func checkRecorded(t *testing.T, path string, acknowledged []string) {
	t.Helper()
	s, ctx := opened(t, path), t.Context()
	recorded := map[string]int{}
	status := map[string]TaskStatus{}
	failures, last := 0, int64(0)
	all, err := list[Attempt](ctx, s, "read", "SELECT "+attempt+" FROM attempts ORDER BY id")
	require.NoError(t, err)
	for _, a := range all {
		recorded[a.Output]++
		require.Greater(t, a.ID, last)
		last = a.ID
		failures++
		status[a.Task] = TaskRunning
		if a.Success {
			failures, status[a.Task] = 0, TaskCompleted
		}
	}
	for _, name := range acknowledged {
		assert.Equal(t, 1, recorded[name], name)
	}
	completed := 0
	for _, s := range status {
		if s == TaskCompleted {
			completed++
		}
	}
	counters, err := s.Counters(ctx)
	require.NoError(t, err)
	assert.Equal(t, Counters{ConsecutiveFailures: failures, Completed: completed}, counters)
	sound(t, path)
}

// manyChild records attempts from several goroutines, opening and closing the file several times.
func manyChild(args []string) error {
	for range 3 {
		s, err := Open(context.Background(), args[0], Options{})
		if err != nil {
			return err
		}
		done := make(chan error)
		for range 4 {
			go func() {
				var err error
				for n := 0; n < 5 && err == nil; n++ {
					_, err = s.RecordAttempt(context.Background(), Attempt{Task: "T", Error: "x"})
				}
				done <- err
			}()
		}
		for range 4 {
			if e := <-done; e != nil {
				err = e
			}
		}
		if closed := s.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// B-S08: several processes, of several goroutines each, write the same new file.
func TestManyProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	const processes = 4
	var outputs [processes]bytes.Buffer
	wait := make([]func() error, 0, processes)
	for i := range processes {
		c := child(t, "many", path)
		c.Stdout = &outputs[i]
		require.NoError(t, c.Start())
		wait = append(wait, c.Wait)
	}
	for i, w := range wait {
		assert.NoError(t, w(), outputs[i].String())
	}
	counters, err := opened(t, path).Counters(t.Context())
	require.NoError(t, err)
	assert.Equal(t, processes*3*4*5, counters.ConsecutiveFailures)
	sound(t, path)
}
