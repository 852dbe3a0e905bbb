package check

import (
	"time"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
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
		p.report(top.Span, "adapt needs attempts or delay: nothing may move").
			hint("say how far, as in attempts: {max: 6}")
	}
	if t := top.Target; t.Set && !(t.V >= 0.01 && t.V <= 0.99) {
		p.report(t.Span, "target is from %g to %g", 0.01, 0.99).
			hint("it is the share of first retries that shall succeed, as in target: 0.8")
	}
	if w := top.Window; w.Set && (w.V < 10 || w.V > 1000) {
		p.report(w.Span, "window is from %d to %d, not %d", 10, 1000, w.V).
			hint("it is how many outcomes are remembered; 50 unless said")
	}
}

// moving is a number of a policy that adapt may move, and its bounds, with the words for them. Own,
// least and most are as text.
type moving struct {
	key, own       string // attempts and max_attempts, say
	number         string // what own is
	unless         string // that own is a default, if so
	min, max       diag.Span
	ownSpan        diag.Span
	least, most    string
	topMin, topMax diag.Span
	at             diag.Span // where to report what concerns several
}

// outside reports that a bound of adapt does not hold the policy's own number: at the bound, or at
// the number if that is what the overlay says.
func (p *pass) outside(m *moving, below bool) {
	bound, value, span, top, side, change := "min", m.least, m.min, m.topMin, "above", "lower"
	if !below {
		bound, value, span, top, side, change = "max", m.most, m.max, m.topMax, "below", "raise"
	}
	if top.Valid() || !m.ownSpan.Valid() {
		p.report(first(top, m.at), "%s is %s %s, which is %s%s", bound, side, m.own, m.number, m.unless).
			related(other(first(top, m.at), m.ownSpan), "%s", m.own).
			hint("the bounds hold %s, with which it begins: %s %s, or change %s", m.own, change, bound, m.own)
		return
	}
	relation := "below"
	if !below {
		relation = "above"
	}
	p.report(m.at, "%s is %s, %s adapt.%s.%s, which is %s", m.own, m.number, relation, m.key, bound, value).
		related(other(m.at, span), "adapt.%s.%s", m.key, bound).
		hint("%s the bound as well: adapt: {%s: {%s: %s}}", change, m.key, bound, m.number)
}

// swapped reports that the lesser bound is the greater one.
func (p *pass) swapped(m *moving) {
	p.report(m.at, "min is above max").related(other(m.at, m.min, m.max), "the other bound").
		hint("write the lesser one as min: {min: %s, max: %s}", m.most, m.least)
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
	m := &moving{
		key: "attempts", own: "max_attempts", number: number(own), unless: unlessSaid(policy.MaxAttempts),
		ownSpan: policy.MaxAttempts.Span,
		min:     r.Min.Span, max: r.Max.Span, topMin: top.Min.Span, topMax: top.Max.Span, least: number(least),
		most: number(most), at: at,
	}
	switch {
	case !r.Min.Set && !r.Max.Set:
		p.report(at, "attempts needs min or max").hint("say how far max_attempts may move, as in attempts: {max: %d}",
			min(2*max(1, own), 100))
	case r.Min.Set && least < 1:
		p.report(first(r.Min.Span, at), "min is at least 1, not %d", least).
			hint("it counts calls in total, the first included")
	case most > 100:
		p.report(first(top.Max.Span, at), "max is at most %d, not %d", 100, most).
			hint("it counts calls in total; without a max it is max_attempts")
	case r.Min.Set && r.Max.Set && least > most:
		p.swapped(m)
	case own < least:
		p.outside(m, true)
	case own > most:
		p.outside(m, false)
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
	m := &moving{
		key: "delay", own: "initial_delay", number: number(own), unless: unlessSaid(policy.InitialDelay),
		ownSpan: policy.InitialDelay.Span,
		min:     r.Min.Span, max: r.Max.Span, topMin: top.Min.Span, topMax: top.Max.Span, least: number(least),
		most: number(most), at: at,
	}
	switch {
	case !r.Min.Set && !r.Max.Set:
		p.report(at, "delay needs min or max").hint("say how far initial_delay may move, as in delay: {max: %s}",
			number(longest))
	case most == 0:
		p.report(at, "max is more than 0s: nothing could move").
			hint("say the longest first wait, as in delay: {max: %s}", number(max(longest, time.Second)))
	case r.Min.Set && r.Max.Set && least > most:
		p.swapped(m)
	case own < least:
		p.outside(m, true)
	case own > most:
		p.outside(m, false)
	case most > longest:
		p.report(at, "max is above max_delay, which is %s%s", number(longest), unlessSaid(policy.MaxDelay)).
			related(other(at, r.Max.Span, policy.MaxDelay.Span), "what it does not fit").
			hint("no computed wait is longer than max_delay: say max_delay: %s as well", number(most))
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
