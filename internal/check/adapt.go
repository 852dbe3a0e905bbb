package check

import (
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

// The window of adapt, and what a breaker can count: more would have to be remembered for each code and lane.
const (
	leastOutcomes = 10
	mostOutcomes  = 1000
)

// adaptBounds checks adapt as it is combined, and reports what the overlay had a part in.
func (p *pass) adaptBounds(policy, overlay *spec.Policy) {
	a, top := policy.Adapt, overlay.Adapt
	if a == nil {
		return
	}
	if top != nil {
		p.adaptNumbers(a, top)
	}
	p.attemptBounds(policy, overlay)
	p.delayBounds(policy, overlay)
}

func (p *pass) adaptNumbers(a, top *spec.Adapt) {
	if a.Attempts == nil && a.Delay == nil {
		p.report(top.Span, "adapt needs attempts or delay: nothing may move").hint("say how far, as in attempts: {max: 6}")
	}
	if t := top.Target; t.Set && !(t.V > 0 && t.V < 1) {
		p.report(t.Span, "target is between 0 and 1").hint("it is the share of first retries that shall succeed")
	}
	if w := top.Window; w.Set && (w.V < leastOutcomes || w.V > mostOutcomes) {
		p.report(w.Span, "window is from %d to %d, not %d", leastOutcomes, mostOutcomes, w.V)
	}
}

func (p *pass) attemptBounds(policy, overlay *spec.Policy) {
	r := policy.Adapt.Attempts
	if r == nil {
		return
	}
	top := &spec.Attempts{}
	if overlay.Adapt != nil && overlay.Adapt.Attempts != nil {
		top = overlay.Adapt.Attempts
	}
	own := policy.MaxAttempts.Or(defaultMaxAttempts)
	at := first(top.Min.Span, top.Max.Span, top.Span, overlay.MaxAttempts.Span)
	if !at.Valid() {
		return
	}
	least, most := r.Min.Or(own), r.Max.Or(own)
	switch {
	case !r.Min.Set && !r.Max.Set:
		p.report(at, "attempts needs min or max")
	case r.Min.Set && least < 1:
		p.report(first(r.Min.Span, at), "min is at least 1, not %d", least)
	case r.Min.Set && r.Max.Set && least > most:
		p.report(at, "min is above max").related(other(at, r.Min.Span, r.Max.Span), "the other bound")
	case own < least:
		p.report(at, "min is above max_attempts, which is %d%s", own, unlessSaid(policy.MaxAttempts)).related(other(at, policy.MaxAttempts.Span), "max_attempts")
	case own > most:
		p.report(at, "max is below max_attempts, which is %d%s", own, unlessSaid(policy.MaxAttempts)).related(other(at, policy.MaxAttempts.Span), "max_attempts")
	}
}

func (p *pass) delayBounds(policy, overlay *spec.Policy) {
	r := policy.Adapt.Delay
	if r == nil {
		return
	}
	top := &spec.Delays{}
	if overlay.Adapt != nil && overlay.Adapt.Delay != nil {
		top = overlay.Adapt.Delay
	}
	own, longest := policy.InitialDelay.Or(defaultInitialDelay), policy.MaxDelay.Or(defaultMaxDelay)
	at := first(top.Max.Span, top.Min.Span, top.Span, overlay.InitialDelay.Span, overlay.MaxDelay.Span)
	if !at.Valid() {
		return
	}
	least, most := r.Min.Or(own), r.Max.Or(own)
	switch {
	case !r.Min.Set && !r.Max.Set:
		p.report(at, "delay needs min or max")
	case most == 0:
		p.report(at, "max is more than 0s: nothing could move")
	case r.Min.Set && r.Max.Set && least > most:
		p.report(at, "min is above max").related(other(at, r.Min.Span, r.Max.Span), "the other bound")
	case own < least:
		p.report(at, "min is above initial_delay, which is %s%s", own, unlessSaid(policy.InitialDelay)).related(other(at, policy.InitialDelay.Span), "initial_delay")
	case own > most:
		p.report(at, "max is below initial_delay, which is %s%s", own, unlessSaid(policy.InitialDelay)).related(other(at, policy.InitialDelay.Span), "initial_delay")
	case most > longest:
		p.report(at, "max is above max_delay, which is %s%s", longest, unlessSaid(policy.MaxDelay)).
			related(other(at, policy.MaxDelay.Span), "max_delay")
	}
}

// other returns the first place that is another than at.
func other(at diag.Span, places ...diag.Span) diag.Span {
	for _, place := range places {
		if place.Valid() && place != at {
			return place
		}
	}
	return diag.Span{}
}

// unlessSaid says of a default that it is one.
func unlessSaid[T any](v spec.Val[T]) string {
	if v.Set {
		return ""
	}
	return " unless said"
}
