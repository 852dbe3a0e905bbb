package executor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// recoveries are reactions that run a strategy, in place and between iterations.
func recoveries() map[string]taxonomy.Reaction {
	all := reactions()
	many := &taxonomy.Policy{MaxAttempts: 20, Backoff: taxonomy.Constant}
	all["in_place"] = taxonomy.Reaction{Action: taxonomy.Recover, Strategy: "mend", Resume: taxonomy.ResumeOperation,
		Policy: many, Then: &reactBlock}
	all["between"] = taxonomy.Reaction{Action: taxonomy.Recover, Strategy: "mend", Policy: many, Then: &reactBlock}
	return all
}

func profiled(recovery taxonomy.Recovery) *taxonomy.Profile {
	return &taxonomy.Profile{Recovery: recovery, Retry: taxonomy.RetryDefaults{Enabled: true}}
}

// D166: what the profile allows is counted over the whole run, and not since the last success.
func TestRecoveriesAreBoundedByTheProfile(t *testing.T) {
	three := taxonomy.Recovery{Enabled: true, MaxAttempts: 3}
	for _, c := range []struct {
		name    string
		steps   []step
		allowed taxonomy.Recovery
		runs    int
		want    EndReason
	}{
		{"in place", []step{breaks("in_place")}, three, 3, EndRetriesUsedUp},
		{"between iterations", []step{breaks("between")}, three, 3, EndRetriesUsedUp},
		{"with successes in between",
			[]step{breaks("in_place"), works(), breaks("in_place"), works(), breaks("in_place"), works(),
				breaks("in_place")}, three, 3, EndRetriesUsedUp},
		{"each code by itself",
			[]step{breaks("in_place"), breaks("between"), breaks("in_place"), breaks("between"), done()}, three, 4,
			EndCompleted},
		{"no number", []step{breaks("in_place"), breaks("in_place"), breaks("in_place"), breaks("in_place"), done()},
			taxonomy.Recovery{Enabled: true}, 4, EndCompleted},
		// B-D24: what is off runs nothing, whatever is listed.
		{"off", []step{breaks("in_place")}, taxonomy.Recovery{MaxAttempts: 3, Allowed: []string{"mend"}}, 0,
			EndBlocked},
		{"never, whatever is on and listed", []step{breaks("in_place")},
			taxonomy.Recovery{Enabled: true, MaxAttempts: -1, Allowed: []string{"mend"}}, 0, EndBlocked},
		{"listed", []step{breaks("in_place"), done()}, taxonomy.Recovery{Enabled: true, Allowed: []string{"mend"}}, 1,
			EndCompleted},
		{"not listed", []step{breaks("in_place"), done()}, taxonomy.Recovery{Enabled: true, Allowed: []string{"other"}},
			0, EndBlocked},
		{"none listed", []step{breaks("in_place"), done()}, taxonomy.Recovery{Enabled: true, Allowed: []string{}}, 0,
			EndBlocked},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(recoveries(), c.steps...)
			runs := 0
			w.cfg.Recoverer = strategies(func(taxonomy.RecoveryRequest) error { runs++; return nil })
			w.cfg.Table.Overlay = profiled(c.allowed)
			r := w.run(t)
			assert.Equal(t, c.want, r.EndReason)
			assert.Equal(t, c.runs, runs)
		})
	}
}

// D166: the count survives the death of the process, wherever it dies.
func TestRecoveriesAreBoundedOverAResume(t *testing.T) {
	for _, typ := range []string{"in_place", "between"} {
		for _, at := range []struct {
			point     Point
			iteration int
		}{{PointClosed, 1}, {PointStarted, 2}, {PointClosed, 2}, {PointStarted, 4}} {
			t.Run(typ+" "+string(at.point), func(t *testing.T) {
				steps := []step{breaks(typ), works(), breaks(typ), works(), breaks(typ), works(), breaks(typ), done()}
				m := mortalOf(DeliverCommits, recoveries(), steps...)
				runs := map[int]bool{} // by the call that it is the strategy for
				m.cfg.Recoverer = strategies(
					func(taxonomy.RecoveryRequest) error {
						runs[m.cfg.Provider.(*mortalProvider).
							over] = true
						return nil
					})
				m.cfg.Table.Overlay = profiled(taxonomy.Recovery{Enabled: true, MaxAttempts: 3})
				m.diesAt(t, at.point, at.iteration)
				r := m.live(t, 0)
				assert.Equal(t, EndRetriesUsedUp, r.EndReason)
				assert.Equal(t, typ, r.ErrorCode)
				assert.Len(t, runs, 3)
			})
		}
	}
}

// What happened is told with what it happened for.
func TestEventsOfTries(t *testing.T) {
	w := newWorld(recoveries(), breaks("in_place"), breaks("wait"), done())
	w.cfg.Recoverer = strategies(func(taxonomy.RecoveryRequest) error { return nil })
	w.cfg.Table.Overlay = profiled(taxonomy.Recovery{Enabled: true, MaxAttempts: 3})
	r := w.run(t)
	require.Equal(t, EndCompleted, r.EndReason)
	e := w.events.first(Recovered)
	assert.Equal(t, "in_place", taxonomy.CodeOf(e.For))
	assert.Equal(t, []any{"mend", "call", "fake", 1, 3}, []any{e.Text, e.Op, e.Source, e.Attempt, e.MaxAttempts})
	assert.Equal(t, "in_place", e.Reaction.Name)
	var tries [][]int
	for _, e := range w.events.all {
		if e.Kind == ReactionTaken {
			tries = append(tries, []int{e.Attempt, e.MaxAttempts})
		}
	}
	assert.Equal(t, [][]int{{1, 3}, {1, 4}}, tries)
}

// A failed strategy says so, and what follows is told, too.
func TestEventOfAFailedStrategy(t *testing.T) {
	w := newWorld(recoveries(), breaks("in_place"))
	w.cfg.Recoverer = strategies(func(taxonomy.RecoveryRequest) error { return fails("t") })
	w.run(t)
	e := w.events.first(Recovered)
	assert.Error(t, e.Err)
	assert.Equal(t, "in_place", taxonomy.CodeOf(e.For))
	assert.Equal(t, 19, e.MaxAttempts, "the first of 20 calls has no strategy before it")
}

// B-X01, B-X08: how many calls there may be in all, and how many failures in a row, are two limits.
func TestTwoLimits(t *testing.T) {
	all := reactions()
	all["uncounted"] = taxonomy.Reaction{Action: taxonomy.Retry,
		Policy: &taxonomy.Policy{MaxAttempts: 6, InitialDelay: 5 * time.Second, Backoff: taxonomy.Constant}}
	all["counted"] = taxonomy.Reaction{Action: taxonomy.Retry, CountFailure: true,
		Policy: &taxonomy.Policy{MaxAttempts: 6, InitialDelay: 5 * time.Second, Backoff: taxonomy.Constant}}
	for _, c := range []struct {
		typ                  string
		want                 EndReason
		calls, failures, all int
	}{
		{"uncounted", EndRetriesUsedUp, 6, 0, 0},
		{"counted", EndMaxFailures, 4, 4, 0},
		{"counted", EndAttemptsUsedUp, 2, 2, 2},
	} {
		w := newWorld(all, breaks(c.typ))
		w.cfg.Limits.Failures, w.cfg.Limits.Attempts = 4, c.all
		r := w.run(t)
		assert.Equal(t, c.want, r.EndReason)
		assert.Equal(t, c.calls, r.Calls)
		assert.Equal(t, c.failures, r.Failures)
	}
}
