package predict_test

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/report/predict"
	"github.com/errgen/errgen/runtime/retry"
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
