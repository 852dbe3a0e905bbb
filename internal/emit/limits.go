package emit

import (
	"github.com/errgen/errgen/runtime/taxonomy"
)

// pointed adds a pointer to a struct of one of the runtime's types; an empty one is left out.
func (c *composite) pointed(name, typ string, value composite) {
	if len(value) > 0 {
		c.add(name, runtimePointer(typ).Add(value.inLine()))
	}
}

func adapt(a *taxonomy.Adapt) composite {
	var c composite
	if a == nil {
		return c
	}
	c.number("MinAttempts", a.MinAttempts)
	c.number("MaxAttempts", a.MaxAttempts)
	c.duration("MinDelay", a.MinDelay)
	c.duration("MaxDelay", a.MaxDelay)
	c.float("Target", a.Target)
	c.number("Window", a.Window)
	return c
}

func budget(b *taxonomy.Budget) composite {
	var c composite
	if b == nil {
		return c
	}
	c.float("Retries", b.Retries)
	c.number("Reserve", b.Reserve)
	c.duration("Window", b.Window)
	c.pointed("Breaker", "Breaker", breaker(b.Breaker))
	return c
}

func breaker(b *taxonomy.Breaker) composite {
	var c composite
	if b == nil {
		return c
	}
	c.number("Failures", b.Failures)
	c.number("Of", b.Of)
	c.duration("Probe", b.Probe)
	c.number("Successes", b.Successes)
	return c
}

func prevention(p *taxonomy.Prevention) composite {
	var c composite
	if p == nil {
		return c
	}
	c.text("Check", p.Check)
	c.duration("Throttle", p.Throttle)
	c.number("Concurrency", p.Concurrency)
	c.float("Likely", p.Likely)
	return c
}
