package retry_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	ms = time.Millisecond
	s  = time.Second
	m  = time.Minute
)

// always is a source that returns f.
func always(f float64) retry.Random { return func() float64 { return f } }

// waits returns the waits of a policy until it is exhausted, at most n.
func waits(p taxonomy.Policy, r retry.Random, n int) []time.Duration {
	var state retry.State
	var out []time.Duration
	for range n {
		next := state.Next(&p, noHint, r)
		if next.Stop != retry.StoppedNot {
			break
		}
		out = append(out, next.Wait)
		state = next.State
	}
	return out
}

func TestNextBackoff(t *testing.T) {
	for _, tt := range []struct {
		name   string
		policy taxonomy.Policy
		random retry.Random
		want   []time.Duration
	}{
		{"zero policy makes one call", taxonomy.Policy{}, always(0.5), nil},
		{"neither attempts nor time make one call", taxonomy.Policy{InitialDelay: s, Multiplier: 2}, nil, nil},
		{"unlimited", taxonomy.Policy{MaxAttempts: retry.Unlimited}, nil, []time.Duration{0, 0, 0, 0, 0, 0}},
		{"attempts count the first call", taxonomy.Policy{MaxAttempts: 3, InitialDelay: s}, nil,
			[]time.Duration{s, 2 * s}},
		{"one attempt", taxonomy.Policy{MaxAttempts: 1, InitialDelay: s}, nil, nil},
		{"negative attempts are unlimited", taxonomy.Policy{MaxAttempts: -1}, nil, []time.Duration{0, 0, 0, 0, 0, 0}},
		{"constant",
			taxonomy.Policy{MaxAttempts: 99, Backoff: taxonomy.Constant, InitialDelay: 5 * s, Multiplier: 3}, nil,
			[]time.Duration{5 * s, 5 * s, 5 * s, 5 * s, 5 * s, 5 * s}},
		{"linear", taxonomy.Policy{MaxAttempts: 99, Backoff: taxonomy.Linear, InitialDelay: s, MaxDelay: 4 * s}, nil,
			[]time.Duration{s, 2 * s, 3 * s, 4 * s, 4 * s, 4 * s}},
		{"exponential", taxonomy.Policy{MaxAttempts: 99, InitialDelay: s, MaxDelay: 20 * s, Multiplier: 3}, nil,
			[]time.Duration{s, 3 * s, 9 * s, 20 * s, 20 * s, 20 * s}},
		{"exponential by a fraction",
			taxonomy.Policy{MaxAttempts: 99, InitialDelay: s, MaxDelay: m, Multiplier: 1.5}, nil,
			[]time.Duration{s, 1500 * ms, 2250 * ms, 3375 * ms, 5062500 * time.Microsecond,
				7593750 * time.Microsecond}},
		{"no multiplier is 2", taxonomy.Policy{MaxAttempts: 99, InitialDelay: s, MaxDelay: m}, nil,
			[]time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s}},
		{"no greatest delay is 30 s", taxonomy.Policy{MaxAttempts: 99, InitialDelay: 20 * s}, nil,
			[]time.Duration{20 * s, 30 * s, 30 * s, 30 * s, 30 * s, 30 * s}},
		{"no greatest delay and a long first", taxonomy.Policy{MaxAttempts: 99, InitialDelay: m}, nil,
			[]time.Duration{m, m, m, m, m, m}},
		{"greatest below the first", taxonomy.Policy{MaxAttempts: 99, InitialDelay: m, MaxDelay: s}, nil,
			[]time.Duration{s, s, s, s, s, s}},
		{"proportional, least",
			taxonomy.Policy{MaxAttempts: 4, InitialDelay: s, MaxDelay: m, JitterKind: taxonomy.JitterProportional,
				Jitter: 0.5}, always(0), []time.Duration{500 * ms, s, 2 * s}},
		{"proportional, middle",
			taxonomy.Policy{MaxAttempts: 4, InitialDelay: s, MaxDelay: m, JitterKind: taxonomy.JitterProportional,
				Jitter: 0.5}, always(0.5), []time.Duration{s, 2 * s, 4 * s}},
		{"proportional, most",
			taxonomy.Policy{MaxAttempts: 4, InitialDelay: s, MaxDelay: m, JitterKind: taxonomy.JitterProportional,
				Jitter: 0.5}, always(1), []time.Duration{1500 * ms, 3 * s, 6 * s}},
		{"proportional at the greatest delay stays below it",
			taxonomy.Policy{MaxAttempts: 3, InitialDelay: m, MaxDelay: m, JitterKind: taxonomy.JitterProportional,
				Jitter: 0.5}, always(1), []time.Duration{m, m}},
		{"proportional at the greatest delay goes down",
			taxonomy.Policy{MaxAttempts: 3, InitialDelay: 1000 * s, MaxDelay: m,
				JitterKind: taxonomy.JitterProportional, Jitter: 0.5}, always(0), []time.Duration{30 * s, 30 * s}},
		{"full, least", taxonomy.Policy{MaxAttempts: 3, InitialDelay: s, MaxDelay: m, JitterKind: taxonomy.JitterFull},
			always(0), []time.Duration{0, 0}},
		{"full, middle", taxonomy.Policy{MaxAttempts: 4, InitialDelay: s, MaxDelay: m, JitterKind: taxonomy.JitterFull},
			always(0.5), []time.Duration{500 * ms, s, 2 * s}},
		{"decorrelated, least",
			taxonomy.Policy{MaxAttempts: 4, InitialDelay: s, MaxDelay: m, JitterKind: taxonomy.JitterDecorrelated},
			always(0), []time.Duration{s, s, s}},
		{"decorrelated, most",
			taxonomy.Policy{MaxAttempts: 6, InitialDelay: s, MaxDelay: 20 * s, JitterKind: taxonomy.JitterDecorrelated},
			always(1), []time.Duration{3 * s, 9 * s, 20 * s, 20 * s, 20 * s}},
		{"no random, no jitter",
			taxonomy.Policy{MaxAttempts: 3, InitialDelay: s, MaxDelay: m, JitterKind: taxonomy.JitterFull}, nil,
			[]time.Duration{s, 2 * s}},
		{"elapsed, to the last nanosecond",
			taxonomy.Policy{Backoff: taxonomy.Constant, InitialDelay: 5 * s, MaxElapsed: 15 * s}, nil,
			[]time.Duration{5 * s, 5 * s, 5 * s}},
		{"elapsed, a wait that would exceed it",
			taxonomy.Policy{Backoff: taxonomy.Constant, InitialDelay: 5 * s, MaxElapsed: 14 * s}, nil,
			[]time.Duration{5 * s, 5 * s}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, waits(tt.policy, tt.random, 6))
		})
	}
}

