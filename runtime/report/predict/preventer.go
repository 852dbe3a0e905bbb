package predict

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// defaultRelease is the share of a code's Likely below which its measures end.
	defaultRelease  = 0.6
	defaultAgain    = time.Second
	defaultLongest  = time.Hour
	longestThrottle = 24 * time.Hour
	// sweepAfter is how long doors that nobody needs are not looked for again.
	sweepAfter = 10 * time.Second
)

// PreventerOptions are how measures begin and end. What is 0 or cannot be is as it says.
type PreventerOptions struct {
	// Release is the share of a code's Likely below which its Probability must fall for its
	// measures to end; between 0 and 1;
	// 0.6. Measures begin where Low is at least Likely, so that a forecast which wavers does not turn them on and off.
	Release float64
	// Again is after how long a call for which there is no place asks again; 1 second.
	Again time.Duration
	// Longest is after how long a place that was not given back is free again; 1 hour.
	Longest time.Duration
}

func (o PreventerOptions) filled() PreventerOptions {
	if !(o.Release > 0 && o.Release < 1) {
		o.Release = defaultRelease
	}
	if o.Again <= 0 {
		o.Again = defaultAgain
	}
	o.Again = min(o.Again, time.Hour)
	if o.Longest <= 0 {
		o.Longest = defaultLongest
	}
	return o
}

// NewPreventer returns what takes the measures of the table's codes (`prevent`) while the model
// says that they are likely. All runs that share it share them: of each provider, the calls begin
// at least Throttle apart, Concurrency of them run at once, and who waits goes in the order of
// asking. Where several codes are likely, the longest throttle and the lowest concurrency hold, and
// the check of the most probable code that has one. Beyond 4096 providers, those that measures hold
// for share them.
//
// For a table without `prevent` it returns a Preventer that does nothing.
func NewPreventer(m *Model, table taxonomy.Table, o PreventerOptions) executor.Preventer {
	rules := rulesOf(table)
	if m == nil || len(rules) == 0 {
		return idle{}
	}
	p := &preventer{
		model: m, rules: rules, options: o.filled(), doors: map[string]*door{},
		rest: &door{on: make([]bool, len(rules)), shared: true},
	}
	p.counts = slices.ContainsFunc(rules, func(r rule) bool { return r.Concurrency > 0 })
	return p
}

// idle takes no measures.
type idle struct{}

func (idle) Before(context.Context, executor.Coming) (executor.Precaution, error) {
	return executor.Precaution{}, nil
}

// rule is what is done where a code is likely.
type rule struct {
	code string
	taxonomy.Prevention
}

func rulesOf(table taxonomy.Table) []rule {
	if table.Taxonomy == nil {
		return nil
	}
	var rules []rule
	for _, c := range table.Taxonomy.Codes() {
		if c.Prevent != nil {
			r := rule{code: c.Value, Prevention: *c.Prevent}
			r.Throttle, r.Concurrency = min(r.Throttle, longestThrottle), min(r.Concurrency, mostCallers)
			rules = append(rules, r)
		}
	}
	return rules
}

type preventer struct {
	model   *Model
	rules   []rule
	options PreventerOptions
	// counts reports that running calls are counted, because a rule may bound them.
	counts bool

	mu    sync.Mutex
	doors map[string]*door
	// rest is the door of all providers that there is no other for, swept when doors that nobody
	// needs were looked for last.
	rest  *door
	swept time.Time
}

// Before says what the most probable of the failures that are likely asks for.
func (p *preventer) Before(ctx context.Context, c executor.Coming) (executor.Precaution, error) {
	if err := ctx.Err(); err != nil {
		return executor.Precaution{}, context.Cause(ctx)
	}
	forecasts := make([]Forecast, len(p.rules))
	for i, r := range p.rules {
		forecasts[i] = p.model.Forecast(c.Provider, r.code, c.Now)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.door(name(c.Provider), c.Now)
	measures, precaution := p.measures(d, forecasts)
	last := d.last
	if wait := d.enter(c.Run, c.Now, measures, p.options); wait > 0 {
		precaution.Check, precaution.Wait = "", wait
		p.watch(ctx, d, c.Run)
		return precaution, nil
	}
	if p.counts && (!d.shared || measures.places > 0) {
		id := d.hold(c.Now)
		precaution.Release = sync.OnceFunc(func() { p.release(d, id) })
	}
	if measures.throttle > 0 {
		release := precaution.Release
		precaution.Withdraw = sync.OnceFunc(func() {
			if release != nil {
				release()
			}
			p.withdraw(d, c.Now, last)
		})
	}
	return precaution, nil
}

// watch has a run that waits leave its place when ctx ends.
func (p *preventer) watch(ctx context.Context, d *door, run string) {
	i := d.place(run)
	if i < 0 || ctx.Done() == nil || d.waiting[i].forget != nil {
		return
	}
	waits := d.waiting[i]
	waits.forget = context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		d.gone(func(c *caller) bool { return c == waits })
	})
}

// withdraw has a call that went through at a time count for the throttle no more.
func (p *preventer) withdraw(d *door, at, before time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d.last.Equal(at) {
		d.last = before
	}
}

// measures returns what holds now, and the precaution for the most probable code that asks for it.
func (p *preventer) measures(d *door, forecasts []Forecast) (m measures, said executor.Precaution) {
	checked := 0.0
	for i, f := range forecasts {
		r := p.rules[i]
		switch {
		case f.Low >= r.Likely:
			d.on[i] = true
		case f.Probability < p.options.Release*r.Likely:
			d.on[i] = false
		}
		if !d.on[i] {
			continue
		}
		if said.Code == "" || f.Probability > said.Probability {
			said.Code, said.Probability, said.Low, said.High = f.Code, f.Probability, f.Low, f.High
		}
		if r.Check != "" && (said.Check == "" || f.Probability > checked) {
			said.Check, checked = r.Check, f.Probability
		}
		m.throttle = max(m.throttle, r.Throttle)
		if r.Concurrency > 0 && (m.places == 0 || r.Concurrency < m.places) {
			m.places = r.Concurrency
		}
	}
	return m, said
}

func (p *preventer) release(d *door, id uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d.leave(id)
}

// door returns the door of a provider. One that is new may take the place of another through which
// nobody goes; without a place it is the one of all the rest.
func (p *preventer) door(provider string, now time.Time) *door {
	if d := p.doors[provider]; d != nil {
		return d
	}
	if len(p.doors) >= mostProviders {
		p.sweep(now)
	}
	if len(p.doors) >= mostProviders {
		return p.rest
	}
	d := &door{on: make([]bool, len(p.rules))}
	p.doors[provider] = d
	return d
}

// sweep forgets doors that nobody needs, but does not look for them at every call.
func (p *preventer) sweep(now time.Time) {
	if now.Sub(p.swept).Abs() < sweepAfter {
		return
	}
	p.swept = now
	for name, d := range p.doors {
		if d.unused(now) {
			delete(p.doors, name)
		}
	}
}
