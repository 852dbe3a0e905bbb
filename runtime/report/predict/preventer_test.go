package predict

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// preventing is a table whose codes are prevented so.
func preventing(rules map[string]taxonomy.Prevention) taxonomy.Table {
	category := &taxonomy.Category{Codes: []taxonomy.Code{{}, {Value: "other"}}}
	for _, code := range []string{"down", "limit"} {
		if r, ok := rules[code]; ok {
			category.Codes = append(category.Codes, taxonomy.Code{Value: code, Prevent: &r})
		}
	}
	return taxonomy.Table{Taxonomy: &taxonomy.Taxonomy{Categories: []*taxonomy.Category{category}}}
}

// before asks for a call, which must not fail.
func before(t testing.TB, p executor.Preventer, run string, now time.Time) executor.Precaution {
	t.Helper()
	got, err := p.Before(context.Background(), executor.Coming{Provider: "p", Lane: "p/", Run: run, Now: now})
	require.NoError(t, err)
	return got
}

// D180
func TestNothingIsDoneUnlessDeclared(t *testing.T) {
	m, now := fed(Options{}, repeated(50, "down")...)
	for name, p := range map[string]executor.Preventer{
		"no prevent": NewPreventer(m, preventing(nil), PreventerOptions{}),
		"no table":   NewPreventer(m, taxonomy.Table{}, PreventerOptions{}),
		"no model": NewPreventer(nil, preventing(map[string]taxonomy.Prevention{"down": {Check: "ping"}}),
			PreventerOptions{}),
	} {
		assert.Equal(t, executor.Precaution{}, before(t, p, "r", now), name)
		assert.Zero(
			t, testing.AllocsPerRun(
				100, func() { _, _ = p.Before(context.Background(), executor.Coming{Provider: "p", Now: now}) }), name)
	}
}

func TestMeasuresAreForWhatIsLikely(t *testing.T) {
	bad := append(repeated(30, "-"), repeated(12, "down")...)
	for _, c := range []struct {
		name  string
		codes []string
		rules map[string]taxonomy.Prevention
		code  string
		check string
	}{
		{"likely", bad, map[string]taxonomy.Prevention{"down": {Check: "ping", Likely: 0.5}}, "down", "ping"},
		{"not likely enough", bad, map[string]taxonomy.Prevention{"down": {Check: "ping", Likely: 0.99}}, "", ""},
		{"another code", bad, map[string]taxonomy.Prevention{"limit": {Check: "ping", Likely: 0.5}}, "", ""},
		{"too little is known", []string{"down", "down"},
			map[string]taxonomy.Prevention{"down": {Check: "ping", Likely: 0.5}}, "", ""},
		{"always", nil, map[string]taxonomy.Prevention{"down": {Check: "ping"}}, "down", "ping"},
		{"the more probable one's check", bad,
			map[string]taxonomy.Prevention{"limit": {Check: "quota"}, "down": {Check: "ping"}}, "down", "ping"},
		{"the one that has a check", bad,
			map[string]taxonomy.Prevention{"limit": {Check: "quota"}, "down": {Concurrency: 2}}, "down", "quota"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, now := fed(Options{}, c.codes...)
			got := before(t, NewPreventer(m, preventing(c.rules), PreventerOptions{}), "r", now.Add(29*time.Second))
			assert.Equal(t, c.code, got.Code)
			assert.Equal(t, c.check, got.Check)
			assert.Zero(t, got.Wait)
			if c.code != "" {
				assert.Equal(t, m.Forecast("p", c.code, now.Add(29*time.Second)).Low, got.Low)
			}
		})
	}
}

