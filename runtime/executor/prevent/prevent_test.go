package prevent_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/executor/prevent"
	"github.com/errgen/errgen/runtime/report/predict"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// tableWith is a table in which two codes have measures.
func tableWith(first, second taxonomy.Prevention) taxonomy.Table {
	category := &taxonomy.Category{Name: "api", Codes: []taxonomy.Code{{},
		{Value: "DOWN", Extra: &taxonomy.Extras{Prevent: &first}},
		{Value: "LIMIT", Extra: &taxonomy.Extras{Prevent: &second}}}}
	return taxonomy.Table{Taxonomy: &taxonomy.Taxonomy{Domain: "t", Categories: []*taxonomy.Category{category}}}
}

func outcomes(m *predict.Model, code string, n int) {
	for range n {
		m.Learn(retry.Outcome{Provider: "api", Code: code})
	}
}

// checks records the last check, which fails with err.
type checks struct {
	last string
	err  error
}

func (c *checks) Check(_ context.Context, name string) error {
	c.last = name
	return c.err
}

// TestFailedCheck fails the call and frees its place.
func TestFailedCheck(t *testing.T) {
	m := predict.New()
	outcomes(m, "DOWN", 20)
	ran := checks{err: assert.AnError}
	p := prevent.New(m, tableWith(taxonomy.Prevention{Check: "ping", Concurrency: 1, Likely: .5},
		taxonomy.Prevention{}), &ran)
	for range 2 {
		_, err := p.Before(t.Context(), executor.Call{Provider: "api"})
		assert.ErrorIs(t, err, assert.AnError)
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
			var ran checks
			p := prevent.New(m, tableWith(tt.first, tt.second), &ran)
			release, err := p.Before(t.Context(), executor.Call{Provider: "api", Now: now})
			require.NoError(t, err)
			if tt.released {
				release()
			}
			ran.last = ""
			_, err = p.Before(t.Context(), executor.Call{Provider: "api", Now: now.Add(tt.after)})
			closed, _ := errors.AsType[*loop.Admission](err)
			if tt.wait > 0 {
				require.NotNil(t, closed)
				assert.Equal(t, now.Add(tt.after).Add(tt.wait), closed.Until)
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, tt.check, ran.last)
		})
	}
	assert.Nil(t, prevent.New(predict.New(), taxonomy.Table{Taxonomy: errs.Table.Taxonomy}, nil))
}

// TestMeasuresBeginAndEnd: they begin when Low reaches Likely, and end below 60 % of it.
func TestMeasuresBeginAndEnd(t *testing.T) {
	m := predict.New()
	var ran checks
	p := prevent.New(m, tableWith(taxonomy.Prevention{Check: "ping", Likely: .5}, taxonomy.Prevention{}), &ran)
	on := func() bool {
		ran.last = ""
		release, err := p.Before(t.Context(), executor.Call{Provider: "api"})
		require.NoError(t, err)
		release()
		return ran.last != ""
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
