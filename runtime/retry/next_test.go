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

// waits returns the waits of a policy until it is used up, at most n.
func waits(p taxonomy.Policy, r retry.Random, n int) []time.Duration {
	var series retry.Series
	var out []time.Duration
	for range n {
		next := series.Next(&p, retry.Hint{}, r)
		if next.UsedUp {
			break
		}
		out = append(out, next.Wait)
		series = next.Series
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
		{"zero policy", taxonomy.Policy{}, always(0.5), []time.Duration{0, 0, 0, 0, 0, 0}},
		{"attempts count the first call", taxonomy.Policy{MaxAttempts: 3, InitialDelay: s}, nil,
			[]time.Duration{s, 2 * s}},
		{"one attempt", taxonomy.Policy{MaxAttempts: 1, InitialDelay: s}, nil, nil},
		{"negative attempts are no bound", taxonomy.Policy{MaxAttempts: -1}, nil, []time.Duration{0, 0, 0, 0, 0, 0}},
		{"constant", taxonomy.Policy{Backoff: taxonomy.Constant, InitialDelay: 5 * s, Multiplier: 3}, nil,
			[]time.Duration{5 * s, 5 * s, 5 * s, 5 * s, 5 * s, 5 * s}},
		{"linear", taxonomy.Policy{Backoff: taxonomy.Linear, InitialDelay: s, MaxDelay: 4 * s}, nil,
			[]time.Duration{s, 2 * s, 3 * s, 4 * s, 4 * s, 4 * s}},
		{"exponential", taxonomy.Policy{InitialDelay: s, MaxDelay: 20 * s, Multiplier: 3}, nil,
			[]time.Duration{s, 3 * s, 9 * s, 20 * s, 20 * s, 20 * s}},
		{"exponential by a fraction", taxonomy.Policy{InitialDelay: s, MaxDelay: m, Multiplier: 1.5}, nil,
			[]time.Duration{s, 1500 * ms, 2250 * ms, 3375 * ms, 5062500 * time.Microsecond,
				7593750 * time.Microsecond}},
		{"no multiplier is 2", taxonomy.Policy{InitialDelay: s, MaxDelay: m}, nil,
			[]time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s}},
		{"no greatest delay is 30 s", taxonomy.Policy{InitialDelay: 20 * s}, nil,
			[]time.Duration{20 * s, 30 * s, 30 * s, 30 * s, 30 * s, 30 * s}},
		{"no greatest delay and a long first", taxonomy.Policy{InitialDelay: m}, nil,
			[]time.Duration{m, m, m, m, m, m}},
		{"greatest below the first", taxonomy.Policy{InitialDelay: m, MaxDelay: s}, nil,
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

// The four policies of a known retry engine: the bounds within which every delay is, ten percent of
// jitter included.
func TestNextTenPercent(t *testing.T) {
	for _, tt := range []struct {
		name           string
		attempts       int
		initial, limit time.Duration
		least, most    []time.Duration
	}{
		{"llm", 3, s, 30 * s, []time.Duration{900 * ms, 1800 * ms}, []time.Duration{1100 * ms, 2200 * ms}},
		{"github", 5, s, m, []time.Duration{900 * ms, 1800 * ms, 3600 * ms, 7200 * ms},
			[]time.Duration{1100 * ms, 2200 * ms, 4400 * ms, 8800 * ms}},
		{"tool", 3, 500 * ms, 10 * s, []time.Duration{450 * ms, 900 * ms}, []time.Duration{550 * ms, 1100 * ms}},
		{"verification", 3, 2 * s, 30 * s, []time.Duration{1800 * ms, 3600 * ms},
			[]time.Duration{2200 * ms, 4400 * ms}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := taxonomy.Policy{
				MaxAttempts: tt.attempts, InitialDelay: tt.initial, MaxDelay: tt.limit, Multiplier: 2,
				JitterKind: taxonomy.JitterProportional, Jitter: 0.1,
			}
			for i, got := range waits(p, always(0), 10) {
				assert.InDelta(t, tt.least[i], got, 1)
			}
			for i, got := range waits(p, always(1), 10) {
				assert.InDelta(t, tt.most[i], got, 1)
			}
			assert.Len(t, waits(p, always(0.3), 10), tt.attempts-1)
		})
	}
}

func after(d time.Duration) retry.Hint { return retry.Hint{After: taxonomy.Some(d)} }

func TestNextHint(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(d time.Duration) retry.Hint { return retry.Hint{At: taxonomy.Some(now.Add(d)), Now: now} }
	policy := taxonomy.Policy{MaxAttempts: 9, InitialDelay: s, MaxDelay: 30 * s, MaxRetryAfter: 10 * m}
	with := func(change func(*taxonomy.Policy)) *taxonomy.Policy {
		p := policy
		change(&p)
		return &p
	}
	jittered := func(kind taxonomy.JitterKind, share float64) *taxonomy.Policy {
		return with(func(p *taxonomy.Policy) { p.JitterKind, p.Jitter = kind, share })
	}
	used := func(b retry.Bound) retry.Next { return retry.Next{UsedUp: true, Bound: b} }
	wait := func(d time.Duration) retry.Next { return retry.Next{Wait: d, Hinted: true} }
	both := at(2 * m)
	both.After = taxonomy.Some(5 * s)
	for _, tt := range []struct {
		name   string
		policy *taxonomy.Policy
		hint   retry.Hint
		random retry.Random
		want   retry.Next
	}{
		{"none", &policy, retry.Hint{}, nil, retry.Next{Wait: s}},
		{"retry after", &policy, after(40 * s), nil, wait(40 * s)},
		{"below the policy's delay", &policy, after(10 * ms), nil, wait(10 * ms)},
		{"reset", &policy, at(40 * s), nil, wait(40 * s)},
		{"reset outweighs retry after", &policy, both, nil, wait(2 * m)},
		{"nothing", &policy, after(0), nil, wait(0)},
		{"negative says nothing", &policy, after(-5 * s), nil, retry.Next{Wait: s}},
		{"over", &policy, at(-time.Hour), nil, wait(0)},
		{"the longest", &policy, after(10 * m), nil, wait(10 * m)},
		{"too long", &policy, after(10*m + 1), nil, used(retry.BoundRetryAfter)},
		{"reset too late", &policy, at(11 * m), nil, used(retry.BoundRetryAfter)},
		{"reset in another age", &policy, retry.Hint{At: taxonomy.Some(now.AddDate(5000, 0, 0)), Now: now}, nil,
			used(retry.BoundRetryAfter)},
		{"reset without a now", &policy, retry.Hint{At: taxonomy.Some(now)}, nil, used(retry.BoundRetryAfter)},
		{"bound by the greatest delay", with(func(p *taxonomy.Policy) { p.MaxRetryAfter = 0 }), after(31 * s), nil,
			used(retry.BoundRetryAfter)},
		{"within the greatest delay", with(func(p *taxonomy.Policy) { p.MaxRetryAfter = 0 }), after(30 * s), nil,
			wait(30 * s)},
		{"zero policy", &taxonomy.Policy{}, after(30 * s), nil, wait(30 * s)},
		{"zero policy, hint above the language's max_delay", &taxonomy.Policy{}, after(30*s + 1), nil,
			used(retry.BoundRetryAfter)},
		{"attempts only", &taxonomy.Policy{MaxAttempts: 9}, after(20 * s), nil, wait(20 * s)},
		{"first delay above the language's max_delay", &taxonomy.Policy{InitialDelay: m}, after(m), nil, wait(m)},
		{"zero policy, absurd hint", &taxonomy.Policy{}, after(math.MaxInt64), nil, used(retry.BoundRetryAfter)},
		{"no attempts left", with(func(p *taxonomy.Policy) { p.MaxAttempts = 1 }), after(s), nil,
			used(retry.BoundAttempts)},
		{"no jitter", jittered(taxonomy.JitterNone, 0), after(10 * s), always(1), wait(10 * s)},
		{"jitter only adds", jittered(taxonomy.JitterProportional, 0.5), after(10 * s), always(0), wait(10 * s)},
		{"a tenth at most", jittered(taxonomy.JitterProportional, 0.5), after(10 * s), always(1), wait(11 * s)},
		{"less than a tenth", jittered(taxonomy.JitterProportional, 0.05), after(10 * s), always(1), wait(10500 * ms)},
		{"full adds", jittered(taxonomy.JitterFull, 0), after(10 * s), always(1), wait(11 * s)},
		{"decorrelated adds", jittered(taxonomy.JitterDecorrelated, 0), after(10 * s), always(0.5), wait(10500 * ms)},
		{"jitter stays within the bound", jittered(taxonomy.JitterFull, 0), after(590 * s), always(1), wait(10 * m)},
		{"elapsed", with(func(p *taxonomy.Policy) { p.MaxElapsed = 39 * s }), after(40 * s), nil,
			used(retry.BoundElapsed)},
		{"jitter stays within elapsed",
			with(func(p *taxonomy.Policy) { p.MaxElapsed, p.JitterKind = 41*s, taxonomy.JitterFull }), after(40 * s),
			always(1), wait(41 * s)},
		{"no policy", nil, after(99 * time.Hour), always(1), wait(99 * time.Hour)},
		{"neither policy nor hint", nil, retry.Hint{}, nil, retry.Next{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := retry.Series{}.Next(tt.policy, tt.hint, tt.random)
			assert.Equal(t, retry.Series{Calls: 1, Waited: got.Wait, Last: got.Series.Last}, got.Series)
			got.Series = retry.Series{}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestNextCounts(t *testing.T) {
	p := taxonomy.Policy{MaxAttempts: 4, InitialDelay: s, MaxDelay: m}
	first := retry.Series{}.Next(&p, retry.Hint{}, nil)
	second := first.Series.Next(&p, after(10*s), nil)
	third := second.Series.Next(&p, retry.Hint{}, nil)
	last := third.Series.Next(&p, retry.Hint{}, nil)
	assert.Equal(t, retry.Series{Calls: 1, Waited: s, Last: s}, first.Series)
	assert.Equal(t, retry.Series{Calls: 2, Waited: 11 * s, Last: s}, second.Series, "a hint is no computed delay")
	assert.Equal(t, retry.Series{Calls: 3, Waited: 15 * s, Last: 4 * s}, third.Series)
	assert.Equal(
		t, retry.Next{UsedUp: true, Bound: retry.BoundAttempts,
			Series: retry.Series{Calls: 4, Waited: 15 * s, Last: 4 * s}}, last)
}

// A rate limit that is neither counted nor ended by attempts ends by the time that was waited.
func TestNextEndsByTime(t *testing.T) {
	p := taxonomy.Policy{MaxAttempts: 21, Backoff: taxonomy.Constant, InitialDelay: 5 * s, MaxDelay: 30 * s,
		MaxRetryAfter: 30 * m, MaxElapsed: 30 * m}
	var series retry.Series
	var got []time.Duration
	for range 30 {
		next := series.Next(&p, after(10*m), nil)
		series = next.Series
		if next.UsedUp {
			assert.Equal(t, retry.BoundElapsed, next.Bound)
			break
		}
		got = append(got, next.Wait)
	}
	assert.Equal(t, []time.Duration{10 * m, 10 * m, 10 * m}, got)
	assert.Len(t, waits(p, nil, 30), 20, "without a hint twenty waits are the end")
}

func TestNextAbsurd(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, tt := range []struct {
		name   string
		series retry.Series
		policy taxonomy.Policy
		random retry.Random
		want   time.Duration
	}{
		{"call 10000", retry.Series{Calls: 9999}, taxonomy.Policy{InitialDelay: s, MaxDelay: m, Multiplier: 2}, nil, m},
		{"call 10000, linear", retry.Series{Calls: 9999},
			taxonomy.Policy{Backoff: taxonomy.Linear, InitialDelay: s, MaxDelay: math.MaxInt64}, nil, 10000 * s},
		{"as many calls as can be", retry.Series{Calls: math.MaxInt},
			taxonomy.Policy{InitialDelay: s, MaxDelay: math.MaxInt64}, nil, math.MaxInt64},
		{"no delay for ever", retry.Series{Calls: 9999}, taxonomy.Policy{MaxDelay: m, Multiplier: 2}, nil, 0},
		{"multiplier NaN", retry.Series{Calls: 5}, taxonomy.Policy{InitialDelay: s, MaxDelay: m, Multiplier: nan}, nil,
			s},
		{"multiplier infinite", retry.Series{Calls: 5}, taxonomy.Policy{InitialDelay: s, MaxDelay: m, Multiplier: inf},
			nil, m},
		{"multiplier negative", retry.Series{Calls: 5}, taxonomy.Policy{InitialDelay: s, MaxDelay: m, Multiplier: -3},
			nil, s},
		{"multiplier below one", retry.Series{Calls: 5}, taxonomy.Policy{InitialDelay: s, MaxDelay: m, Multiplier: 0.1},
			nil, s},
		{"negative delays", retry.Series{}, taxonomy.Policy{InitialDelay: -s, MaxDelay: -m}, nil, 0},
		{"jitter NaN", retry.Series{},
			taxonomy.Policy{InitialDelay: s, MaxDelay: m, JitterKind: taxonomy.JitterProportional, Jitter: nan},
			always(1), s},
		{"jitter above one", retry.Series{},
			taxonomy.Policy{InitialDelay: s, MaxDelay: m, JitterKind: taxonomy.JitterProportional, Jitter: 7},
			always(0), 0},
		{"jitter negative", retry.Series{},
			taxonomy.Policy{InitialDelay: s, MaxDelay: m, JitterKind: taxonomy.JitterProportional, Jitter: -1},
			always(1), s},
		{"random NaN", retry.Series{}, taxonomy.Policy{InitialDelay: s, MaxDelay: m, JitterKind: taxonomy.JitterFull},
			always(nan), 0},
		{"random too great", retry.Series{},
			taxonomy.Policy{InitialDelay: s, MaxDelay: m, JitterKind: taxonomy.JitterFull}, always(99), s},
		{"unknown kinds", retry.Series{}, taxonomy.Policy{InitialDelay: s, MaxDelay: m, Backoff: 99, JitterKind: 99},
			always(1), s},
		{"broken series", retry.Series{Calls: -5, Waited: -m, Last: -m}, taxonomy.Policy{InitialDelay: s, MaxDelay: m},
			nil, s},
		{"last delay as long as can be", retry.Series{Last: math.MaxInt64},
			taxonomy.Policy{InitialDelay: s, MaxDelay: m, JitterKind: taxonomy.JitterDecorrelated}, always(1), m},
		{"waited as long as can be", retry.Series{Waited: math.MaxInt64}, taxonomy.Policy{InitialDelay: s, MaxDelay: m},
			nil, s},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.series.Next(&tt.policy, retry.Hint{}, tt.random)
			assert.False(t, got.UsedUp)
			assert.Equal(t, tt.want, got.Wait)
			assert.Positive(t, got.Series.Calls)
			assert.GreaterOrEqual(t, got.Series.Waited, got.Wait)
		})
	}
}

// FuzzNext holds every decision within its bounds, for any policy and any series.
func FuzzNext(f *testing.F) {
	f.Add(3, int64(s), int64(m), 2.0, int64(0), int64(0), 0.1, uint8(0), uint8(1), 0, int64(0), int64(0), 0.5, int64(0),
		false)
	f.Add(0, int64(-1), int64(0), math.NaN(), int64(m), int64(s), math.Inf(1), uint8(2), uint8(3), 9999, int64(-1),
		int64(math.MaxInt64), 1.0, int64(s), true)
	f.Fuzz(func(t *testing.T, attempts int, initial, most int64, multiplier float64, elapsed, hintMost int64,
		jitter float64,
		backoff, kind uint8, calls int, waited, last int64, random float64, hint int64, hinted bool) {
		p := taxonomy.Policy{
			MaxAttempts: attempts, InitialDelay: time.Duration(initial), MaxDelay: time.Duration(most),
			Multiplier: multiplier,
			MaxElapsed: time.Duration(elapsed), MaxRetryAfter: time.Duration(hintMost), Jitter: jitter,
			Backoff: taxonomy.Backoff(backoff), JitterKind: taxonomy.JitterKind(kind),
		}
		before := retry.Series{Calls: calls, Waited: time.Duration(waited), Last: time.Duration(last)}
		var h retry.Hint
		if hinted {
			h = after(time.Duration(hint))
		}
		next := before.Next(&p, h, always(random))
		require.Equal(t, next, before.Next(&p, h, always(random)), "pure")
		require.GreaterOrEqual(t, next.Wait, time.Duration(0))
		require.Positive(t, next.Series.Calls)
		require.GreaterOrEqual(t, next.Series.Waited, max(0, before.Waited))
		require.Equal(t, next.UsedUp, next.Bound != retry.BoundNone)
		if next.UsedUp {
			require.Zero(t, next.Wait)
			require.Equal(t, max(0, before.Waited), next.Series.Waited)
			return
		}
		require.Equal(t, hinted, next.Hinted)
		require.True(t, attempts <= 0 || next.Series.Calls < attempts)
		if elapsed > 0 {
			require.LessOrEqual(t, next.Wait, max(0, p.MaxElapsed-max(0, before.Waited)))
		}
		limit := max(0, p.MaxDelay)
		if limit == 0 {
			limit = max(30*s, p.InitialDelay)
		}
		if hinted {
			require.GreaterOrEqual(t, next.Wait, time.Duration(hint))
			if hintMost > 0 {
				limit = p.MaxRetryAfter
			}
		}
		require.LessOrEqual(t, next.Wait, limit)
	})
}

func TestNextAllocatesNothing(t *testing.T) {
	p := taxonomy.Policy{MaxAttempts: 5, InitialDelay: s, MaxDelay: m, JitterKind: taxonomy.JitterFull}
	random, hint := always(0.5), after(s)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		next := retry.Series{}.Next(&p, retry.Hint{}, random)
		_ = next.Series.Next(&p, hint, random)
	}))
}

