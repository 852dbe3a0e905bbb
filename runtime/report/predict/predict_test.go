package predict_test

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/report/predict"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// history reads a recorded history.
func history(t *testing.T, name string) (all []retry.Outcome) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".jsonl"))
	require.NoError(t, err)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var l struct{ Provider, Code string }
		require.NoError(t, json.Unmarshal(lines.Bytes(), &l))
		all = append(all, retry.Outcome{Provider: l.Provider, Code: l.Code})
	}
	require.Len(t, all, 500)
	return all
}

// loss returns the log loss per call of the model and of the long-run rates, each outcome forecast
// before it is learned.
func loss(all []retry.Outcome) (model, rates float64) {
	m, seen, n := predict.New(), map[string]float64{"": .5}, 1.0
	for _, o := range all {
		share, rate := m.Forecast(o.Provider, o.Code).Probability, seen[o.Code]/n
		if seen[o.Code] == 0 {
			share, rate = .5/n, .5/n
		}
		model, rates = model-math.Log(share), rates-math.Log(rate)
		m.Learn(o)
		seen[o.Code]++
		n++
	}
	return model / float64(len(all)), rates / float64(len(all))
}

// TestForecastsOfHistories bounds the model's log loss as a share of that of the long-run rates.
// In "steady" failures are unrelated, so the rates are the best forecast. D179
func TestForecastsOfHistories(t *testing.T) {
	for _, tt := range []struct {
		history string
		most    float64
	}{
		{"steady", 1.06}, {"outages", .45}, {"overload", .9}, {"ratelimit", .5}, {"login", .2}, {"mixed", .55},
	} {
		t.Run(tt.history, func(t *testing.T) {
			model, rates := loss(history(t, tt.history))
			t.Logf("%.3f of %.3f", model, rates)
			assert.LessOrEqual(t, model, tt.most*rates)
		})
	}
}

// TestIntervals: the share of forecasts whose interval contains how often the failure came, over
// all histories, by tenths of the probability. D179
func TestIntervals(t *testing.T) {
	type bin struct{ n, low, high, came float64 }
	var bins [10]bin
	for _, name := range []string{"steady", "outages", "overload", "ratelimit", "login", "mixed"} {
		m := predict.New()
		for _, o := range history(t, name) {
			for _, f := range m.Next(o.Provider) {
				b := &bins[min(9, int(f.Probability*10))]
				b.n, b.low, b.high = b.n+1, b.low+f.Low, b.high+f.High
				if f.Code == o.Code {
					b.came++
				}
			}
			m.Learn(o)
		}
	}
	held, all := 0.0, 0.0
	for i, b := range bins {
		t.Logf("%d0 %%: %.0f forecasts, came %.3f, interval %.3f to %.3f", i, b.n, b.came/b.n, b.low/b.n, b.high/b.n)
		all += b.n
		if b.low <= b.came && b.came <= b.high {
			held += b.n
		}
	}
	assert.GreaterOrEqual(t, held/all, .9)
}

func TestNext(t *testing.T) {
	m := predict.New()
	assert.Empty(t, m.Next("api"))
	for _, code := range []string{"", "DOWN", "DOWN", "", "LIMIT", "", "DOWN", "DOWN"} {
		m.Learn(retry.Outcome{Provider: "api", Code: code})
	}
	next := m.Next("api")
	require.Len(t, next, 2)
	assert.Equal(t, []string{"DOWN", "LIMIT"}, []string{next[0].Code, next[1].Code})
	assert.Equal(t, 3, next[0].Calls, "calls after a DOWN")
	for _, f := range next {
		assert.LessOrEqual(t, f.Low, f.Probability)
		assert.LessOrEqual(t, f.Probability, f.High)
	}
	assert.Equal(t, predict.Forecast{Code: "DOWN", High: 1}, m.Forecast("other", "DOWN"))
}

