package executor

import (
	"context"
	"math/rand"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// canceller cancels the run in its n-th effect.
type canceller struct {
	loop.Env
	n, at int
	stop  func()
	ops   []string
}

func (c *canceller) Do(e loop.Effect) loop.Outcome {
	if c.at++; c.at == c.n {
		c.stop()
	}
	c.ops = append(c.ops, e.Op())
	return c.Env.Do(e)
}

func TestCancelAtEachEffect(t *testing.T) {
	seeds := int64(100)
	if testing.Short() {
		seeds = 25
	}
	for seed := range seeds {
		st := randomStory(rand.New(rand.NewSource(seed)))
		for n := 1; ; n++ {
			w, cfg, _ := play(st)
			ctx, stop := context.WithCancel(context.Background())
			c := &canceller{n: n, stop: stop}
			s := runState(ctx, cfg, aTask, func(e loop.Env) loop.Env { c.Env = e; return c })
			stop()
			require.NotEmpty(t, s.End, "seed %d: cancelled at %d", seed, n)
			for i, op := range c.ops {
				require.False(t, op == loop.OpCall && i >= n,
					"seed %d: called after cancellation at %d: %v", seed, n, c.ops)
			}
			for p := range w.Disk {
				if strings.HasPrefix(p, "forbidden") || escapes(p) {
					require.NotEmpty(t, s.Unchecked, "seed %d: %s stays after cancellation at %d: %v",
						seed, p, n, c.ops)
				}
			}
			require.Empty(t, w.Lost, "seed %d: cancelled at %d", seed, n)
			require.Zero(t, w.Open, "seed %d: cancelled at %d", seed, n)
			require.False(t, twice(w), "seed %d: cancelled at %d", seed, n)
			if c.at < n {
				break
			}
		}
	}
}

func TestIterationTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSimulation(callStep{Hangs: true, Writes: written("a", "forbidden/x")}, done("b"))
		m := reactions()
		m["timeout"] = taxonomy.Reaction{Action: taxonomy.Retry, CountFailure: true}
		cfg := w.config(tablesOf(m), nil)
		cfg.Clock, cfg.Limits.Iteration = retry.System, time.Minute
		s := runState(t.Context(), cfg, aTask, nil)
		assert.Equal(t, EndCompleted, s.End)
		assert.Equal(t, "timeout", s.Errors[0].Code)
		assert.Equal(t, 1, s.Counted)
		assert.NotContains(t, w.Disk, "forbidden/x")
		assert.Contains(t, w.LastCommit, "a")
	})
}

// TestGrace checks that a cancelled run judges and reverts for at most the grace.
func TestGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSimulation(callStep{Hangs: true, Writes: written("forbidden/x")})
		cfg := w.config(tablesOf(reactions()), &memStore{})
		cfg.Clock, cfg.Limits.Grace, cfg.Guard = retry.System, time.Minute, slowGuard{}
		e, err := New(cfg)
		require.NoError(t, err)
		ctx, stop := context.WithCancelCause(t.Context())
		began := time.Now().Add(time.Second)
		time.AfterFunc(time.Second, func() { stop(assert.AnError) })
		r := e.Run(ctx, aTask)
		assert.Equal(t, EndCancelled, r.EndReason)
		assert.ErrorIs(t, r.Err, assert.AnError)
		assert.Equal(t, time.Minute, time.Since(began))
		assert.Contains(t, w.Disk, "forbidden/x")

		// The next process inspects the changes that remain.
		w.Steps, cfg.Guard = []callStep{done("a")}, judge{w}
		s := runState(t.Context(), cfg, aTask, nil)
		assert.Equal(t, EndCompleted, s.End)
		assert.NotContains(t, w.Disk, "forbidden/x")
	})
}

// slowGuard judges until its context ends.
type slowGuard struct{}

func (slowGuard) Mode() string { return "strict" }
func (slowGuard) Judge(ctx context.Context, _ []Change) ([]Verdict, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

type observe func(Event)

func (f observe) Observe(e Event) { f(e) }
