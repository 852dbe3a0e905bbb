package check

import "github.com/errgen/errgen/internal/spec"

// preventions finds codes that are prevented by nothing, or by numbers that make no sense.
func preventions(p *pass) {
	for _, c := range p.codes {
		if c.Prevent != nil {
			p.prevention(c.Prevent)
		}
	}
}

func (p *pass) prevention(d *spec.Prevention) {
	if !d.Check.Set && !d.Throttle.Set && !d.Concurrency.Set {
		p.report(d.Span, "prevent needs check, throttle or concurrency: nothing is done").
			hint("say what is done before a call that is likely to fail so")
	}
	if t := d.Throttle; t.Set && t.V == 0 {
		p.report(t.Span, "throttle is more than 0s").hint("it is the least time between the beginnings of two calls")
	}
	p.withinNumbers("concurrency", d.Concurrency, 1, "it is how many calls may run at once")
	if l := d.Likely; l.Set && !(l.V >= 0 && l.V <= 0.99) {
		p.report(l.Span, "likely is from 0 to %g", 0.99).
			hint("it is a probability; no forecast is surer than that")
	}
}
