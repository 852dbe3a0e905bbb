package executor

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// parts is every part of an [Admission] in one.
type parts struct {
	waits, checks, released int
	checkErr                error
	bills                   []Call
	outcomes                []retry.Outcome
}

func (p *parts) Allow(_ context.Context, c Call) error { p.bills = append(p.bills, c); return nil }
func (p *parts) Learn(o retry.Outcome)                 { p.outcomes = append(p.outcomes, o) }
func (p *parts) Before(_ context.Context, c Call) (func(), error) {
	if p.waits > 0 {
		p.waits--
		return nil, &loop.Admission{Until: c.Now.Add(30 * time.Second), Why: "prevent: limit"}
	}
	p.checks++
	if err := p.checkErr; err != nil {
		p.checkErr = nil
		return nil, err
	}
	return func() { p.released++ }, nil
}

// TestAdmission runs with a budget, lanes, a breaker, prevention and a learner together.
func TestAdmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := reactions()
		p := *policy(9)
		p.JitterKind = taxonomy.JitterNone
		p.Budget = &taxonomy.Budget{Reserve: 1, Window: time.Hour}
		m["limit"] = taxonomy.Reaction{Action: taxonomy.Retry, Policy: &p, Shared: taxonomy.SharedCredential,
			Then: &taxonomy.Reaction{Name: "block", Action: taxonomy.Block}}
		w := newSimulation(breaks("limit"), breaks("limit"), done("a"))
		cfg := w.config(tablesOf(m), nil)
		all := &parts{waits: 1}
		cfg.Clock = retry.System
		lanes := retry.NewSharedWait(cfg.Clock, func() float64 { return 0 })
		cfg.Admission = Admission{
			Budget: all, Lanes: lanes, Breaker: breaker.New(breaker.Options{}), Preventer: all,
			Learners: []retry.Learner{all},
		}
		s := runState(t.Context(), cfg, aTask, nil)
		assert.Equal(t, EndRetriesUsedUp, s.End, "one retry is in the budget")
		assert.Equal(t, 2, w.Calls)
		assert.Equal(t, 2, all.checks)
		assert.Equal(t, 2, all.released)
		require.GreaterOrEqual(t, len(s.Waits), 2)
		assert.Equal(t, "prevent: limit", s.Waits[0].For)
		assert.Equal(t, "limit", s.Waits[1].For)
		require.NotEmpty(t, all.bills)
		assert.Equal(t, 1, all.bills[0].Iteration)
		require.Len(t, all.outcomes, 2)
		assert.Equal(t, []string{"limit", "limit"}, []string{all.outcomes[0].Code, all.outcomes[1].Code})
		assert.Equal(t, []string{"", "limit"}, []string{all.outcomes[0].After, all.outcomes[1].After})
		assert.Equal(t, 2, all.outcomes[1].Attempt)
	})
}

// TestMeasureFails fails the call that a measure was taken for.
func TestMeasureFails(t *testing.T) {
	w := newSimulation(done("a"))
	cfg := w.config(tablesOf(reactions()), nil)
	all := &parts{checkErr: evidence("quota", "crash")}
	cfg.Admission = Admission{Preventer: all}
	s := runState(t.Context(), cfg, aTask, nil)
	assert.Equal(t, EndCompleted, s.End)
	require.Len(t, s.Errors, 1)
	assert.Equal(t, loop.OpCall, s.Errors[0].Op)
	assert.Equal(t, "crash", s.Errors[0].Code)
	assert.Equal(t, 1, s.Counted)
	assert.Equal(t, 2, s.Iter.Number)
	assert.Equal(t, 1, w.Calls)
	assert.Equal(t, 1, all.released)
}

// TestLaneWaits makes runs that share a credential wait together, and not beyond their deadline.
func TestLaneWaits(t *testing.T) {
	for _, tt := range []struct {
		run   time.Duration
		end   EndReason
		calls int
	}{{Unlimited, EndCompleted, 1}, {time.Minute, EndDeadline, 0}} {
		synctest.Test(t, func(t *testing.T) {
			w := newSimulation(done("a"))
			cfg := w.config(tablesOf(reactions()), nil)
			cfg.Clock, cfg.Limits.Run = retry.System, tt.run
			lanes := retry.NewSharedWait(cfg.Clock, func() float64 { return 0 })
			cfg.Admission = Admission{Lanes: lanes}
			require.NoError(t, lanes.Pause(t.Context(), "fake/", time.Now().Add(time.Hour)))
			began := time.Now()
			s := runState(t.Context(), cfg, aTask, nil)
			assert.Equal(t, tt.end, s.End)
			assert.Equal(t, tt.calls, w.Calls)
			if tt.calls > 0 {
				assert.GreaterOrEqual(t, time.Since(began), time.Hour)
				assert.Equal(t, "lane", s.Waits[0].For)
			}
		})
	}
}

// chargingBreaker counts the retries that are charged to the shared budget.
type chargingBreaker struct{ retries int }

func (b *chargingBreaker) Acquire(context.Context, string) (func(retry.Result), error) {
	return func(retry.Result) {}, nil
}
func (b *chargingBreaker) Retry(string, *taxonomy.Policy) bool { b.retries++; return true }

// TestRetryIsChargedOnce charges a retry that waits for its admission once, even if another process
// admits it after the wait.
func TestRetryIsChargedOnce(t *testing.T) {
	for _, dying := range []bool{false, true} {
		w, cfg, _ := play(story{reactions: reactions(), steps: []callStep{breaks("limit"), done("a")}})
		all, shared := &parts{}, &chargingBreaker{}
		cfg.Admission = Admission{Preventer: all, Breaker: shared}
		admissions := 0
		wrap := func(env loop.Env) loop.Env {
			return doing{env, func(e loop.Effect) {
				if _, admits := e.Do.(loop.Admit); !admits {
					return
				}
				switch admissions++; {
				case admissions == 2: // of the retry
					all.waits = 1
				case admissions == 3 && dying:
					panic(killed{})
				}
			}}
		}
		if dying {
			require.True(t, dies(func() { runState(t.Context(), cfg, aTask, wrap) }))
		}
		s := runState(t.Context(), cfg, aTask, wrap)
		assert.Equal(t, EndCompleted, s.End)
		assert.Equal(t, 2, w.Calls)
		assert.Equal(t, 1, shared.retries)
	}
}

// doing calls a function before each effect.
type doing struct {
	loop.Env
	before func(loop.Effect)
}

func (d doing) Do(e loop.Effect) loop.Outcome {
	d.before(e)
	return d.Env.Do(e)
}
