package spec

func (d *decoder) policy(n, name *node) Policy {
	p := Policy{Name: name.text(), Span: name.span}
	d.policyKeys(n, name, &p)
	return p
}

func (d *decoder) policyKeys(n, owner *node, p *Policy) {
	d.keys(n, owner, d.lang.policy, func(key string) any {
		if key == "doc" {
			return &p.Doc
		}
		return d.policyNumber(key, p)
	})
}

// policyNumber returns the destination of a key that policies and a profile's retry section share.
func (d *decoder) policyNumber(key string, p *Policy) any {
	switch key {
	case "max_attempts":
		return &p.MaxAttempts
	case "initial_delay":
		return &p.InitialDelay
	case "max_delay":
		return &p.MaxDelay
	case "multiplier":
		return &p.Multiplier
	case "backoff":
		return &p.Backoff
	case "jitter":
		return &p.Jitter
	case "max_elapsed":
		return &p.MaxElapsed
	case "max_retry_after":
		return &p.MaxRetryAfter
	case "adapt":
		return func(n, key *node, _ *Type) { p.Adapt = d.adapt(n, key) }
	case "budget":
		return func(n, key *node, _ *Type) { p.Budget = d.budget(n, key) }
	}
	return nil
}

func (d *decoder) adapt(n, key *node) *Adapt {
	a := &Adapt{Span: key.span}
	a.Broken = d.keysBroken(n, key, d.lang.adapt, func(key string) any {
		switch key {
		case "attempts":
			return func(n, key *node, _ *Type) {
				a.Attempts = &Attempts{Span: key.span}
				a.Attempts.Broken = d.keysBroken(n, key, d.lang.attempts, bound(&a.Attempts.Min, &a.Attempts.Max))
			}
		case "delay":
			return func(n, key *node, _ *Type) {
				a.Delay = &Delays{Span: key.span}
				a.Delay.Broken = d.keysBroken(n, key, d.lang.delays, bound(&a.Delay.Min, &a.Delay.Max))
			}
		case "target":
			return &a.Target
		case "window":
			return &a.Window
		}
		return nil
	})
	return a
}

func bound[T any](least, most *Val[T]) func(key string) any {
	return func(key string) any {
		switch key {
		case "min":
			return least
		case "max":
			return most
		}
		return nil
	}
}

func (d *decoder) budget(n, key *node) *Budget {
	b := &Budget{Span: key.span}
	b.Broken = d.keysBroken(n, key, d.lang.budget, func(key string) any {
		switch key {
		case "retries":
			return &b.Retries
		case "reserve":
			return &b.Reserve
		case "window":
			return &b.Window
		case "breaker":
			return func(n, key *node, _ *Type) { b.Breaker = d.breaker(n, key) }
		}
		return nil
	})
	return b
}

func (d *decoder) breaker(n, key *node) *Breaker {
	b := &Breaker{Span: key.span}
	b.Broken = d.keysBroken(n, key, d.lang.breaker, func(key string) any {
		switch key {
		case "failures":
			return &b.Failures
		case "of":
			return &b.Of
		case "probe":
			return &b.Probe
		case "successes":
			return &b.Successes
		}
		return nil
	})
	return b
}

func (d *decoder) prevention(n, key *node) *Prevention {
	p := &Prevention{Span: key.span}
	p.Broken = d.keysBroken(n, key, d.lang.prevention, func(key string) any {
		switch key {
		case "check":
			return &p.Check
		case "throttle":
			return &p.Throttle
		case "concurrency":
			return &p.Concurrency
		case "likely":
			return &p.Likely
		}
		return nil
	})
	return p
}

// keysBroken decodes the keys, and reports whether some of them could not be read: then nobody can
// say what is missing.
func (d *decoder) keysBroken(n, owner *node, m *Mapping, dst func(key string) any) bool {
	before := len(d.out)
	d.keys(n, owner, m, dst)
	return len(d.out) > before
}