// tableWith is a table in which two codes have measures.
func tableWith(first, second taxonomy.Prevention) taxonomy.Table {
	category := &taxonomy.Category{Name: "api", Codes: []taxonomy.Code{{},
		{Value: "DOWN", Prevent: &first}, {Value: "LIMIT", Prevent: &second}}}
	return taxonomy.Table{Taxonomy: &taxonomy.Taxonomy{Domain: "t", Categories: []*taxonomy.Category{category}}}
}

func outcomes(m *predict.Model, code string, n int) {
	for range n {
		m.Learn(retry.Outcome{Provider: "api", Code: code})
	}
}

// TestMeasures: they apply to a call while its failure is likely. D180
func TestMeasures(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name          string
		first, second taxonomy.Prevention
		after         time.Duration // between the two calls
		released      bool          // the first call has ended
		wait          time.Duration
		check         string
	}{
		{name: "check", first: taxonomy.Prevention{Check: "ping", Likely: .5}, check: "ping"},
		{name: "not likely", second: taxonomy.Prevention{Check: "ping", Likely: .5, Throttle: time.Minute}},
		{name: "throttle", first: taxonomy.Prevention{Throttle: time.Minute, Likely: .5}, after: 10 * time.Second,
			wait: 50 * time.Second},
		{name: "throttle is over", first: taxonomy.Prevention{Throttle: time.Minute, Likely: .5}, after: time.Minute},
		{name: "longest throttle", first: taxonomy.Prevention{Throttle: time.Second, Likely: .5},
			second: taxonomy.Prevention{Throttle: time.Minute}, wait: time.Minute},
		{name: "concurrency", first: taxonomy.Prevention{Concurrency: 1, Likely: .5}, wait: time.Second},
		{name: "place is free", first: taxonomy.Prevention{Concurrency: 1, Likely: .5}, released: true},
		{name: "lowest concurrency", first: taxonomy.Prevention{Concurrency: 2, Likely: .5},
			second: taxonomy.Prevention{Concurrency: 1}, wait: time.Second},
		{name: "lease is over", first: taxonomy.Prevention{Concurrency: 1, Likely: .5}, after: 2 * time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := predict.New()
			outcomes(m, "DOWN", 20)
			p := predict.NewPreventer(m, tableWith(tt.first, tt.second))
			first, err := p.Before(t.Context(), executor.Coming{Provider: "api", Now: now})
			require.NoError(t, err)
			require.Zero(t, first.Wait)
			if tt.released {
				first.Release()
			}
			got, err := p.Before(t.Context(), executor.Coming{Provider: "api", Now: now.Add(tt.after)})
			require.NoError(t, err)
			assert.Equal(t, tt.wait, got.Wait)
			assert.Equal(t, tt.check, got.Check)
		})
	}
	assert.Nil(t, predict.NewPreventer(predict.New(), taxonomy.Table{Taxonomy: errs.Table.Taxonomy}))
}

// TestMeasuresBeginAndEnd: they begin when Low reaches Likely, and end below 60 % of it.
func TestMeasuresBeginAndEnd(t *testing.T) {
	m := predict.New()
	p := predict.NewPreventer(m, tableWith(taxonomy.Prevention{Check: "ping", Likely: .5}, taxonomy.Prevention{}))
	on := func() bool {
		got, err := p.Before(t.Context(), executor.Coming{Provider: "api"})
		require.NoError(t, err)
		got.Withdraw()
		return got.Check != ""
	}
	outcomes(m, "DOWN", 2)
	assert.False(t, on(), "probable, but after two calls Low is below")
	outcomes(m, "DOWN", 10)
	assert.True(t, on())
	for range 12 {
		outcomes(m, "", 1)
		outcomes(m, "DOWN", 1)
	}
	f := m.Forecast("api", "DOWN")
	require.Less(t, f.Low, .5)
	require.Greater(t, f.Probability, .3)
	assert.True(t, on(), "in between they stay")
	outcomes(m, "", 40)
	assert.False(t, on())
}
