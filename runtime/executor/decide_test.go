package executor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var (
	now0    = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	three   = &taxonomy.Policy{MaxAttempts: 3, InitialDelay: time.Second, Backoff: taxonomy.Constant}
	aLadder = ladder{{provider: &fakeProvider{}}, {name: "low", provider: &fakeProvider{}}, {name: "gap"},
		{name: "high", provider: &fakeProvider{}}, {name: "person", person: true}}
	shortOne = ladder{{provider: &fakeProvider{}}}
)

func TestDecide(t *testing.T) {
	again := taxonomy.Reaction{Action: taxonomy.Retry, CountFailure: true}
	policed := taxonomy.Reaction{Action: taxonomy.Retry, CountFailure: true, Policy: three}
	inPlaceOnce := taxonomy.Reaction{Action: taxonomy.RetryOperation, Policy: &taxonomy.Policy{MaxAttempts: 2},
		Then: &reactContinue}
	used := trail{{Calls: 2}}
	tests := []struct {
		name string
		s    situation
		want decision // with the trail as it is before
	}{
		{"abort", situation{reaction: &reactAbort, known: true}, decision{action: taxonomy.Abort, end: EndFatal}},
		{"the zero reaction aborts", situation{reaction: &taxonomy.Reaction{}, known: true},
			decision{action: taxonomy.Abort, end: EndFatal}},
		{"no such action aborts", situation{reaction: &taxonomy.Reaction{Action: 99}, known: true},
			decision{action: taxonomy.Abort, end: EndFatal}},
		{"block", situation{reaction: &reactBlock, known: true}, decision{action: taxonomy.Block, end: EndBlocked}},
		{"continue", situation{reaction: &reactContinue, known: true}, decision{action: taxonomy.Continue}},
		{"retry without a policy", situation{reaction: &again, known: true},
			decision{trail: trail{{Calls: 1000}}, action: taxonomy.Retry, counts: true}},
		{"retry with one", situation{reaction: &policed, known: true},
			decision{action: taxonomy.Retry, counts: true, wait: time.Second}},
		{"retry used up blocks", situation{reaction: &policed, known: true},
			decision{trail: used, action: taxonomy.Block, counts: true, usedUp: true, end: EndRetriesUsedUp}},
		{"retry used up, then abort",
			situation{reaction: &taxonomy.Reaction{Action: taxonomy.Retry, Policy: three, Then: &reactAbort},
				known: true},
			decision{trail: used, action: taxonomy.Abort, usedUp: true, end: EndFatal}},
		{"the next reaction has a count of its own",
			situation{reaction: &taxonomy.Reaction{Action: taxonomy.RetryOperation, Policy: three, Then: &policed},
				known: true},
			decision{trail: used, action: taxonomy.Retry, usedUp: true, counts: true, wait: time.Second}},
		{"retry_operation used up without then",
			situation{reaction: &taxonomy.Reaction{Action: taxonomy.RetryOperation, Policy: three}, known: true},
			decision{trail: used, action: taxonomy.Abort, usedUp: true, end: EndFatal}},
		{"retry_operation without a policy is bounded",
			situation{reaction: &taxonomy.Reaction{Action: taxonomy.RetryOperation, Then: &reactContinue}, known: true},
			decision{trail: used, action: taxonomy.Continue, usedUp: true}},
		{"a policy of time alone is bounded in place", situation{known: true,
			reaction: &taxonomy.Reaction{Action: taxonomy.RetryOperation,
				Policy: &taxonomy.Policy{MaxElapsed: time.Hour}, Then: &reactContinue}},
			decision{trail: trail{{Calls: 99}}, action: taxonomy.Continue, usedUp: true}},
		{"what cannot be run by itself repeats the iteration",
			situation{reaction: &inPlaceOnce, known: true, op: operation{single: true}},
			decision{action: taxonomy.Retry}},
		{"then in a circle aborts", situation{reaction: circle(), known: true},
			decision{trail: trail{{Calls: 9}, {Calls: 9}, {Calls: 9}, {Calls: 9}, {Calls: 9}, {Calls: 9}, {Calls: 9},
				{Calls: 9}}, action: taxonomy.Abort, usedUp: true, end: EndFatal}},

		{"guard: continue blocks", situation{reaction: &reactContinue, known: true, op: guardOp(opScope, "scope", nil)},
			decision{action: taxonomy.Block, end: EndBlocked}},
		{"guard: unknown aborts", situation{reaction: &again, op: guardOp(opScope, "scope", nil)},
			decision{action: taxonomy.Abort, end: EndFatal}},
		{"setup: unknown aborts", situation{reaction: &again, op: setupOp(opLock, "x")},
			decision{action: taxonomy.Abort, end: EndFatal}},
		{"setup: available may continue",
			situation{reaction: &reactContinue, known: true, op: setupOp(opAvailable, "x")},
			decision{action: taxonomy.Continue}},
		{"setup: without a lock there is no going on",
			situation{reaction: &reactContinue, known: true, op: setupOp(opLock, "x")},
			decision{action: taxonomy.Block, end: EndBlocked}},
		{"setup: a lock is no provider's matter",
			situation{reaction: &taxonomy.Reaction{Action: taxonomy.Escalate}, known: true, op: setupOp(opLock, "x"),
				ladder: aLadder},
			decision{action: taxonomy.Block, end: EndBlocked, tier: 1}},
		{"work: unknown is uncategorized", situation{reaction: &again}, decision{action: taxonomy.Retry, counts: true}},
		{"commit: unknown is tried once more", situation{reaction: &again, op: operation{class: classDeliver}},
			decision{action: taxonomy.RetryOperation, wait: time.Second}},
		{"commit: and then the work goes on", situation{reaction: &again, op: operation{class: classDeliver}},
			decision{trail: trail{{Calls: 1}}, action: taxonomy.Continue, usedUp: true}},
		{"side: whatever it says", situation{reaction: &reactAbort, known: true, op: operation{class: classSide}},
			decision{action: taxonomy.Continue}},

		{"a profile without retries passes over them", situation{known: true, ladder: shortOne,
			reaction: &taxonomy.Reaction{Action: taxonomy.Escalate, Then: &policed}, profile: &taxonomy.Profile{}},
			decision{action: taxonomy.Block, usedUp: true, end: EndLadderUsedUp}},
		{"a profile's numbers",
			situation{reaction: &again, known: true,
				profile: &taxonomy.Profile{Retry: taxonomy.RetryDefaults{Enabled: true, Policy: three}}},
			decision{action: taxonomy.Retry, counts: true, wait: time.Second}},
		{"a reaction's own policy comes first",
			situation{reaction: &policed, known: true,
				profile: &taxonomy.Profile{Retry: taxonomy.RetryDefaults{Enabled: true,
					Policy: &taxonomy.Policy{MaxAttempts: 1}}}},
			decision{action: taxonomy.Retry, counts: true, wait: time.Second}},

		{"a wait past the run's end is not begun",
			situation{reaction: &policed, known: true, now: now0, deadline: now0.Add(time.Millisecond)},
			decision{action: taxonomy.Block, counts: true, usedUp: true, end: EndDeadline}},
		{"a wait past the calls' end matters in place only",
			situation{reaction: &policed, known: true, now: now0, inPlace: now0.Add(time.Millisecond)},
			decision{action: taxonomy.Retry, counts: true, wait: time.Second}},
		{"a wait in place past the calls' end", situation{now: now0, inPlace: now0.Add(time.Millisecond), known: true,
			reaction: &taxonomy.Reaction{Action: taxonomy.RetryOperation, Policy: three, Then: &again}},
			decision{action: taxonomy.Retry, counts: true, usedUp: true}},
		{"a wait in place past the calls' end is nothing of the run's time",
			situation{now: now0, inPlace: now0.Add(time.Millisecond), deadline: now0.Add(time.Hour), known: true,
				reaction: &taxonomy.Reaction{Action: taxonomy.RetryOperation, Policy: three, Then: &reactBlock}},
			decision{action: taxonomy.Block, usedUp: true, end: EndRetriesUsedUp}},
		{"a wait in place past both ends",
			situation{now: now0, inPlace: now0.Add(time.Millisecond), deadline: now0.Add(time.Millisecond), known: true,
				reaction: &taxonomy.Reaction{Action: taxonomy.RetryOperation, Policy: three, Then: &reactBlock}},
			decision{action: taxonomy.Block, usedUp: true, end: EndDeadline}},

		{"a hint is honored",
			situation{now: now0, known: true, hint: retry.Hint{After: taxonomy.Some(20 * time.Second)},
				reaction: &taxonomy.Reaction{Action: taxonomy.Retry, HonorRetryAfter: true,
					Policy: &taxonomy.Policy{MaxAttempts: 2, MaxRetryAfter: time.Minute}}},
			decision{action: taxonomy.Retry, wait: 20 * time.Second}},
		{"a hint that nobody honors",
			situation{reaction: &policed, known: true, hint: retry.Hint{After: taxonomy.Some(20 * time.Second)}},
			decision{action: taxonomy.Retry, counts: true, wait: time.Second}},
		{"too long a hint", situation{now: now0, known: true, hint: retry.Hint{After: taxonomy.Some(time.Hour)},
			reaction: &taxonomy.Reaction{Action: taxonomy.Retry, HonorRetryAfter: true,
				Policy: &taxonomy.Policy{MaxAttempts: 2, MaxRetryAfter: time.Minute}}},
			decision{action: taxonomy.Block, usedUp: true, end: EndRetriesUsedUp}},

		{"escalate one up",
			situation{reaction: &taxonomy.Reaction{Action: taxonomy.Escalate}, known: true, ladder: aLadder},
			decision{action: taxonomy.Escalate, tier: 1}},
		{"escalate up to",
			situation{reaction: &taxonomy.Reaction{Action: taxonomy.Escalate, To: "high"}, known: true,
				ladder: aLadder}, decision{action: taxonomy.Escalate, tier: 3}},
		{"escalate, already there",
			situation{reaction: &taxonomy.Reaction{Action: taxonomy.Escalate, To: "low"}, known: true, ladder: aLadder,
				tier: 1}, decision{action: taxonomy.Escalate, tier: 3}},
		{"escalate to a person",
			situation{reaction: &taxonomy.Reaction{Action: taxonomy.Escalate}, known: true, ladder: aLadder, tier: 3},
			decision{action: taxonomy.Block, end: EndBlocked, tier: 4}},
		{"no higher tier",
			situation{reaction: &taxonomy.Reaction{Action: taxonomy.Escalate}, known: true, ladder: shortOne},
			decision{action: taxonomy.Block, usedUp: true, end: EndLadderUsedUp}},

		{"recover",
			situation{reaction: &taxonomy.Reaction{Action: taxonomy.Recover, CountFailure: true}, known: true,
				strategies: true}, decision{action: taxonomy.Recover, counts: true}},
		{"nobody runs strategies", situation{reaction: &taxonomy.Reaction{Action: taxonomy.Recover}, known: true},
			decision{action: taxonomy.Abort, usedUp: true, end: EndFatal}},
		{"a profile's tries are used up",
			situation{reaction: &taxonomy.Reaction{Action: taxonomy.Recover, Then: &reactBlock}, known: true,
				strategies: true,
				runs:       [taxonomy.MaxChain]int{2},
				profile:    &taxonomy.Profile{Recovery: taxonomy.Recovery{Enabled: true, MaxAttempts: 2}}},
			decision{action: taxonomy.Block, usedUp: true, end: EndRetriesUsedUp}},
		{"a strategy has failed",
			situation{reaction: &taxonomy.Reaction{Action: taxonomy.Recover, Then: &reactBlock}, known: true,
				strategies: true,
				failed:     &taxonomy.Reaction{Action: taxonomy.Recover, Then: &reactBlock}},
			decision{action: taxonomy.Block, usedUp: true, end: EndRetriesUsedUp}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := decision{trail: tt.want.trail}
			decide(&tt.s, &d)
			tt.want.trail = trail{}
			got := decision{action: d.action, wait: d.wait, usedUp: d.usedUp, counts: d.counts, end: d.end,
				tier: d.tier}
			assert.Equal(t, tt.want, got)
		})
	}
}

