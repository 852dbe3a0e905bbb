package predict

import (
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/retry"
)

const (
	// prior is how many calls a broader view counts for in a narrower one.
	prior = 2.0
	// burstCalls is after how many further calls one counts half in the burst.
	burstCalls = 6
	// shareMoved is the part of the views' weights that is dealt out anew after each call, so that
	// a view that was wrong for long can still come to count.
	shareMoved = 0.01
	// leastShare bounds how much a view loses by one call.
	leastShare = 1e-9
	// lastYear is the last that JSON has times of.
	lastYear = 9999
)

// pauses are the ends of the pauses that steps tell apart; what is longer is the last kind.
var pauses = [...]time.Duration{2 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute}

// kindOf returns which kind of pause d is.
func kindOf(d time.Duration) int {
	for i, end := range pauses {
		if d < end {
			return i
		}
	}
	return len(pauses)
}

// Model foretells how the next call of a provider ends. It learns from every outcome that it is
// told, is safe for concurrent use, and says the same after the same outcomes in the same order.
// Make one with [New].
type Model struct {
	options Options
	doubt   float64 // that the truth is above, and as much that it is below an interval
	long    float64 // the factor of the long run and of steps
	short   float64 // that of the burst, for each call

	mu        sync.Mutex
	all       counts
	providers map[string]*provider
}

// provider is what is known of one.
type provider struct {
	name  string
	long  counts
	burst counts
	steps []*step
	// weights are how much each view counts; their sum is 1.
	weights [views]float64
	// last is the outcome that came last, at is when that was. Without a call, calls is 0.
	last  string
	at    time.Time
	calls int
}

// step is what came after an outcome, in all and by the kind of pause between.
type step struct {
	after  string
	all    counts
	paused [len(pauses) + 1]counts
}

// New returns a model that knows nothing yet.
func New(o Options) *Model {
	o = o.filled()
	return &Model{
		options: o, doubt: (1 - o.Confidence) / 2, long: halved(float64(o.HalfLife)), short: halved(burstCalls),
		providers: map[string]*provider{},
	}
}

// Learn takes an outcome into account; outcomes of a provider are told in the order in which its
// calls ended. What came before, as from a file, is learnt the same way, in any portions.
func (m *Model) Learn(o retry.Outcome) {
	code := name(o.Code)
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.provider(name(o.Provider))
	began := p.began(o)
	p.weigh(m.at(p, began), code)
	if p.calls > 0 {
		s := p.stepAfter(p.last, m.options.MaxCodes)
		s.all.add(code, m.long, m.options.MaxCodes)
		s.paused[kindOf(p.paused(began))].add(code, m.long, m.options.MaxCodes)
	}
	p.burst.add(code, m.short*m.faded(p, o.At), m.options.MaxCodes)
	p.long.add(code, m.long, m.options.MaxCodes)
	m.all.add(code, m.long, m.options.MaxCodes)
	p.last, p.calls = code, p.calls+1
	if year := o.At.UTC().Year(); 0 <= year && year <= lastYear {
		p.at = o.At.UTC()
	}
}

// provider returns what is known of the provider, for something to be added to it.
func (m *Model) provider(name string) *provider {
	p := m.providers[name]
	if p != nil {
		return p
	}
	if len(m.providers) >= m.options.MaxProviders {
		m.dropOldest()
	}
	p = newProvider(name)
	m.providers[name] = p
	return p
}

func newProvider(name string) *provider {
	p := &provider{name: name}
	for i := range p.weights {
		p.weights[i] = 1.0 / views
	}
	return p
}

func (m *Model) dropOldest() {
	var oldest *provider
	for _, p := range m.providers {
		if oldest == nil || p.at.Before(oldest.at) || p.at.Equal(oldest.at) && p.name < oldest.name {
			oldest = p
		}
	}
	delete(m.providers, oldest.name)
}

// began returns when the call of an outcome began, as far as that is known.
func (p *provider) began(o retry.Outcome) time.Time {
	switch {
	case o.Took > 0:
		return o.At.Add(-o.Took)
	case o.After != "" && p.calls > 0:
		return p.at.Add(max(0, o.Wait))
	}
	return o.At
}

// paused is how long the provider was not called before now.
func (p *provider) paused(now time.Time) time.Duration { return max(0, now.Sub(p.at)) }

// faded is the factor by which the burst has fallen since the provider's last outcome.
func (m *Model) faded(p *provider, now time.Time) float64 {
	if p.calls == 0 {
		return 1
	}
	return halvings(float64(p.paused(now)) / float64(m.options.Burst))
}

func (p *provider) step(after string) *step {
	for _, s := range p.steps {
		if s.after == after {
			return s
		}
	}
	return nil
}

// stepAfter is step for something to be added to it.
func (p *provider) stepAfter(after string, most int) *step {
	if s := p.step(after); s != nil {
		return s
	}
	s := &step{after: after}
	if len(p.steps) < most {
		p.steps = append(p.steps, s)
		return s
	}
	at := 0
	for i, s := range p.steps {
		least := p.steps[at]
		if s.all.total < least.all.total || s.all.total == least.all.total && s.after > least.after {
			at = i
		}
	}
	p.steps[at] = s
	return s
}
