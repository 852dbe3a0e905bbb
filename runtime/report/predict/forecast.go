package predict

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// Forecast is how probable it is that a provider's next call fails with a code.
type Forecast struct {
	Code string `json:"code"`
	// Probability is the best estimate; the true one is between Low and High with the model's
	// confidence.
	Probability float64 `json:"probability"`
	Low         float64 `json:"low"`
	High        float64 `json:"high"`
	// Seen is how often the provider has failed with the code, as far as is remembered.
	Seen int `json:"seen"`
	// Why says in one line what the forecast rests on.
	Why string `json:"why,omitempty"`
}

// Next returns the forecasts for a call of the provider that begins at now, the most probable
// first, and equals by code. They are for the codes that the provider has failed with; of a
// provider that was never called, for those of all. What is left to one is success and codes that
// are not remembered.
func (m *Model) Next(provider string, now time.Time) []Forecast {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, known := m.known(provider)
	from := &p.long
	if !known {
		from = &m.all
	}
	o := m.at(p, now)
	var out []Forecast
	for _, cell := range from.cells {
		if cell.code == "" {
			continue
		}
		f := m.forecast(p, &o, cell.code)
		f.Why = m.why(p, &o, cell.code, now)
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b Forecast) int {
		return cmp.Or(cmp.Compare(b.Probability, a.Probability), cmp.Compare(a.Code, b.Code))
	})
	return out
}

// Forecast returns the forecast of one code for a call of the provider that begins at now, without
// its Why.
func (m *Model) Forecast(provider, code string, now time.Time) Forecast {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, _ := m.known(provider)
	o := m.at(p, now)
	return m.forecast(p, &o, name(code))
}

// known returns what is known of the provider, and whether anything is.
func (m *Model) known(called string) (*provider, bool) {
	called = name(called)
	if p := m.providers[called]; p != nil {
		return p, true
	}
	return newProvider(called), false
}

func (m *Model) forecast(p *provider, o *outlook, code string) Forecast {
	shares := o.shares(code)
	mean := o.mean(shares)
	low, high := o.interval(shares, m.doubt)
	return Forecast{Code: code, Probability: mean, Low: max(0, min(low, mean)), High: min(1, max(high, mean)),
		Seen: p.long.seen(code)}
}

// why says what each view says, how much it counts and on how many calls it rests.
func (m *Model) why(p *provider, o *outlook, code string, now time.Time) string {
	if p.calls == 0 {
		return fmt.Sprintf("never called; %s of the calls of all providers", percent(o.shares(code)[viewLong]))
	}
	shares := o.shares(code)
	last := "a success"
	if p.last != "" {
		last = p.last
	}
	return fmt.Sprintf(
		"%s after %s and a pause as this of %s (weight %s, %s calls); %s in the burst, %s times the long run "+
			"(weight %s, %s calls); %s in the long run (weight %s, %s calls)",
		percent(shares[viewStep]), last, p.paused(now).Round(time.Second), percent(o.weights[viewStep]),
		number(o.paused.total),
		percent(shares[viewBurst]), number(shares[viewBurst]/shares[viewLong]), percent(o.weights[viewBurst]),
		number(o.burst.total*o.faded),
		percent(shares[viewLong]), percent(o.weights[viewLong]), number(o.long.total))
}

func percent(share float64) string { return strconv.Itoa(int(math.Round(100*share))) + " %" }

func number(n float64) string {
	if !(n < math.MaxInt32) {
		return "many"
	}
	return strconv.FormatFloat(n, 'f', 1, 64)
}
