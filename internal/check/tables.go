package check

import (
	"fmt"
	"slices"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
)

// abstractCodes finds keys of abstract codes that only errors need, abstract codes without codes
// below them, and other codes without a message.
func abstractCodes(c *checker) {
	parents := make(map[*model.Code]bool)
	for _, k := range c.codes {
		parents[k.model.Parent] = true
	}
	for _, k := range c.codes {
		if !k.Abstract.V {
			if !k.Message.Set {
				c.report("E-abstract", k.Name.Span, fmt.Sprintf("code %s has no message", k.Name.V),
					"add a message, or set abstract: true")
			}
			continue
		}
		if !parents[k.model] {
			c.report("E-abstract", k.Name.Span, "no code is below the abstract code "+k.Name.V,
				"declare codes under its key codes, or remove abstract")
		}
		for key, at := range abstractKeys(k) {
			if at.Valid() {
				c.report("E-abstract", at,
					fmt.Sprintf("no error has the abstract code %s, so it has no %s", k.Name.V, key),
					"move it to the codes below, or remove abstract", seeAlso(k.Abstract.Span, "abstract here"))
			}
		}
	}
	if f := c.t.Fallback; f != nil && c.m.Fallback != nil && c.m.Fallback.Abstract {
		c.report("E-abstract", f.Code.Span, "no error has the abstract code "+f.Code.V, "name a code below it")
	}
}

// abstractKeys returns the places of the keys that an abstract code does not take.
func abstractKeys(k *code) map[string]diag.Span {
	at := map[string]diag.Span{"message": k.Message.Span, "feedback": k.Feedback.Span}
	if k.Args != nil {
		at["args"] = firstSpan(append(spans(k.Args), k.Name.Span)...)
	}
	for _, a := range k.Set {
		at["set"] = a.Field.Span
	}
	for _, f := range k.Fields {
		at["fields"] = f.Name.Span
	}
	for _, w := range k.When {
		at["when"] = w.Span
	}
	for _, r := range k.Detect {
		at["detect"] = r.Span
	}
	for _, x := range slices.Concat(k.Examples, k.NotExamples) {
		at["examples"] = x.Span
	}
	return at
}

func spans(texts []spec.Text) []diag.Span {
	var out []diag.Span
	for _, t := range texts {
		out = append(out, t.Span)
	}
	return out
}

// constantValues finds constants of a wrong type, and rules that name a constant that their code
// does not have.
func constantValues(c *checker) {
	for _, k := range c.codes {
		for _, a := range k.Constants {
			i := slices.IndexFunc(c.m.Constants, func(d *model.Constant) bool { return d.Name == a.Field.V })
			field := &model.Field{Wire: a.Field.V, Type: c.m.Constants[i].Type}
			if _, err := resolve.Value(field, a.Value); err != nil {
				c.report("E-constant", a.Value.Span, fmt.Sprintf("constant %s is of type %s: %s", a.Field.V,
					c.m.Constants[i].CodeConstant.Type, err), "write such a value, or change the type")
			}
		}
		for _, w := range k.When {
			for _, cond := range w.If {
				c.noConstant(cond.Match, "a condition of a when branch tests fields")
			}
		}
		for _, r := range k.Detect {
			for _, cond := range r.Conditions() {
				c.noConstant(*cond.Match, fmt.Sprintf("code %s has no constant %q", k.Name.V, cond.Match.Constant.V))
			}
		}
	}
}

// noConstant reports a constant that was not replaced by a value.
func (c *checker) noConstant(m spec.Matcher, message string) {
	if m.Constant.Set {
		c.report("E-constant", m.Constant.Span, message, "give the code the constant, or write the value")
	}
}
