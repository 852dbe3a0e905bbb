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
		p.report(stray, "reserve and window need retries: nothing else is counted").
			hint("say how many retries there may be for each call, as in retries: 0.2")
	case b.Breaker == nil:
		p.report(top.Span, "budget needs retries or breaker: nothing is bounded").
			hint("say what is, as in retries: 0.2 or breaker: {failures: 5}")
	}
	if r := top.Retries; r.Set && !(r.V >= 0 && !math.IsInf(r.V, 0)) {
		p.report(r.Span, "retries is at least 0").hint("it is a share of the calls; without it there is no bound")
	}
	p.withinNumbers(
		"reserve", top.Reserve, 0,
		"it is how many retries there may be in a window however few calls there are; 3 unless said")
	if w := top.Window; w.Set && w.V == 0 {
		p.report(w.Span, "window is more than 0s").hint("it is over what time retries are counted; 10s unless said")
	}
	if top.Breaker != nil {
		p.breakerBounds(b.Breaker, top.Breaker)
	}
}

func (p *pass) breakerBounds(b, top *spec.Breaker) {
	of := b.Of.Or(b.Failures.V)
	switch {
	case !b.Failures.Set:
		p.report(top.Span, "breaker needs failures: how many open it").
			hint("say how many of how many calls, as in breaker: {failures: 5, of: 10}")
	case b.Failures.V < 1:
		if top.Failures.Set {
			p.report(top.Failures.Span, "failures is at least 1, not %d", b.Failures.V).
				hint("it is how many failures open the breaker")
		}
	case b.Failures.V > of:
		at := first(top.Of.Span, top.Failures.Span)
		if at.Valid() {
			p.report(at, "%d failures of %d calls cannot be", b.Failures.V, of).
				related(other(at, b.Failures.Span, b.Of.Span), "the other number").
				hint("failures are counted among the last calls, whose number is of: write of: %d or more",
					b.Failures.V)
		}
	case of > 1000:
		at := first(top.Of.Span, top.Failures.Span)
		if at.Valid() {
			p.report(at, "a breaker counts at most the last %d calls, not %d", 1000, of).
				hint("write of: %d or less", 1000)
		}
	}
	if d := top.Probe; d.Set && d.V == 0 {
		p.report(d.Span, "probe is more than 0s").
			hint("it is the time between two probes of an open breaker; 5s unless said")
	}
	if n := top.Successes; n.Set && (n.V < 1 || n.V > 1000) {
		p.report(n.Span, "successes is from 1 to %d, not %d", 1000, n.V).
			hint("it is how many probes must succeed in a row; 1 unless said")
	}
}

// withinNumbers reports a whole number that is less than the least, or too great for every machine.
func (p *pass) withinNumbers(key string, n spec.Int, least int, hint string) {
	switch {
	case !n.Set:
	case n.V < least:
		p.report(n.Span, "%s is at least %d, not %d", key, least, n.V).hint("%s", hint)
	case n.V > 1_000_000:
		p.report(n.Span, "%s is at most %d, not %d", key, 1_000_000, n.V).hint("%s", hint)
	}
}