// TestMeasuresDoNotFlap has a forecast that wavers around Likely.
func TestMeasuresDoNotFlap(t *testing.T) {
	rule := map[string]taxonomy.Prevention{"down": {Check: "ping", Likely: 0.5}}
	m, now := fed(Options{}, append(repeated(30, "-"), repeated(12, "down")...)...)
	p := NewPreventer(m, preventing(rule), PreventerOptions{})
	turns, on := 0, false
	for i := range 200 {
		now = now.Add(29 * time.Second)
		if got := before(t, p, "r", now).Check != ""; got != on {
			turns, on = turns+1, got
		}
		o := retry.Outcome{At: now, Took: time.Second, Provider: "p"}
		if i < 100 && i%4 != 0 {
			o.Code = "down"
		}
		m.Learn(o)
	}
	assert.Equal(t, 2, turns, "on once, and off once")
	assert.False(t, on)
}

func TestThrottle(t *testing.T) {
	m, now := fed(Options{}, "-")
	p := NewPreventer(m, preventing(map[string]taxonomy.Prevention{"down": {Throttle: 2 * time.Second}}),
		PreventerOptions{})
	ask := func(run string, after time.Duration) time.Duration { return before(t, p, run, now.Add(after)).Wait }
	assert.Zero(t, ask("a", 0), "the first goes at once")
	assert.Equal(t, 2*time.Second, ask("b", 0))
	assert.Equal(t, 4*time.Second, ask("c", 0), "in the order of asking")
	assert.Equal(t, time.Second, ask("b", time.Second), "who asks too early waits for the rest")
	assert.Equal(t, 2*time.Second, ask("c", 2*time.Second), "who is behind goes later, even if it asks first")
	assert.Zero(t, ask("b", 2*time.Second))
	assert.Zero(t, ask("c", 4*time.Second))
	assert.Equal(t, 2*time.Second, ask("d", 4*time.Second))
	assert.Zero(t, ask("e", time.Minute), "who does not come holds nobody up")
	assert.Equal(t, 2*time.Second, ask("f", -time.Hour), "a clock that was put back")
}

// Runs that have ended while they waited hold up nobody: those behind move up.
func TestWhoHasEndedHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, now := fed(Options{}, "-")
		p := NewPreventer(m, preventing(map[string]taxonomy.Prevention{"down": {Throttle: 2 * time.Second}}),
			PreventerOptions{})
		ctx, end := context.WithCancel(t.Context())
		for i := range 50 {
			_, err := p.Before(ctx, executor.Coming{Provider: "p", Run: fmt.Sprint(i), Now: now})
			require.NoError(t, err)
		}
		assert.Equal(t, 100*time.Second, before(t, p, "new", now).Wait)
		end()
		synctest.Wait()
		assert.Equal(t, 2*time.Second, before(t, p, "new", now).Wait)
		assert.Equal(t, 4*time.Second, before(t, p, "newer", now).Wait)
		assert.Zero(t, before(t, p, "new", now.Add(2*time.Second)).Wait)
	})
}

func TestConcurrency(t *testing.T) {
	m, now := fed(Options{}, "-")
	p := NewPreventer(m, preventing(map[string]taxonomy.Prevention{"down": {Concurrency: 2}}), PreventerOptions{})
	a, b := before(t, p, "a", now), before(t, p, "b", now)
	require.NotNil(t, a.Release)
	require.NotNil(t, b.Release)
	c := before(t, p, "c", now)
	assert.Equal(t, time.Second, c.Wait)
	assert.Nil(t, c.Release)
	assert.Equal(t, 2*time.Second, before(t, p, "c", now.Add(time.Second)).Wait, "it asks less and less often")
	a.Release()
	a.Release()
	assert.Equal(t, time.Second, before(t, p, "d", now.Add(2*time.Second)).Wait, "c is before it")
	assert.Zero(t, before(t, p, "c", now.Add(3*time.Second)).Wait)
	assert.NotZero(t, before(t, p, "d", now.Add(3*time.Second)).Wait, "released twice is released once")
	assert.Zero(t, before(t, p, "d", now.Add(2*time.Hour)).Wait, "a place that nobody gives back is free at last")
}