func TestSeriesIsKept(t *testing.T) {
	want := retry.Series{Calls: 2, Waited: 3 * s, Last: 2 * s}
	b, err := json.Marshal(want)
	require.NoError(t, err)
	assert.JSONEq(t, `{"calls":2,"waited":3000000000,"last":2000000000}`, string(b))
	var got retry.Series
	require.NoError(t, json.Unmarshal(b, &got))
	assert.Equal(t, want, got)
}

func TestHintOf(t *testing.T) {
	now := time.Unix(100, 0)
	h := taxonomy.Hints{RetryAfter: taxonomy.Some(s), ResetAt: taxonomy.Some(time.Unix(200, 0)), Credential: "c"}
	assert.Equal(t, retry.Hint{After: taxonomy.Some(s), At: taxonomy.Some(time.Unix(200, 0)), Now: now},
		retry.HintOf(h, now))
	assert.Equal(t, retry.Hint{Now: now}, retry.HintOf(taxonomy.Hints{}, now))
}

func TestBoundWords(t *testing.T) {
	assert.Equal(t, "none max_attempts max_elapsed max_retry_after none",
		retry.BoundNone.String()+" "+retry.BoundAttempts.String()+" "+retry.BoundElapsed.String()+" "+
			retry.BoundRetryAfter.String()+" "+retry.Bound(99).String())
}
