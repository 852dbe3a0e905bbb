package predict

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Where several codes are likely, the longest throttle and the lowest concurrency hold, whichever
// code has them. D180
func TestSeveralCodesAreLikely(t *testing.T) {
	for name, c := range map[string]struct {
		down, limit taxonomy.Prevention
		wait        time.Duration
	}{
		"the first throttles longer": {taxonomy.Prevention{Throttle: 5 * time.Second},
			taxonomy.Prevention{Throttle: 2 * time.Second}, 5 * time.Second},
		"the second throttles longer": {taxonomy.Prevention{Throttle: 2 * time.Second},
			taxonomy.Prevention{Throttle: 5 * time.Second}, 5 * time.Second},
		"the first has fewer places": {taxonomy.Prevention{Concurrency: 1}, taxonomy.Prevention{Concurrency: 3},
			time.Second},
		"the second has fewer places": {taxonomy.Prevention{Concurrency: 3}, taxonomy.Prevention{Concurrency: 1},
			time.Second},
		"the first alone bounds": {taxonomy.Prevention{Concurrency: 1}, taxonomy.Prevention{Check: "ping"},
			time.Second},
		"the second alone bounds": {taxonomy.Prevention{Check: "ping"}, taxonomy.Prevention{Concurrency: 1},
			time.Second},
		"one throttles, one bounds": {taxonomy.Prevention{Throttle: 5 * time.Second},
			taxonomy.Prevention{Concurrency: 1}, 5 * time.Second},
		"there is room for both": {taxonomy.Prevention{Concurrency: 2}, taxonomy.Prevention{Concurrency: 3},
			0},
		"what is not likely does not matter": {taxonomy.Prevention{Concurrency: 2},
			taxonomy.Prevention{Concurrency: 1, Throttle: time.Hour, Likely: 0.9}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			m, now := fed(Options{}, "-")
			p := NewPreventer(m, preventing(map[string]taxonomy.Prevention{"down": c.down, "limit": c.limit}),
				PreventerOptions{})
			assert.Zero(t, before(t, p, "a", now).Wait)
			assert.Equal(t, c.wait, before(t, p, "b", now).Wait)
		})
	}
}

// Measures begin where Low is at least Likely, and end where the probability is below 60 % of it.
// D180
func TestWhenMeasuresEnd(t *testing.T) {
	for _, c := range []struct {
		release float64
		end     float64
	}{{0, 0.30}, {0.9, 0.45}, {1, 0.30}} {
		p := NewPreventer(
			New(Options{}), preventing(map[string]taxonomy.Prevention{"down": {Check: "ping", Likely: 0.5}}),
			PreventerOptions{Release: c.release}).(*preventer)
		d := &door{on: make([]bool, 1)}
		on := func(low, probability float64) bool {
			_, said := p.measures(d, []Forecast{{Code: "down", Low: low, Probability: probability}})
			return said.Check != ""
		}
		assert.False(t, on(0.49, 0.99), "probable, but not for sure")
		assert.True(t, on(0.5, 0.6))
		assert.True(t, on(0.1, c.end+0.001), "in between it stays as it is")
		assert.False(t, on(0.1, c.end-0.001))
		assert.False(t, on(0.1, 0.499), "in between it stays as it is")
	}
}

// A place that nobody gives back is free after an hour. Who finds none asks again after a second,
// then two, up to fifteen.
func TestHowLongAPlaceIsWaitedFor(t *testing.T) {
	m, start := fed(Options{}, "-")
	p := NewPreventer(m, preventing(map[string]taxonomy.Prevention{"down": {Concurrency: 1}}), PreventerOptions{})
	require.Zero(t, before(t, p, "holds it", start).Wait)
	now := start
	for i := range 20 {
		wait := before(t, p, "waits", now).Wait
		require.Equal(t, time.Duration(min(i+1, 15))*time.Second, wait, i)
		now = now.Add(wait)
	}
	assert.NotZero(t, before(t, p, "waits", start.Add(time.Hour)).Wait)
	assert.Zero(t, before(t, p, "waits", start.Add(time.Hour+time.Second)).Wait)
}

// Who was told to wait keeps its turn for as long as the throttle, and for a second at least.
func TestWhoComesLateKeepsItsTurn(t *testing.T) {
	for name, c := range map[string]struct {
		rule             taxonomy.Prevention
		told, late, gone time.Duration
	}{
		"for a place": {taxonomy.Prevention{Concurrency: 1}, time.Second, 2 * time.Second, 2*time.Second + 1},
		"for the throttle": {taxonomy.Prevention{Throttle: 10 * time.Second}, 10 * time.Second, 20*time.Second - 1,
			20*time.Second + 1},
	} {
		t.Run(name, func(t *testing.T) {
			m, now := fed(Options{}, "-")
			p := NewPreventer(m, preventing(map[string]taxonomy.Prevention{"down": c.rule}), PreventerOptions{})
			first := before(t, p, "first", now)
			require.Zero(t, first.Wait)
			require.Equal(t, c.told, before(t, p, "late", now).Wait)
			if first.Release != nil {
				first.Release()
			}
			assert.NotZero(t, before(t, p, "other", now.Add(c.late)).Wait, "the one who is late is before it")
			assert.Zero(t, before(t, p, "other", now.Add(c.gone)).Wait, "who does not come holds nobody up")
		})
	}
}

// 4096 providers have places of their own; the others share theirs.
func TestHowManyProvidersAreToldApart(t *testing.T) {
	m, now := fed(Options{}, "-")
	p := NewPreventer(m, preventing(map[string]taxonomy.Prevention{"down": {Concurrency: 1}}), PreventerOptions{})
	wait := func(provider string) time.Duration {
		got, err := p.Before(t.Context(), executor.Coming{Provider: provider, Run: provider, Now: now})
		require.NoError(t, err)
		return got.Wait
	}
	for i := range 4096 {
		require.Zero(t, wait(fmt.Sprint("p", i)), i)
	}
	assert.Zero(t, wait("one more"))
	assert.NotZero(t, wait("and another"))
}
