package check

import (
	"slices"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
)

// typed reports a literal that is no value of a field.
func (p *pass) typed(name string, f *model.Field, lit spec.Literal) {
	if f.Type == model.ObjectType {
		p.report(lit.Span, "%s is an object, which cannot be given as a whole", name)
		return
	}
	if _, err := resolve.Value(f, lit); err != nil {
		p.wrongValue(lit.Span, name, f, lit, err)
	}
}

func (p *pass) wrongValue(at diag.Span, name string, f *model.Field, lit spec.Literal, err error) {
	r := p.report(at, "%s: %s", name, err)
	if f.Type == model.EnumType {
		r.meantOneOf(lit.Text, f.Enum.Words)
	}
}

// tested reports the parts of a matcher that do not fit the field.
func (p *pass) tested(name string, f *model.Field, m spec.Matcher) {
	_, faults := resolve.Condition(f, m)
	for _, fault := range faults {
		p.wrongValue(fault.Span, name, f, literalAt(m, fault.Span), fault.Err)
	}
}

// literalAt returns the value of a matcher that stands at a place.
func literalAt(m spec.Matcher, at diag.Span) spec.Literal {
	for _, lit := range slices.Concat(m.Values, m.Not) {
		if lit.Span == at {
			return lit
		}
	}
	return spec.Literal{}
}

func (p *pass) typedAll(c *code, set []spec.Assignment) {
	for _, a := range set {
		if f, ok := c.category.byName[a.Field.V]; ok {
			p.typed(f.Name.V, f.model, a.Value)
		}
	}
}

func wrongValuesInFields(p *pass) {
	p.eachField(func(f field, _ *category) {
		if f.Default != nil {
			p.typed("default", f.model, *f.Default)
		}
	})
}

func wrongValuesInCodes(p *pass) {
	for _, c := range p.codes {
		p.typedAll(c, c.Set)
		for _, w := range c.When {
			for _, cond := range w.If {
				if f, ok := c.category.byName[cond.Field.V]; ok {
					p.tested(f.Name.V, f.model, cond.Match)
				}
			}
		}
		for _, r := range c.Detect {
			p.typedAll(c, r.Set)
		}
		for _, e := range c.Examples {
			if e.Want != nil {
				p.wantedAll(c.category.byName, e.Want.Context)
			}
		}
	}
	if f := p.t.Fallback; f != nil {
		if c := p.codeNamed[f.Code.V]; c != nil {
			p.typedAll(c, f.Set)
		}
	}
}

// wantedAll is typedAll for what an example expects: there an object can be given, key by key.
func (p *pass) wantedAll(fields map[string]field, set []spec.Assignment) {
	for _, a := range set {
		if f, ok := fields[a.Field.V]; ok {
			p.wanted(f.Name.V, f.model, a.Value)
		}
	}
}

func (p *pass) wanted(name string, f *model.Field, lit spec.Literal) {
	if f.Type != model.ObjectType || lit.Kind != spec.LitMap {
		p.typed(name, f, lit)
		return
	}
	for _, entry := range lit.Keys {
		inner := f.Object.Field(entry.Key.V)
		if inner == nil {
			p.report(entry.Key.Span, "%s has no field %q", name, entry.Key.V).
				meantOneOf(entry.Key.V, func() []string { return wireNames(f.Object.Fields) })
			continue
		}
		p.wanted(name+"."+inner.Wire, inner, entry.Value)
	}
}

func wireNames(fields []*model.Field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.Wire
	}
	return out
}

// eachField visits every field once, those of objects after the object. The category is nil for the
// fields of every category.
func (s *scope) eachField(visit func(f field, c *category)) {
	walkFields(pairs(s.t.Fields, s.m.Fields), nil, visit)
	for _, c := range s.categories {
		walkFields(c.fields[len(s.t.Fields):], c, visit)
	}
}

func walkFields(fields []field, c *category, visit func(f field, c *category)) {
	for _, f := range fields {
		visit(f, c)
		if f.model.Object != nil {
			walkFields(pairs(f.Fields, f.model.Object.Fields), c, visit)
		}
	}
}
