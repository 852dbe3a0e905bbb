package spec

func (d *decoder) profile(n, name *node) Profile {
	p := Profile{Name: name.text(), Span: name.span}
	d.keys(n, name, d.lang.profile, func(key string) any {
		switch key {
		case "doc":
			return &p.Doc
		case "codes":
			return declared(d, &p.Codes, d.overlay)
		case "reactions":
			return declared(
				d, &p.Reactions, func(n, name *node) Reaction { return d.reaction(n, name, d.lang.reactionOverlay) })
		case "policies":
			return declared(d, &p.Policies, d.policy)
		case "detection":
			return func(n, key *node, _ *Type) { d.detection(n, key, &p.Detection) }
		case "recovery":
			return func(n, key *node, _ *Type) { d.recovery(n, key, &p.Recovery) }
		case "retry":
			return func(n, key *node, _ *Type) { d.retry(n, key, &p.Retry) }
		case "reporting":
			return func(n, key *node, _ *Type) { d.reporting(n, key, &p.Reporting) }
		}
		return nil
	})
	return p
}

func (d *decoder) overlay(n, name *node) Overlay {
	o := Overlay{Key: name.text(), Span: name.span}
	d.keys(n, name, d.lang.overlay, func(key string) any { return d.trait(key, &o.Traits) })
	return o
}

func (d *decoder) detection(n, key *node, out *Detection) {
	d.keys(n, key, d.lang.detection, func(key string) any {
		switch key {
		case "text":
			return &out.Text
		case "severity":
			return &out.Severity
		case "recoverability":
			return &out.Recoverability
		}
		return nil
	})
}

func (d *decoder) recovery(n, key *node, out *Recovery) {
	d.keys(n, key, d.lang.recovery, func(key string) any {
		switch key {
		case "enabled":
			return &out.Enabled
		case "max_attempts":
			return &out.MaxAttempts
		case "allowed":
			return func(n, key *node, t *Type) {
				out.AllowedSet = true
				d.texts(n, key, t, &out.Allowed)
			}
		}
		return nil
	})
}

func (d *decoder) retry(n, key *node, out *Retry) {
	out.Policy.Span = key.span
	d.keys(n, key, d.lang.retry, func(key string) any {
		if key == "enabled" {
			return &out.Enabled
		}
		out.Set = true
		return d.policyNumber(key, &out.Policy)
	})
}

func (d *decoder) reporting(n, key *node, out *Reporting) {
	d.keys(n, key, d.lang.reporting, func(key string) any {
		switch key {
		case "log_level":
			return &out.LogLevel
		case "stack":
			return &out.Stack
		case "context":
			return &out.Context
		}
		return nil
	})
}
