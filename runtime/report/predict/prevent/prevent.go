// Package prevent takes the measures that a taxonomy declares under `prevent` while package predict
// forecasts the failure.
//
//	config.Admission.Learners = append(config.Admission.Learners, model)
//	config.Admission.Preventer = prevent.New(model, errs.Table)
package prevent

import (
	"context"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/report/predict"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// release is the share of a code's Likely below which its probability must fall before its
	// measures end, so that a forecast near Likely does not switch them on and off.
	release = 0.6
	// lease is how long a call counts as running if it is not released.
	lease = time.Hour
	// recheck is the wait before a call asks again for a place.
	recheck = time.Second
	// maxProviders bounds the providers that are tracked.
	maxProviders = 64
)

// New returns a preventer that takes the measures of the table's codes (`prevent`) while
// the model forecasts them: they begin when Low reaches Likely. All runs that share it share its
// limits. Where several codes are likely, the longest throttle, the lowest concurrency and the
// check of the most probable code apply. It returns nil if the table has no `prevent`.
func New(m *predict.Model, table taxonomy.Table) executor.Preventer {
	p := &preventer{model: m, lines: map[string]*line{}, rules: map[string]taxonomy.Prevention{}}
	if m == nil || table.Taxonomy == nil {
		return nil
	}
	for _, c := range table.Taxonomy.Codes() {
		if c.Prevent != nil {
			p.rules[c.Value] = *c.Prevent
			p.codes = append(p.codes, c.Value)
		}
	}
	if len(p.codes) == 0 {
		return nil
	}
	return p
}

type preventer struct {
	model *predict.Model
	rules map[string]taxonomy.Prevention
	codes []string // those with a rule, in the order of the taxonomy

	mu    sync.Mutex
	lines map[string]*line // by provider
}

// line is the state of a provider's calls.
type line struct {
	likely  map[string]bool
	last    time.Time // begin of the last call
	running map[*time.Time]bool
}

// Before returns the measures for a call that is about to be made.
func (p *preventer) Before(_ context.Context, c executor.Call) (executor.Precaution, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lines[c.Provider]
	if l == nil {
		l = &line{likely: map[string]bool{}, running: map[*time.Time]bool{}}
		if len(p.lines) < maxProviders {
			p.lines[c.Provider] = l
		}
	}
	out, rule := p.measures(l, c.Provider)
	for since := range l.running {
		if c.Now.Sub(*since) > lease {
			delete(l.running, since)
		}
	}
	if rule.Throttle > 0 && !l.last.IsZero() {
		out.Wait = min(max(0, l.last.Add(rule.Throttle).Sub(c.Now)), rule.Throttle)
	}
	if rule.Concurrency > 0 && len(l.running) >= rule.Concurrency {
		out.Wait = max(out.Wait, recheck)
	}
	if out.Wait > 0 {
		out.Check = ""
		return out, nil
	}
	since := c.Now
	l.last, l.running[&since] = c.Now, true
	out.Release = func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(l.running, &since)
	}
	return out, nil
}

// measures returns the most probable failure that is likely, and the strictest of the measures.
func (p *preventer) measures(l *line, provider string) (out executor.Precaution, all taxonomy.Prevention) {
	checked := 0.0
	for _, code := range p.codes {
		rule, f := p.rules[code], p.model.Forecast(provider, code)
		if f.Low >= rule.Likely {
			l.likely[code] = true
		} else if f.Probability < release*rule.Likely {
			l.likely[code] = false
		}
		if !l.likely[code] {
			continue
		}
		if out.Code == "" || f.Probability > out.Probability {
			out.Code, out.Probability, out.Low, out.High = code, f.Probability, f.Low, f.High
		}
		if rule.Check != "" && f.Probability > checked {
			out.Check, checked = rule.Check, f.Probability
		}
		all.Throttle = max(all.Throttle, rule.Throttle)
		if rule.Concurrency > 0 && (all.Concurrency == 0 || rule.Concurrency < all.Concurrency) {
			all.Concurrency = rule.Concurrency
		}
	}
	return out, all
}
