package contract_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/executor/state"
)

// stores are the implementations of the run loop that keep a run in a store.
func stores() []runner {
	return []runner{
		executorRunner{kind: " with filestore", store: openFileStore},
		executorRunner{kind: " with state", store: openState},
	}
}

func openFileStore(_ context.Context, dir string) (executor.Store, func() error, error) {
	return filestore.New(dir), func() error { return nil }, nil
}

func openState(ctx context.Context, dir string) (executor.Store, func() error, error) {
	s, err := state.Open(ctx, filepath.Join(dir, "state.db"), state.Options{})
	if err != nil {
		return nil, nil, err
	}
	return s.RunStore(), s.Close, nil
}

// TestKilled kills each story at its points: before and after each save, and before and after each
// effect. The next process carries the run to the end of an undisturbed one. With -short it tries
// a sample of the points.
func TestKilled(t *testing.T) {
	for _, r := range stores() {
		for i, s := range stories() {
			if s.host.cancelAt > 0 || s.host.runLimit > 0 {
				continue // a cancellation and a time limit may end with the process that they were meant for
			}
			t.Run(r.name()+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					whole := undisturbed(t, r, s)
					stride := 1
					if testing.Short() {
						stride = 83
					}
					for at := 1 + i%min(stride, max(1, len(whole.points))); at <= len(whole.points); at += stride {
						whole.kill(t, r, at)
					}
				})
			})
		}
	}
}

// mortal is a run whose processes die at a point.
type mortal struct {
	*world
	dir    string
	points []string // of all processes
	saved  progress // how far the script was at the last save
	end    *outcome
}

// live is one process of the run. It dies at a point, counted from 1; 0 is never.
func (m *mortal) live(t *testing.T, r runner, at int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	m.cancel = cancel
	m.point = func(what string) {
		m.points = append(m.points, what)
		if what == "after store" {
			m.saved = m.Used.clone()
		}
		if n++; n == at {
			runtime.Goexit()
		}
	}
	var err error
	m.end, err = r.run(life{m.story, ctx, m.world, m.dir})
	require.NoError(t, err)
}

func undisturbed(t *testing.T, r runner, s *story) *mortal {
	t.Helper()
	m := &mortal{world: newWorld(s), dir: t.TempDir()}
	m.live(t, r, 0)
	require.NotNil(t, m.end)
	return m
}

// inCall reports whether a process that dies at the point may have lost a call: no save lies
// between the call and the point, on either side.
func (m *mortal) inCall(at int) bool {
	from, to := at-1, at-1
	for from > 0 && m.points[from] != "after store" {
		from--
	}
	for to < len(m.points)-1 && (m.points[to] != "before store" || to == from) {
		to++
	}
	return slices.ContainsFunc(m.points[from:to+1], func(p string) bool { return strings.HasSuffix(p, " call") })
}

// kill plays the story of whole again, kills it at a point, and compares how the next process ends.
func (whole *mortal) kill(t *testing.T, r runner, at int) {
	t.Helper()
	s := *whole.story
	mayLose := whole.inCall(at)
	if mayLose { // a lost call is an iteration and a question about the budget more
		s.host.iterations++
	}
	m := &mortal{world: newWorld(&s), dir: t.TempDir(), saved: progress{Fails: map[string]int{}}}
	m.live(t, r, at)
	require.Nil(t, m.end)
	// The world repeats its answers since the last save, because the causes of failures persist.
	m.Used = m.saved.clone()
	if mayLose && m.Used.Fails["budget"] > 0 {
		m.Used.Fails["budget"]--
	}
	m.live(t, r, 0)
	require.NotNil(t, m.end)
	whole.compare(t, m, at)
	require.NoError(t, os.RemoveAll(m.dir))
}

// compare compares how a run ended that was killed at a point.
func (whole *mortal) compare(t *testing.T, m *mortal, at int) {
	t.Helper()
	about := fmt.Sprintf("killed at point %d of %q", at, whole.points[:at])
	lost := slices.ContainsFunc(m.end.Errors, func(e string) bool { return strings.Contains(e, " resume ") })
	if lost {
		assert.True(t, whole.inCall(at), "a call was lost that was saved: %s", about)
		assert.Equal(t, whole.lossy(), m.lossy(), about)
		assert.LessOrEqual(t, m.Calls, whole.Calls+1, about)
	} else {
		assert.Equal(t, whole.lasting(), m.lasting(), about)
		assert.LessOrEqual(t, len(m.Commits), len(whole.Commits), about)
	}
	assert.LessOrEqual(t, m.Strategies, whole.Strategies+1, about)
	assert.Empty(t, m.Lost, "reverted without having been saved: %s", about)
	require.False(t, t.Failed())
}

// lasting is what a run comes to however often its processes have died. Errors of the setup, which
// each process repeats, are not part of it; neither is how often a repeated step has failed alike.
func (m *mortal) lasting() string {
	o := *m.end
	o.Resumed = false
	o.Errors = nil
	for _, e := range slices.Compact(slices.Clone(m.end.Errors)) {
		if !strings.HasPrefix(e, "0 ") {
			o.Errors = append(o.Errors, e)
		}
	}
	return indented(o, m.Disk, m.Head, m.Commits, m.Pushed, m.PRs, m.Calls)
}

// lossy is the outcome of a run that lost a call.
func (m *mortal) lossy() string {
	all := []any{m.end.End, m.end.Pushed, m.end.PullRequest, m.end.Question}
	if m.end.End == "completed" {
		all = append(all, m.Disk, m.Head)
	}
	return fmt.Sprint(all...)
}
