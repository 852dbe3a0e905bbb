// Package predict estimates how probable it is that a provider's next call fails.
//
//	model := predict.New()
//	config.Admission.Learners = append(config.Admission.Learners, model) // every call that ended
//	for _, f := range model.Next("anthropic-api") {
//		fmt.Println(f.Code, f.Probability, f.Low, f.High)
//	}
//
// The model is one table. For each provider and each outcome of its last call, a row counts the
// outcomes that followed. The long-run rates of the provider have a small weight in each row, which
// matters if the row has few calls. The interval is Wilson's at 90 %. The measurements behind this
// choice are in docs/decisions/0016-forecasts.md.
package predict

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/errgen/errgen/runtime/retry"
)

const (
	// prior is the weight, in calls, of the long-run rates in a row. In the long-run rates,
	// halfCall is the prior weight of a success, and that of a failure with a new code.
	prior, halfCall = 2.0, 0.5
	// maxWeight bounds the total of a row. If the total is larger, all weights of the row are
	// halved.
	maxWeight = 600
	// z is the quantile of the normal distribution for an interval of 90 %.
	z                      = 1.6449
	maxProviders, maxCodes = 64, 32
)

// Forecast is the probability that the next call of a provider fails with a code.
type Forecast struct {
	Code string `json:"code"`
	// Probability is the best estimate. Low and High bound it with a confidence of 90 %.
	Probability float64 `json:"probability"`
	Low         float64 `json:"low"`
	High        float64 `json:"high"`
	// Calls is the number of calls that the forecast is based on.
	Calls int `json:"calls"`
}

// Model forecasts the outcome of the next call of a provider. It is a [retry.Learner], safe for
// concurrent use, and deterministic. It tracks the first 64 providers, with their first 32
// outcomes.
type Model struct {
	mu        sync.Mutex
	providers map[string]*provider
}

// provider has the long-run counts and one row for each outcome of the call before.
type provider struct {
	all   row
	rows  map[string]*row
	last  string
	known bool // whether last is set
}

// row counts outcomes by code. The code of a success is empty.
type row struct {
	weights map[string]float64
	total   float64
}

// New returns a model without any outcome.
func New() *Model { return &Model{providers: map[string]*provider{}} }

// Learn counts an outcome. The outcomes of a provider are passed in the order in which its calls
// ended.
func (m *Model) Learn(o retry.Outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.providers[o.Provider]
	if p == nil {
		if len(m.providers) >= maxProviders {
			return
		}
		p = &provider{rows: map[string]*row{}}
		m.providers[o.Provider] = p
	}
	if p.known {
		if p.rows[p.last] == nil {
			p.rows[p.last] = &row{}
		}
		p.rows[p.last].add(o.Code)
	}
	if p.all.add(o.Code) {
		p.last, p.known = o.Code, true
	}
}

// add counts an outcome and reports whether there is room for its code.
func (r *row) add(code string) bool {
	if r.weights == nil {
		r.weights = map[string]float64{}
	}
	if _, known := r.weights[code]; !known && len(r.weights) >= maxCodes {
		return false
	}
	r.weights[code]++
	if r.total++; r.total > maxWeight {
		for code := range r.weights {
			r.weights[code] /= 2
		}
		r.total /= 2
	}
	return true
}

// Next returns a forecast for each code that the provider has failed with, the most probable first.
// The rest of the probability is that of a success or of a new failure.
func (m *Model) Next(name string) []Forecast {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.providers[name]
	if p == nil {
		return nil
	}
	var out []Forecast
	for _, code := range slices.Sorted(maps.Keys(p.all.weights)) {
		if code != "" {
			out = append(out, p.forecast(code))
		}
	}
	slices.SortStableFunc(out, func(a, b Forecast) int { return cmp.Compare(b.Probability, a.Probability) })
	return out
}

// Forecast returns the forecast of one code for a provider's next call.
func (m *Model) Forecast(name, code string) Forecast {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.providers[name]
	if p == nil {
		p = &provider{}
	}
	return p.forecast(code)
}

func (p *provider) forecast(code string) Forecast {
	r := p.rows[p.last]
	if r == nil {
		r = &row{}
	}
	before := 0.0
	if code == "" {
		before = halfCall
	}
	rate := (p.all.weights[code] + before) / (p.all.total + 2*halfCall)
	share := (r.weights[code] + prior*rate) / (r.total + prior)
	// The long-run rates add at most as many calls as their weight in the share.
	low, high := wilson(share, r.total+min(prior, p.all.total))
	return Forecast{Code: code, Probability: share, Low: low, High: high, Calls: int(r.total)}
}

// wilson returns Wilson's score interval of a share of n calls.
func wilson(p, n float64) (low, high float64) {
	if n <= 0 {
		return 0, 1
	}
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, min(middle-half, p)), min(1, max(middle+half, p))
}