// TestCallsThatBeganBeforeCount has measures that begin while calls run.
func TestCallsThatBeganBeforeCount(t *testing.T) {
	m, now := fed(Options{}, repeated(30, "-")...)
	p := NewPreventer(m, preventing(map[string]taxonomy.Prevention{"down": {Concurrency: 1, Likely: 0.5}}),
		PreventerOptions{})
	a := before(t, p, "a", now)
	assert.Empty(t, a.Code)
	for range 12 {
		now = now.Add(30 * time.Second)
		m.Learn(retry.Outcome{At: now, Took: time.Second, Provider: "p", Code: "down"})
	}
	now = now.Add(29 * time.Second)
	assert.Equal(t, time.Second, before(t, p, "b", now).Wait)
	a.Release()
	assert.Zero(t, before(t, p, "b", now.Add(time.Second)).Wait)
}

func TestManyCallersAreBounded(t *testing.T) {
	m, now := fed(Options{}, "-")
	p := NewPreventer(
		m, preventing(map[string]taxonomy.Prevention{"down": {Concurrency: 1, Throttle: time.Hour * 1e6}}),
		PreventerOptions{}).(*preventer)
	for i := range mostCallers + 100 {
		wait := before(t, p, fmt.Sprint(i), now).Wait
		assert.True(t, i == 0 || wait > 0, "%d waits %s", i, wait)
	}
	assert.Len(t, p.doors["p"].waiting, mostCallers)
	for i := range mostProviders + 10 {
		_, err := p.Before(t.Context(), executor.Coming{Provider: fmt.Sprint("p", i), Run: "r", Now: now})
		require.NoError(t, err)
	}
	assert.LessOrEqual(t, len(p.doors), mostProviders)
}

// TestAClockThatIsPutBack has callers that wait, and calls that run, while the clock goes back an
// hour.
func TestAClockThatIsPutBack(t *testing.T) {
	for _, rule := range []taxonomy.Prevention{{Throttle: 5 * time.Second}, {Concurrency: 1}} {
		m, now := fed(Options{}, "-")
		p := NewPreventer(m, preventing(map[string]taxonomy.Prevention{"down": rule}),
			PreventerOptions{Longest: time.Minute})
		assert.Zero(t, before(t, p, "a", now).Wait)
		assert.NotZero(t, before(t, p, "never comes back", now).Wait)
		now = now.Add(-time.Hour)
		waited := time.Duration(0)
		for {
			wait := before(t, p, "b", now).Wait
			if wait == 0 {
				break
			}
			now, waited = now.Add(wait), waited+wait
			require.Less(t, waited, 10*time.Minute, "%+v", rule)
		}
		assert.LessOrEqual(t, waited, 90*time.Second, "%+v", rule)
	}
}

// TestManyProvidersShareABound has more providers than are told apart.
func TestManyProvidersShareABound(t *testing.T) {
	m, now := fed(Options{MaxProviders: mostProviders}, "-")
	p := NewPreventer(m, preventing(map[string]taxonomy.Prevention{"down": {Concurrency: 1, Likely: 0.5}}),
		PreventerOptions{})
	ask := func(provider, run string, now time.Time) executor.Precaution {
		got, err := p.Before(t.Context(), executor.Coming{Provider: provider, Run: run, Now: now})
		require.NoError(t, err)
		return got
	}
	for i := range mostProviders {
		ask(fmt.Sprint("busy", i), "r", now)
	}
	for range 60 {
		m.Learn(retry.Outcome{At: now, Took: time.Second, Provider: "late", Code: "down"})
		m.Learn(retry.Outcome{At: now, Took: time.Second, Provider: "well"})
	}
	var through []executor.Precaution
	for i := range 20 {
		assert.Zero(t, ask("well", fmt.Sprint("w", i), now).Wait, "nothing holds for it")
		if got := ask("late", fmt.Sprint(i), now); got.Wait == 0 {
			through = append(through, got)
		}
	}
	require.Len(t, through, 1)
	through[0].Release()
	assert.Zero(t, ask("late", "1", now.Add(time.Second)).Wait)
}

