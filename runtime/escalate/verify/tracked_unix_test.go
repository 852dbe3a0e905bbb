//go:build unix

package verify_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/escalate/verify"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/proc"
)

// B-X06: whoever asks knows which processes check, and can end them, with all that they have begun.
func TestCommandsAreTracked(t *testing.T) {
	dir := t.TempDir()
	v := verifier(t, verify.Options{Dir: dir, Grace: 100 * time.Millisecond})
	hang := "sleep 600 & echo $! >pids; (setsid sleep 600 & echo $! >>pids); echo >begun; wait"
	if runtime.GOOS != "linux" {
		hang = "sleep 600 & echo $! >pids; echo >begun; wait"
	}
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "begun"), 0o600))
	var seen []executor.Process
	ending := make(chan struct{})
	tracking := v.Tracking(func(p executor.Process) error {
		if seen = append(seen, p); len(seen) == 2 {
			go func() {
				defer close(ending)
				_, err := os.ReadFile(filepath.Join(dir, "begun")) // until all of it is there
				assert.NoError(t, errors.Join(err, v.End(context.WithoutCancel(t.Context()), p)))
			}()
		}
		return nil
	})
	got := tracking.Gate(t.Context(), []plan.Command{sh("true"), sh(hang), sh("exit 3")})
	<-ending
	require.Len(t, got, 2)
	assert.Equal(
		t, []string{"SIGTERM: ", "exit exit 3: "}, []string{strings.TrimPrefix(brief(got[0]), "exit "), brief(got[1])})
	require.Len(t, seen, 3)
	assert.NotEqual(t, seen[0], seen[1])
	pids, err := os.ReadFile(filepath.Join(dir, "pids"))
	require.NoError(t, err)
	for _, pid := range strings.Fields(string(pids)) {
		assert.NotContains(t, stateOf(pid), "S")
	}
	require.NoError(t, v.End(t.Context(), seen[1]), "it is gone")
	assert.False(t, proc.Alive(proc.ID{PID: seen[1].PID, Start: seen[1].Start}))
}

// A process that is refused is ended, and neither a gate nor a criterion passes.
func TestCommandsAreRefused(t *testing.T) {
	unwanted := errors.New("unwanted")
	v := verifier(t, verify.Options{Dir: t.TempDir(), Grace: 100 * time.Millisecond})
	tracking := v.Tracking(func(executor.Process) error { return unwanted })
	hang := sh("sleep 600")
	got := tracking.Gate(t.Context(), []plan.Command{hang})
	got = append(got, tracking.Criteria(t.Context(), []plan.Criterion{{Kind: plan.Passes, Command: &hang}})...)
	require.Len(t, got, 2)
	for _, ev := range got {
		assert.ErrorIs(t, ev, unwanted)
		assert.True(t, ev.ExitCode.IsZero())
		assert.Empty(t, ev.Signal, "that was not its own end")
	}
}

// Several track at once, each its own; who does not ask is told nothing.
func TestTrackingAtOnce(t *testing.T) {
	v := verifier(t, verify.Options{Dir: t.TempDir()})
	var all sync.WaitGroup
	for range 4 {
		seen := 0
		mine := v.Tracking(func(executor.Process) error {
			seen++
			return nil
		})
		all.Go(func() {
			assert.Empty(t, mine.Gate(t.Context(), []plan.Command{sh("true"), sh("true")}))
			assert.Equal(t, 2, seen)
		})
		all.Go(func() { assert.Empty(t, v.Gate(t.Context(), []plan.Command{sh("true")})) })
	}
	all.Wait()
}
