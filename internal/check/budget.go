package check

import (
	"math"

	"github.com/errgen/errgen/internal/spec"
)

// budgetBounds checks a budget as it is combined, and reports what the overlay had a part in.
func (p *pass) budgetBounds(b, top *spec.Budget) {
	if top == nil {
		return
	}
	switch stray := first(top.Reserve.Span, top.Window.Span); {
	case b.Retries.Set:
	case stray.Valid():
		p.report(stray, "reserve and window need retries: nothing else is counted").hint("say how many retries there may be for each call, as in retries: 0.2")
	case b.Breaker == nil:
		p.report(top.Span, "budget needs retries or breaker: nothing is bounded")
	}
	if r := top.Retries; r.Set && !(r.V >= 0 && !math.IsInf(r.V, 0)) {
		p.report(r.Span, "retries is at least 0").hint("it is a share of the calls; without it there is no bound")
	}
	if n := top.Reserve; n.Set && n.V < 0 {
		p.report(n.Span, "reserve is at least 0, not %d", n.V)
	}
	if w := top.Window; w.Set && w.V == 0 {
		p.report(w.Span, "window is more than 0s")
	}
	if top.Breaker != nil {
		p.breakerBounds(b.Breaker, top.Breaker)
	}
}

func (p *pass) breakerBounds(b, top *spec.Breaker) {
	of := b.Of.Or(b.Failures.V)
	switch {
	case !b.Failures.Set:
		p.report(top.Span, "breaker needs failures: how many open it")
	case b.Failures.V < 1:
		p.breakerNumber(top.Failures, "failures is at least 1, not %d", b.Failures.V)
	case b.Failures.V > of:
		at := first(top.Of.Span, top.Failures.Span)
		if at.Valid() {
			p.report(at, "%d failures of %d calls cannot be", b.Failures.V, of).related(other(at, b.Failures.Span, b.Of.Span), "the other number")
		}
	case of > mostOutcomes:
		at := first(top.Of.Span, top.Failures.Span)
		if at.Valid() {
			p.report(at, "a breaker counts at most the last %d calls, not %d", mostOutcomes, of)
		}
	}
	if d := top.Probe; d.Set && d.V == 0 {
		p.report(d.Span, "probe is more than 0s")
	}
	if n := top.Successes; n.Set && (n.V < 1 || n.V > mostOutcomes) {
		p.report(n.Span, "successes is from 1 to %d, not %d", mostOutcomes, n.V)
	}
}

func (p *pass) breakerNumber(n spec.Int, format string, args ...any) {
	if n.Set {
		p.report(n.Span, format, args...)
	}
}
