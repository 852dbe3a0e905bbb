package resolve

import (
	"time"

	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The numbers of what a policy and a code hold that do not say.
const (
	defaultTarget    = 0.8
	defaultOutcomes  = 50
	unbounded        = -1 // retries
	defaultReserve   = 3
	defaultWindow    = 10 * time.Second
	defaultProbe     = 5 * time.Second
	defaultSuccesses = 1
	defaultLikely    = 0.5
)

// adapt applies the defaults; a bound that is not given is the number of the policy itself.
func adapt(d *spec.Adapt, p *taxonomy.Policy) *taxonomy.Adapt {
	if d == nil {
		return nil
	}
	a := &taxonomy.Adapt{Target: d.Target.Or(defaultTarget), Window: d.Window.Or(defaultOutcomes)}
	if r := d.Attempts; r != nil {
		a.MinAttempts, a.MaxAttempts = r.Min.Or(p.MaxAttempts), r.Max.Or(p.MaxAttempts)
	}
	if r := d.Delay; r != nil {
		a.MinDelay, a.MaxDelay = r.Min.Or(p.InitialDelay), r.Max.Or(p.InitialDelay)
	}
	return a
}

// budget applies the defaults. Without a share of retries nothing bounds those.
func budget(d *spec.Budget) *taxonomy.Budget {
	if d == nil {
		return nil
	}
	return &taxonomy.Budget{
		Retries: d.Retries.Or(unbounded), Reserve: d.Reserve.Or(defaultReserve), Window: d.Window.Or(defaultWindow),
		Breaker: breaker(d.Breaker),
	}
}

func breaker(d *spec.Breaker) *taxonomy.Breaker {
	if d == nil {
		return nil
	}
	return &taxonomy.Breaker{
		Failures: d.Failures.V, Of: d.Of.Or(d.Failures.V), Probe: d.Probe.Or(defaultProbe),
		Successes: d.Successes.Or(defaultSuccesses),
	}
}

func prevention(d *spec.Prevention) *taxonomy.Prevention {
	if d == nil {
		return nil
	}
	return &taxonomy.Prevention{Check: d.Check.V, Throttle: d.Throttle.V, Concurrency: d.Concurrency.V,
		Likely: d.Likely.Or(defaultLikely)}
}

// MergeAdapt lays top over base, key by key. Either may be nil; neither is changed.
func MergeAdapt(base, top *spec.Adapt) *spec.Adapt {
	if base == nil || top == nil {
		return either(top, base)
	}
	a := *base
	a.Attempts = mergeAttempts(base.Attempts, top.Attempts)
	a.Delay = mergeDelays(base.Delay, top.Delay)
	lay(&a.Target, top.Target)
	lay(&a.Window, top.Window)
	return &a
}

func mergeAttempts(base, top *spec.Attempts) *spec.Attempts {
	if base == nil || top == nil {
		return either(top, base)
	}
	r := *base
	lay(&r.Min, top.Min)
	lay(&r.Max, top.Max)
	return &r
}

func mergeDelays(base, top *spec.Delays) *spec.Delays {
	if base == nil || top == nil {
		return either(top, base)
	}
	r := *base
	lay(&r.Min, top.Min)
	lay(&r.Max, top.Max)
	return &r
}

// MergeBudget lays top over base, key by key. Either may be nil; neither is changed.
func MergeBudget(base, top *spec.Budget) *spec.Budget {
	if base == nil || top == nil {
		return either(top, base)
	}
	b := *base
	lay(&b.Retries, top.Retries)
	lay(&b.Reserve, top.Reserve)
	lay(&b.Window, top.Window)
	b.Breaker = mergeBreaker(base.Breaker, top.Breaker)
	return &b
}

func mergeBreaker(base, top *spec.Breaker) *spec.Breaker {
	if base == nil || top == nil {
		return either(top, base)
	}
	b := *base
	lay(&b.Failures, top.Failures)
	lay(&b.Of, top.Of)
	lay(&b.Probe, top.Probe)
	lay(&b.Successes, top.Successes)
	return &b
}

// either returns what is given, top before base.
func either[T any](top, base *T) *T {
	if top != nil {
		return top
	}
	return base
}