var noHint taxonomy.Opt[time.Duration]

func after(d time.Duration) taxonomy.Opt[time.Duration] {
	return retry.HintOf(taxonomy.Hints{RetryAfter: taxonomy.Some(d)}, time.Time{})
}

func TestNextHint(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(d time.Duration) taxonomy.Opt[time.Duration] {
		return retry.HintOf(taxonomy.Hints{ResetAt: taxonomy.Some(now.Add(d))}, now)
	}
	policy := taxonomy.Policy{MaxAttempts: 9, InitialDelay: s, MaxDelay: 30 * s, MaxRetryAfter: 10 * m}
	with := func(change func(*taxonomy.Policy)) *taxonomy.Policy {
		p := policy
		change(&p)
		return &p
	}
	jittered := func(kind taxonomy.JitterKind, share float64) *taxonomy.Policy {
		return with(func(p *taxonomy.Policy) { p.JitterKind, p.Jitter = kind, share })
	}
	used := func(by retry.Stop) retry.Next { return retry.Next{Stop: by} }
	wait := func(d time.Duration) retry.Next { return retry.Next{Wait: d, Hinted: true} }
	both := retry.HintOf(taxonomy.Hints{RetryAfter: taxonomy.Some(5 * s), ResetAt: taxonomy.Some(now.Add(2 * m))}, now)
	passed := retry.HintOf(taxonomy.Hints{RetryAfter: taxonomy.Some(5 * s), ResetAt: taxonomy.Some(now.Add(-s))}, now)
	for _, tt := range []struct {
		name   string
		policy *taxonomy.Policy
		hint   taxonomy.Opt[time.Duration]
		random retry.Random
		want   retry.Next
	}{
		{"none", &policy, noHint, nil, retry.Next{Wait: s}},
		{"retry after", &policy, after(40 * s), nil, wait(40 * s)},
		{"below the policy's delay", &policy, after(10 * ms), nil, wait(10 * ms)},
		{"reset", &policy, at(40 * s), nil, wait(40 * s)},
		{"reset outweighs retry after", &policy, both, nil, wait(2 * m)},
		{"retry after zero is no hint", &policy, after(0), nil, retry.Next{Wait: s}},
		{"negative is no hint", &policy, after(-5 * s), nil, retry.Next{Wait: s}},
		{"reset now is no hint", &policy, at(0), nil, retry.Next{Wait: s}},
		{"reset in the past is no hint", &policy, at(-time.Hour), nil, retry.Next{Wait: s}},
		{"reset in the past, retry after", &policy, passed, nil, wait(5 * s)},
		{"the longest", &policy, after(10 * m), nil, wait(10 * m)},
		{"too long", &policy, after(10*m + 1), nil, used(retry.StoppedRetryAfter)},
		{"reset too late", &policy, at(11 * m), nil, used(retry.StoppedRetryAfter)},
		{"bound by the greatest delay", with(func(p *taxonomy.Policy) { p.MaxRetryAfter = 0 }), after(31 * s), nil,
			used(retry.StoppedRetryAfter)},
		{"within the greatest delay", with(func(p *taxonomy.Policy) { p.MaxRetryAfter = 0 }), after(30 * s), nil,
			wait(30 * s)},
		{"default bound", &taxonomy.Policy{MaxAttempts: 9}, after(30 * s), nil, wait(30 * s)},
		{"hint above the default max_delay", &taxonomy.Policy{MaxAttempts: 9}, after(30*s + 1), nil,
			used(retry.StoppedRetryAfter)},
		{"attempts only", &taxonomy.Policy{MaxAttempts: 9}, after(20 * s), nil, wait(20 * s)},
		{"first delay above the default max_delay",
			&taxonomy.Policy{MaxAttempts: 9, InitialDelay: m}, after(m), nil, wait(m)},
		{"very long hint", &taxonomy.Policy{MaxAttempts: 9}, after(math.MaxInt64), nil, used(retry.StoppedRetryAfter)},
		{"no attempts left", with(func(p *taxonomy.Policy) { p.MaxAttempts = 1 }), after(s), nil,
			used(retry.StoppedAttempts)},
		{"no jitter", jittered(taxonomy.JitterNone, 0), after(10 * s), always(1), wait(10 * s)},
		{"jitter only adds", jittered(taxonomy.JitterProportional, 0.5), after(10 * s), always(0), wait(10 * s)},
		{"a tenth at most", jittered(taxonomy.JitterProportional, 0.5), after(10 * s), always(1), wait(11 * s)},
		{"less than a tenth", jittered(taxonomy.JitterProportional, 0.05), after(10 * s), always(1), wait(10500 * ms)},
		{"full adds", jittered(taxonomy.JitterFull, 0), after(10 * s), always(1), wait(11 * s)},
		{"decorrelated adds", jittered(taxonomy.JitterDecorrelated, 0), after(10 * s), always(0.5), wait(10500 * ms)},
		{"jitter stays within the bound", jittered(taxonomy.JitterFull, 0), after(590 * s), always(1), wait(10 * m)},
		{"elapsed", with(func(p *taxonomy.Policy) { p.MaxElapsed = 39 * s }), after(40 * s), nil,
			used(retry.StoppedElapsed)},
		{"jitter stays within elapsed",
			with(func(p *taxonomy.Policy) { p.MaxElapsed, p.JitterKind = 41*s, taxonomy.JitterFull }), after(40 * s),
			always(1), wait(41 * s)},
		{"no policy", nil, after(99 * time.Hour), always(1), wait(99 * time.Hour)},
		{"neither policy nor hint", nil, noHint, nil, retry.Next{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := retry.State{}.Next(tt.policy, tt.hint, tt.random)
			assert.Equal(t, retry.State{Calls: 1, Waited: got.Wait, Last: got.State.Last}, got.State)
			got.State = retry.State{}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestNextCounts(t *testing.T) {
	p := taxonomy.Policy{MaxAttempts: 4, InitialDelay: s, MaxDelay: m}
	first := retry.State{}.Next(&p, noHint, nil)
	second := first.State.Next(&p, after(10*s), nil)
	third := second.State.Next(&p, noHint, nil)
	last := third.State.Next(&p, noHint, nil)
	assert.Equal(t, retry.State{Calls: 1, Waited: s, Last: s}, first.State)
	assert.Equal(t, retry.State{Calls: 2, Waited: 11 * s, Last: s}, second.State, "a hint is no computed delay")
	assert.Equal(t, retry.State{Calls: 3, Waited: 15 * s, Last: 4 * s}, third.State)
	assert.Equal(
		t, retry.Next{Stop: retry.StoppedAttempts,
			State: retry.State{Calls: 4, Waited: 15 * s, Last: 4 * s}}, last)
}

// A rate limit that is neither counted nor ended by attempts ends by the time that was waited.
func TestNextEndsByTime(t *testing.T) {
	p := taxonomy.Policy{MaxAttempts: 21, Backoff: taxonomy.Constant, InitialDelay: 5 * s, MaxDelay: 30 * s,
		MaxRetryAfter: 30 * m, MaxElapsed: 30 * m}
	var state retry.State
	var got []time.Duration
	for range 30 {
		next := state.Next(&p, after(10*m), nil)
		state = next.State
		if next.Stop != retry.StoppedNot {
			assert.Equal(t, retry.StoppedElapsed, next.Stop)
			break
		}
		got = append(got, next.Wait)
	}
	assert.Equal(t, []time.Duration{10 * m, 10 * m, 10 * m}, got)
	assert.Len(t, waits(p, nil, 30), 20, "without a hint twenty waits are the end")
}

func TestNextAllocatesNothing(t *testing.T) {
	p := taxonomy.Policy{MaxAttempts: 5, InitialDelay: s, MaxDelay: m, JitterKind: taxonomy.JitterFull}
	random, hint := always(0.5), after(s)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		next := retry.State{}.Next(&p, noHint, random)
		_ = next.State.Next(&p, hint, random)
	}))
}

func TestStateJSON(t *testing.T) {
	want := retry.State{Calls: 2, Waited: 3 * s, Last: 2 * s}
	b, err := json.Marshal(want)
	require.NoError(t, err)
	assert.JSONEq(t, `{"calls":2,"waited":3000000000,"last":2000000000}`, string(b))
	var got retry.State
	require.NoError(t, json.Unmarshal(b, &got))
	assert.Equal(t, want, got)
}
