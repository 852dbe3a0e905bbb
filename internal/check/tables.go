package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
)

// abstractCodes finds abstract codes with keys that only errors need, abstract codes without codes
// below them, and other codes without a message.
func abstractCodes(c *checker) {
	parents := make(map[*model.Code]bool)
	for _, k := range c.m.Codes {
		parents[k.Above] = true
	}
	for _, k := range c.m.Codes {
		d := k.Decl
		if !k.Abstract {
			if !d.Message.Set {
				c.report("E-abstract", d.Name.Span, fmt.Sprintf("code %s has no message", k.Name),
					"add a message, or set abstract: true")
			}
			continue
		}
		if !parents[k] {
			c.report("E-abstract", d.Name.Span, "no code is below the abstract code "+k.Name,
				"declare codes under its key codes, or remove abstract")
		}
		places := []diag.Span{d.Message.Span, d.Feedback.Span}
		for _, a := range d.Args {
			places = append(places, a.Span)
		}
		for _, a := range d.Set {
			places = append(places, a.Field.Span)
		}
		for _, f := range d.Fields {
			places = append(places, f.Name.Span)
		}
		for _, w := range d.When {
			places = append(places, w.Span)
		}
		for _, r := range d.Detect {
			places = append(places, r.Span)
		}
		for _, x := range slices.Concat(d.Examples, d.NotExamples) {
			places = append(places, x.Span)
		}
		for _, at := range places {
			if at.Valid() {
				c.report("E-abstract", at,
					fmt.Sprintf("no error has the abstract code %s, which would need this", k.Name),
					"move it to the codes below, or remove abstract", seeAlso(d.Abstract.Span, "abstract here"))
			}
		}
	}
	if f := c.m.Fallback; f != nil && f.Abstract {
		c.report("E-abstract", c.t.Fallback.Code.Span, "no error has the abstract code "+f.Name,
			"name a code below it")
	}
}

// constantValues finds constants of a wrong type, and rules that name a constant that their code
// does not have.
func constantValues(c *checker) {
	unknown := func(m *spec.Matcher, message string) { // package spec has replaced known constants
		if m.Constant.Set {
			c.report("E-constant", m.Constant.Span, message, "give the code the constant, or write the value")
		}
	}
	for _, k := range c.m.Codes {
		for _, a := range k.Decl.Constants {
			i := slices.IndexFunc(c.m.Constants, func(d *model.Constant) bool { return d.Name == a.Field.V })
			field := &model.Field{Wire: a.Field.V, Type: c.m.Constants[i].ValueType}
			if _, err := resolve.Value(field, a.Value); err != nil {
				c.report("E-constant", a.Value.Span, fmt.Sprintf("constant %s is of type %s: %s", a.Field.V,
					c.m.Constants[i].CodeConstant.Type, err), "write such a value, or change the type")
			}
		}
		for i := range k.Decl.When {
			for j := range k.Decl.When[i].If {
				unknown(&k.Decl.When[i].If[j].Match, "a condition of a when branch tests fields")
			}
		}
	}
	c.eachRule(func(k *model.Code, r *spec.Rule) {
		for _, cond := range r.Conditions() {
			unknown(cond.Match, fmt.Sprintf("code %s has no constant %q", k.Name, cond.Match.Constant.V))
		}
	})
}

// deprecatedParents warns of deprecated codes with codes below them that are in use.
func deprecatedParents(c *checker) {
	live := make(map[*model.Code][]string)
	for _, k := range c.m.Codes {
		for above := k.Above; above != nil && !k.Decl.Deprecated.Set; above = above.Above {
			live[above] = append(live[above], k.Name)
		}
	}
	for _, k := range c.m.Codes {
		if names := live[k]; k.Decl.Deprecated.Set && names != nil {
			c.report("W-deprecated-parent", k.Decl.Deprecated.Span,
				fmt.Sprintf("%s is deprecated, and codes below it are not: %s", k.Name, strings.Join(names, ", ")),
				"deprecate them too, or keep it")
		}
	}
}