// TestWhenMeasuresBegin counts the failures in a row after which they do, as the docs have it. D180
func TestWhenMeasuresBegin(t *testing.T) {
	for _, c := range []struct {
		likely           float64
		successes        int
		earliest, latest int
	}{{0.5, 0, 3, 4}, {0.6, 0, 5, 5}, {0.8, 0, 11, 12}, {0.9, 0, 25, 27}, {0.5, 100, 6, 15}, {0.6, 100, 7, 16},
		{0.8, 100, 14, 20}, {0.9, 100, 30, 33}} {
		for _, gap := range []time.Duration{20 * time.Second, 21 * time.Second, 33 * time.Second, 52 * time.Second,
			2 * time.Minute, 7 * time.Minute, 20 * time.Minute, time.Hour} {
			m, now := New(Options{}), start
			p := NewPreventer(m, preventing(map[string]taxonomy.Prevention{"down": {Check: "ping", Likely: c.likely}}),
				PreventerOptions{})
			call := func(code string) {
				now = now.Add(gap)
				m.Learn(retry.Outcome{At: now, Took: time.Second, Provider: "p", Code: code})
			}
			for range c.successes {
				call("")
			}
			failures := 0
			for ; failures < 1000 && before(t, p, "r", now.Add(gap-time.Second)).Check == ""; failures++ {
				call("down")
			}
			t.Logf("likely %.1f after %d successes, every %s: %d failures in a row", c.likely, c.successes, gap,
				failures)
			assert.GreaterOrEqual(t, failures, c.earliest)
			assert.LessOrEqual(t, failures, c.latest)
		}
	}
}

func TestACancelledCallIsNotAskedFor(t *testing.T) {
	m, now := fed(Options{}, "-")
	p := NewPreventer(m, preventing(map[string]taxonomy.Prevention{"down": {Concurrency: 1}}), PreventerOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.Before(ctx, executor.Coming{Provider: "p", Now: now})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Zero(t, before(t, p, "r", now).Wait, "it took no place")
}

func TestPreventerConcurrentUse(t *testing.T) {
	m, now := fed(Options{}, "-")
	p := NewPreventer(m, preventing(map[string]taxonomy.Prevention{"down": {Concurrency: 3}}), PreventerOptions{})
	var all sync.WaitGroup
	var mu sync.Mutex
	in, most := 0, 0
	for i := range 8 {
		all.Go(func() {
			for range 200 {
				got, err := p.Before(context.Background(), executor.Coming{Provider: "p", Run: fmt.Sprint(i), Now: now})
				if err != nil || got.Wait > 0 {
					continue
				}
				mu.Lock()
				in++
				most = max(most, in)
				mu.Unlock()
				mu.Lock()
				in--
				mu.Unlock()
				got.Release()
			}
		})
	}
	all.Wait()
	assert.LessOrEqual(t, most, 3)
	assert.Empty(t, p.(*preventer).doors["p"].inside)
}

// A call that goes through and then has to wait elsewhere uses neither the throttle nor a place up.
func TestWithdrawnCallsTakeNothing(t *testing.T) {
	m, now := fed(Options{}, repeated(50, "down")...)
	p := NewPreventer(
		m, preventing(map[string]taxonomy.Prevention{"down": {Throttle: 10 * time.Second, Concurrency: 1}}),
		PreventerOptions{})
	var first executor.Precaution
	for run := range 3 { // at one time: each but the first would wait
		first = before(t, p, fmt.Sprint("r", run), now)
		require.Zero(t, first.Wait)
		first.Withdraw()
	}
	made := before(t, p, "made", now)
	require.Zero(t, made.Wait)
	first.Withdraw()
	now = now.Add(4 * time.Second)
	made.Release()
	assert.Equal(t, 6*time.Second, before(t, p, "later", now).Wait,
		"a call that was made counts, and one is withdrawn only once")
	now = now.Add(6 * time.Second)
	next := before(t, p, "later", now)
	require.Zero(t, next.Wait)
	made.Withdraw()
	next.Release()
	assert.Equal(t, 10*time.Second, before(t, p, "last", now).Wait,
		"what is withdrawn late changes nothing that came after")
}
