package prevent_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/report/predict"
	"github.com/errgen/errgen/runtime/report/predict/prevent"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

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
			p := prevent.New(m, tableWith(tt.first, tt.second))
			first, err := p.Before(t.Context(), executor.Call{Provider: "api", Now: now})
			require.NoError(t, err)
			require.Zero(t, first.Wait)
			if tt.released {
				first.Release()
			}
			got, err := p.Before(t.Context(), executor.Call{Provider: "api", Now: now.Add(tt.after)})
			require.NoError(t, err)
			assert.Equal(t, tt.wait, got.Wait)
			assert.Equal(t, tt.check, got.Check)
		})
	}
	assert.Nil(t, prevent.New(predict.New(), taxonomy.Table{Taxonomy: errs.Table.Taxonomy}))
}

// TestMeasuresBeginAndEnd: they begin when Low reaches Likely, and end below 60 % of it.
func TestMeasuresBeginAndEnd(t *testing.T) {
	m := predict.New()
	p := prevent.New(m, tableWith(taxonomy.Prevention{Check: "ping", Likely: .5}, taxonomy.Prevention{}))
	on := func() bool {
		got, err := p.Before(t.Context(), executor.Call{Provider: "api"})
		require.NoError(t, err)
		got.Release()
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
