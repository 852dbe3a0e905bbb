package handler

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// TestAdaptiveIsHandedOn: what has been learned of a policy is what is waited. D178
func TestAdaptiveIsHandedOn(t *testing.T) {
	p := &taxonomy.Policy{
		Name: "moving", MaxAttempts: 4, InitialDelay: time.Second, MaxDelay: time.Minute, Multiplier: 2,
		Adapt: &taxonomy.Adapt{MinDelay: 500 * time.Millisecond, MaxDelay: 30 * time.Second, Target: 0.8, Window: 50},
	}
	a := retry.NewAdaptive()
	for range 20 { // the first retry always succeeds
		a.Learn(retry.Outcome{After: "moved", Policy: "moving", Attempt: 2, Wait: a.Policy(p, "moved").InitialDelay})
	}
	k := kindsOf(map[string]taxonomy.Reaction{"moved": {Action: taxonomy.RetryOperation, Policy: p}})
	c := newClock()
	h := made(t, func(cfg *Config) { cfg.Table, cfg.Classify, cfg.Clock, cfg.Adaptive = k.table(), k.classify, c, a })
	out := h.Handle(t.Context(), Op{Name: "op", Source: "fake", Do: plays("moved", "")})
	require.NoError(t, out.Err)
	assert.Equal(t, []time.Duration{500 * time.Millisecond}, c.slept)
}

// TestLanesAreHandedOn: what somebody else was told to wait is waited for by everybody with that
// credential. B-X01
func TestLanesAreHandedOn(t *testing.T) {
	c := newClock()
	lanes := retry.NewSharedWait(c, func() float64 { return 0 })
	h := made(t, func(cfg *Config) { cfg.Clock, cfg.Lanes = c, lanes })
	require.NoError(t, lanes.Pause(t.Context(), "fake/key", c.Now().Add(time.Hour)))
	for _, credential := range []string{"another", "key"} {
		out := h.Handle(t.Context(), Op{Name: "op", Source: "fake", Credential: credential, Do: plays("")})
		require.NoError(t, out.Err)
		assert.Equal(t, credential == "key", len(c.slept) == 1, credential)
	}
	assert.Equal(t, []time.Duration{time.Hour}, c.slept)
}

// TestCheckerIsHandedOn: the check that is to prevent a failure is run, and fails the call. D180
func TestCheckerIsHandedOn(t *testing.T) {
	var asked []string
	var refused error
	h := made(t, func(c *Config) {
		c.Preventer = checking("quota")
		c.Checker = checker(func(name string) error {
			asked = append(asked, name)
			return refused
		})
	})
	out := h.Handle(t.Context(), Op{Name: "op", Source: "fake", Do: plays("")})
	require.NoError(t, out.Err)
	assert.Equal(t, []string{"quota"}, asked)

	refused = fails("never")
	out = h.Handle(t.Context(), Op{Name: "op", Source: "fake", Do: plays("")})
	assert.Equal(t, "never", taxonomy.CodeOf(out.Err))
	assert.Zero(t, out.Calls)
}

// checking asks for the check before each call.
type checking string

func (c checking) Before(context.Context, executor.Coming) (executor.Precaution, error) {
	return executor.Precaution{Code: "never", Probability: 1, Check: string(c)}, nil
}

type checker func(name string) error

func (c checker) Check(_ context.Context, name string) error { return c(name) }

// TestGrace: an operation whose context has ended has five seconds, unless the configuration says
// otherwise.
func TestGrace(t *testing.T) {
	for given, want := range map[time.Duration]time.Duration{0: 5 * time.Second, 2 * time.Second: 2 * time.Second} {
		t.Run(given.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				h := made(t, func(c *Config) { c.Grace = given })
				began := time.Now()
				out := h.Handle(ctx, Op{Name: "op", Source: "fake", Do: func(context.Context) error {
					cancel()
					time.Sleep(time.Hour)
					return nil
				}})
				require.ErrorIs(t, out.Err, context.Canceled)
				assert.Equal(t, want, time.Since(began))
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// TestStatusSources: of the sources that are named a status is looked for in messages, of others
// not. D159
func TestStatusSources(t *testing.T) {
	for source, want := range map[string]string{"github": "503", "llm": ""} {
		t.Run(source, func(t *testing.T) {
			s := &sink{}
			h := made(t, func(c *Config) { c.Sink, c.StatusSources = s, []string{"github"} })
			h.Handle(t.Context(), Op{Name: "op", Source: source, Do: func(context.Context) error {
				return &taxonomy.Evidence{Source: source, Op: opCall, Type: "never", Text: "HTTP 503"}
			}})
			require.Len(t, s.reported, 1)
			assert.Equal(t, want, s.reported[0].SourceCode)
		})
	}
}

// TestUpdateOfAnOlderFailure: what became of a failure is not said of the one after it.
func TestUpdateOfAnOlderFailure(t *testing.T) {
	s := &sink{}
	op := Op{Name: "op", Source: "fake"}
	w := newWatcher(t.Context(), made(t, func(c *Config) { c.Sink = s }), &op)
	w.Update(&report.Occurrence{ID: "before any"})
	w.Report(&report.Occurrence{ID: "older"})
	w.Report(&report.Occurrence{ID: "newer"})
	recovered := &report.Recovery{Attempts: 1, Strategy: "mend"}
	w.Update(&report.Occurrence{ID: "older", Recovery: recovered})
	assert.Equal(t, "newer", w.last().ID)
	assert.Nil(t, w.last().Recovery)
	assert.Empty(t, s.updated)
	w.Update(&report.Occurrence{ID: "newer", Recovery: recovered})
	assert.Equal(t, recovered, w.last().Recovery)
	assert.Len(t, s.updated, 1)
}
