package spec

// policyRef returns a destination for the name of a policy, or one in place.
func (d *decoder) policyRef(dst **PolicyRef) func(n, key *node, t *Type) {
	return func(n, key *node, t *Type) {
		r := &PolicyRef{Span: n.span}
		switch n.kind {
		case scalarNode:
			r.Name = d.text(n, key, &t.Alts[0])
		case mappingNode:
			r.Inline = &Policy{Span: n.span}
			d.policyKeys(n, key, r.Inline)
		default:
			d.wrongType(n, key, t)
			return
		}
		*dst = r
	}
}

// reactionRef returns a destination for the name of a reaction, one in place, or, where t allows
// it, a choice by the flag.
func (d *decoder) reactionRef(dst **ReactionRef) func(n, key *node, t *Type) {
	return func(n, key *node, t *Type) {
		r := &ReactionRef{Span: n.span}
		switch {
		case n.kind == scalarNode:
			r.Name = d.text(n, key, &t.Alts[0])
		case n.kind == mappingNode && len(t.Alts) > 2 && (n.key("retryable") != nil || n.key("permanent") != nil):
			r.ByFlag = d.byFlag(n, key)
		case n.kind == mappingNode:
			in := d.reaction(n, key, d.lang.reaction)
			in.Name, in.Span = Text{}, n.span
			r.Inline = &in
		default:
			d.wrongType(n, key, t)
			return
		}
		*dst = r
	}
}

func (d *decoder) byFlag(n, key *node) *ByFlag {
	b := &ByFlag{}
	d.keys(n, key, d.lang.byFlag, func(key string) any {
		switch key {
		case "retryable":
			return &b.Retryable
		case "permanent":
			return &b.Permanent
		}
		return nil
	})
	return b
}

func (d *decoder) reaction(n, name *node, m *Mapping) Reaction {
	r := Reaction{Name: name.text(), Span: name.span}
	d.keys(n, name, m, func(key string) any {
		switch key {
		case "doc":
			return &r.Doc
		case "action":
			return &r.Action
		case "policy":
			return d.policyRef(&r.Policy)
		case "count_failure":
			return &r.CountFailure
		case "honor_retry_after":
			return &r.HonorRetryAfter
		case "shared":
			return &r.Shared
		case "then":
			return d.reactionRef(&r.Then)
		case "log":
			return func(n, key *node, _ *Type) { r.Log = d.log(n, key) }
		case "revert":
			return &r.Revert
		case "accept_completion":
			return &r.AcceptCompletion
		case "feed_back":
			return &r.FeedBack
		case "extent":
			return &r.Extent
		case "strategy":
			return &r.Strategy
		case "session":
			return &r.Session
		case "resume":
			return &r.Resume
		case "to":
			return &r.To
		case "purpose":
			return &r.Purpose
		}
		return nil
	})
	n.place("to", &r.To)
	n.place("purpose", &r.Purpose)
	return r
}

// place gives a value that could not be read the place of its key, so that nothing is said of its
// absence.
func (n *node) place(name string, v *Text) {
	if key := n.key(name); key != nil && !v.Set {
		v.Span = key.span
	}
}

func (d *decoder) log(n, key *node) *Log {
	l := &Log{Span: n.span}
	d.keys(n, key, d.lang.log, func(key string) any {
		switch key {
		case "level":
			return &l.Level
		case "message":
			return &l.Message
		}
		return nil
	})
	return l
}
