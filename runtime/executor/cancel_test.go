package executor

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(reactions(), waits("a", "forbidden"), done())
		w.cfg.Clock, w.cfg.Limits.Iteration = retry.System, time.Minute
		r := w.run(t)
		assert.Equal(t, EndCompleted, r.EndReason)
		assert.Equal(t, "timeout", r.Errors[0].Code)
		seen := w.events.first(ErrorClassified).Err.(*coded).cause.(*taxonomy.Evidence)
		assert.Equal(t, map[string]string{"iteration": "1", "timeout_ms": "60000", "elapsed_ms": "60000"},
			seen.Attributes)
		assert.NotContains(t, w.tree.files, "forbidden", "leftovers of a call that ran out of time are judged")
		assert.Equal(t, []string{"a"}, r.CommittedFiles)
	})
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(reactions(), waits("a", "forbidden"))
		w.cfg.Clock = retry.System
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, cancel)
		e, err := New(w.cfg)
		require.NoError(t, err)
		r := e.Run(ctx, aTask)
		assert.Equal(t, EndCancelled, r.EndReason)
		assert.Equal(t, StatusCancelled, r.Status)
		assert.Zero(t, r.Counted)
		assert.NotContains(t, w.tree.files, "forbidden")
		assert.Equal(t, []string{"a"}, r.UncommittedFiles)
		assert.Empty(t, w.tree.commits)
	})
}

func TestCancelDuringAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(reactions(), breaks("wait"))
		w.cfg.Clock = retry.System
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, cancel)
		e, err := New(w.cfg)
		require.NoError(t, err)
		r := e.Run(ctx, aTask)
		assert.Equal(t, EndCancelled, r.EndReason)
		assert.Equal(t, "wait", r.ErrorCode, "the last error is there, too")
		assert.Equal(t, Duration(time.Second), r.Waited)
	})
}

func TestGraceIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(reactions(), waits("a"))
		w.cfg.Clock, w.cfg.Limits.Grace = retry.System, time.Second
		w.cfg.Guard = stuck{}
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, cancel)
		e, err := New(w.cfg)
		require.NoError(t, err)
		began := time.Now()
		r := e.Run(ctx, aTask)
		assert.Equal(t, EndCancelled, r.EndReason)
		assert.Equal(t, 2*time.Second, time.Since(began))
		assert.Equal(t, []string{"a"}, r.UncheckedFiles)
	})
}

// stuck is a guard that never judges.
type stuck struct{}

func (stuck) Mode() string { return "" }
func (stuck) Judge(ctx context.Context, _ []Change) ([]Verdict, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var run *Run
		w := newWorld(reactions(), step{do: func(context.Context, Request) (Answer, error) {
			run.Pause()
			run.Pause()
			return Answer{}, nil
		}}, waits(), done())
		w.cfg.Clock, w.cfg.Limits.Iteration = retry.System, time.Minute
		e, err := New(w.cfg)
		require.NoError(t, err)
		began := time.Now()
		start := make(chan struct{})
		w.provider.available = nil
		go func() {
			<-start
			time.Sleep(time.Hour)
			run.Unpause()
			run.Unpause()
		}()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		held := make(chan struct{})
		w.cfg.Asker = nil
		first := w.provider.steps[0].do
		w.provider.steps[0].do = func(ctx context.Context, q Request) (Answer, error) {
			<-held
			return first(ctx, q)
		}
		run = e.Start(ctx, aTask)
		close(held)
		close(start)
		r := run.Wait()
		assert.Equal(t, EndCompleted, r.EndReason)
		assert.Equal(t, time.Hour+time.Minute, time.Since(began), "pausing does not eat the iteration's deadline")
		assert.Contains(t, w.events.kinds(), Paused)
		assert.Contains(t, w.events.kinds(), Unpaused)
	})
}

func TestCancelWhilePaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(reactions(), works())
		w.cfg.Clock = retry.System
		e, err := New(w.cfg)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(context.Background())
		w.provider.steps[0].do = func(context.Context, Request) (
			Answer, error) {
			time.Sleep(time.Second)
			return Answer{}, nil
		}
		run := e.Start(ctx, aTask)
		run.Pause()
		time.Sleep(time.Minute)
		cancel()
		assert.Equal(t, EndCancelled, run.Wait().EndReason)
	})
}
