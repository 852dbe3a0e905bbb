package spec

func (d *decoder) rule(n *node) Rule {
	r := Rule{Span: n.span}
	d.keys(n, nil, d.lang.rule, func(key string) any {
		switch key {
		case "text":
			return &r.Text
		case "contains":
			return &r.Contains
		case "attributes":
			return func(n, key *node, t *Type) {
				d.named(n, key, t, func(name, value *node) {
					r.Conditions = append(
						r.Conditions,
						RuleCondition{Key: key.text(), Attribute: name.text(), Match: d.matcher(value, name, t.Elem)})
				})
			}
		case "priority":
			return &r.Priority
		case "set":
			return &r.Set
		}
		return func(n, key *node, t *Type) {
			r.Conditions = append(r.Conditions, RuleCondition{Key: key.text(), Match: d.matcher(n, key, t)})
		}
	})
	return r
}

func (d *decoder) example(n *node) Example { return d.evidence(n, d.lang.example) }

func (d *decoder) notExample(n *node) Example { return d.evidence(n, d.lang.notExample) }

func (d *decoder) evidence(n *node, m *Mapping) Example {
	e := Example{Span: n.span}
	d.keys(n, nil, m, func(key string) any {
		if key == "want" {
			return func(n, key *node, _ *Type) { e.Want = d.want(n, key) }
		}
		return func(n, key *node, t *Type) { d.entry(n, key, t, &e.Entries) }
	})
	return e
}

// entry decodes one piece of evidence: of a mapping or list each value is checked, and all are
// kept.
func (d *decoder) entry(n, key *node, t *Type, dst *[]LiteralEntry) {
	before := len(d.out)
	switch t.Form {
	case FormMap:
		d.named(n, key, t, func(name, value *node) { d.literal(value, name, t.Elem) })
	case FormList:
		d.items(n, key, t, func(item *node) { d.literal(item, key, t.Elem) })
	default:
		d.literal(n, key, t)
	}
	if len(d.out) == before && before < maxKept {
		*dst = append(*dst, LiteralEntry{Key: key.text(), Value: n.lit()})
	}
}

func (d *decoder) want(n, key *node) *Want {
	w := &Want{Span: key.span}
	d.keys(n, key, d.lang.want, func(key string) any {
		switch key {
		case "retryable":
			return &w.Retryable
		case "recoverability":
			return &w.Recoverability
		case "severity":
			return &w.Severity
		case "reaction":
			return &w.Reaction
		case "context":
			return &w.Context
		}
		return nil
	})
	return w
}