// circle returns a reaction that follows itself, which no taxonomy that was checked has.
func circle() *taxonomy.Reaction {
	r := &taxonomy.Reaction{Action: taxonomy.Retry, Policy: three}
	r.Then = r
	return r
}

func decided() *situation {
	then := taxonomy.Reaction{Action: taxonomy.Retry, Policy: three, Then: &reactBlock}
	first := taxonomy.Reaction{Action: taxonomy.Retry, Policy: &taxonomy.Policy{MaxAttempts: 1}, Then: &then}
	return &situation{reaction: &first, known: true, now: now0, ladder: aLadder, random: func() float64 { return 0.5 },
		profile: &taxonomy.Profile{Retry: taxonomy.RetryDefaults{Enabled: true}}}
}

func TestDecideAllocatesNothing(t *testing.T) {
	s := decided()
	var d decision
	assert.Zero(t, testing.AllocsPerRun(100, func() { d.trail = trail{}; decide(s, &d) }))
	assert.Equal(t, taxonomy.Retry, d.action)
}

func BenchmarkDecide(b *testing.B) {
	plain := decided()
	plain.reaction = &taxonomy.Reaction{Action: taxonomy.Retry, Policy: three}
	for name, s := range map[string]*situation{"plain": plain, "chained": decided()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var d decision
			for b.Loop() {
				d.trail = trail{}
				if decide(s, &d); d.action != taxonomy.Retry {
					b.Fatal(d.action)
				}
			}
		})
	}
}

// The runs of a strategy are counted at its place in the chain, not at the first.
func TestRunsOfAChain(t *testing.T) {
	last := taxonomy.Reaction{Name: "last", Action: taxonomy.Recover, Strategy: "b"}
	middle := taxonomy.Reaction{Name: "middle", Action: taxonomy.Recover, Strategy: "a", Then: &last}
	head := taxonomy.Reaction{Name: "head", Action: taxonomy.Retry, Then: &middle}
	r := &runner{}
	r.state.Recoveries = map[string]int{"key a": 1, "key b": 2}
	runs := r.runsOf(&situation{known: true, reaction: &head}, "key")
	assert.Equal(t, [taxonomy.MaxChain]int{1: 1, 2: 2}, runs)
}
