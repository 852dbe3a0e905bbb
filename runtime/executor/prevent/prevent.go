// Package prevent takes the measures that a taxonomy declares under `prevent`, as long as package
// predict forecasts the failure.
//
//	config.Admission.Learners = append(config.Admission.Learners, model)
//	config.Admission.Preventer = prevent.New(model, errs.Table, checks)
package prevent

import (
	"context"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/report/predict"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// endShare is a share of a code's Likely. The measures of the code end when its probability
	// falls below that share, so that a forecast near Likely does not switch them on and off.
	endShare = 0.6
	// lease is the time after which a call that was not released no longer counts as running.
	lease = time.Hour
	// recheck is the wait before a call tries again to get a place.
	recheck = time.Second
	// checkLimit limits the time of a check.
	checkLimit = time.Minute
	// maxProviders bounds the providers that are tracked.
	maxProviders = 64
)

// New returns a preventer that takes the measures of the table's codes (`prevent`) while the model
// forecasts these codes. The measures of a code begin when Low reaches Likely. Runs that share a
// preventer share its limits. If several codes are likely, the longest throttle, the lowest
// concurrency and the check of the most probable code apply. If checks is nil, no check runs. If
// the table has no `prevent`, New returns nil.
func New(m *predict.Model, table taxonomy.Table, checks Checker) executor.Preventer {
	p := &preventer{model: m, checks: checks, lines: map[string]*line{}, rules: map[string]taxonomy.Prevention{}}
	if m == nil || table.Taxonomy == nil {
		return nil
	}
	for _, c := range table.Taxonomy.Codes() {
		if c.Extras().Prevent != nil {
			p.rules[c.Value] = *c.Extras().Prevent
			p.codes = append(p.codes, c.Value)
		}
	}
	if len(p.codes) == 0 {
		return nil
	}
	return p
}

// Checker runs the checks that `prevent` names. The generated function Check can implement it. A
// Checker must be safe for concurrent use.
type Checker interface {
	// Check runs the named check. After an error the call fails, as if the provider had returned
	// the error. Check must return when ctx ends, which is after a minute or with the iteration.
	//
	//errgen:errors foreign
	Check(ctx context.Context, name string) error
}

type preventer struct {
	model  *predict.Model
	checks Checker
	rules  map[string]taxonomy.Prevention
	codes  []string // those with a rule, in the order of the taxonomy

	mu    sync.Mutex
	lines map[string]*line // by provider
}

// line is the state of a provider's calls.
type line struct {
	likely  map[string]bool
	last    time.Time // begin of the last call
	running map[*time.Time]bool
}

// Before takes the measures for a call that is about to be made.
func (p *preventer) Before(ctx context.Context, c executor.Call) (release func(), err error) {
	release, check, err := p.enter(c)
	if err != nil || check == "" || p.checks == nil {
		return release, err
	}
	limited, stop := context.WithTimeout(ctx, checkLimit)
	defer stop()
	err = p.checks.Check(limited, check)
	if err == nil {
		return release, nil
	}
	release()
	if limited.Err() != nil && ctx.Err() == nil {
		err = &taxonomy.Evidence{Source: c.Provider, Op: loop.OpCall, Type: "timeout", Err: err}
	}
	return nil, err
}

// enter takes a place for the call, and returns the check that must pass before the call.
func (p *preventer) enter(c executor.Call) (release func(), check string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lines[c.Provider]
	if l == nil {
		l = &line{likely: map[string]bool{}, running: map[*time.Time]bool{}}
		if len(p.lines) < maxProviders {
			p.lines[c.Provider] = l
		}
	}
	code, rule := p.measures(l, c.Provider)
	for since := range l.running {
		if c.Now.Sub(*since) > lease {
			delete(l.running, since)
		}
	}
	wait := time.Duration(0)
	if rule.Throttle > 0 && !l.last.IsZero() {
		wait = min(max(0, l.last.Add(rule.Throttle).Sub(c.Now)), rule.Throttle)
	}
	if rule.Concurrency > 0 && len(l.running) >= rule.Concurrency {
		wait = max(wait, recheck)
	}
	if wait > 0 {
		return nil, "", &loop.Admission{Until: c.Now.Add(wait), Why: "prevent: " + code}
	}
	since := c.Now
	l.last, l.running[&since] = c.Now, true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(l.running, &since)
	}, rule.Check, nil
}

// measures returns the most probable of the likely codes, and the strictest measures of all likely
// codes.
func (p *preventer) measures(l *line, provider string) (likely string, all taxonomy.Prevention) {
	var likeliest, checked float64
	for _, code := range p.codes {
		rule, f := p.rules[code], p.model.Forecast(provider, code)
		if f.Low >= rule.Likely {
			l.likely[code] = true
		} else if f.Probability < endShare*rule.Likely {
			l.likely[code] = false
		}
		if !l.likely[code] {
			continue
		}
		if likely == "" || f.Probability > likeliest {
			likely, likeliest = code, f.Probability
		}
		if rule.Check != "" && f.Probability > checked {
			all.Check, checked = rule.Check, f.Probability
		}
		all.Throttle = max(all.Throttle, rule.Throttle)
		if rule.Concurrency > 0 && (all.Concurrency == 0 || rule.Concurrency < all.Concurrency) {
			all.Concurrency = rule.Concurrency
		}
	}
	return likely, all
}
