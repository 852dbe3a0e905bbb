package emit

import (
	"errors"
	"reflect"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sample"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// expectExamples classifies the examples, and evidence for the fallbacks, and adds the expected
// results to the test data.
func (d *testData) expectExamples() {
	if !classifies(d.m) {
		return
	}
	judge := detection.NewJudge(d.m)
	expect := func(make string, ev taxonomy.Evidence, err *jen.Statement) (jen.Code, *model.Code) {
		v := judge.Of(&ev)
		rule, branch, context := "", 0, "{}"
		if v.Rule != nil {
			rule = v.Rule.Name
		}
		if v.Code != nil {
			branch, context = v.Row.At.Branch(), sample.JSON(v.Code.Fields(), v.Context)
		}
		ev.Err = nil
		var more []literal
		if err != nil {
			more = append(more, element("Err", expression(err, "err")))
		}
		evidence := taxonomyName("Evidence").Add(d.g.fields(reflect.ValueOf(ev), more...).code())
		return gentestName(make).Call(longText(rule), jen.Lit(branch), longText(context), evidence), v.Code
	}
	for _, c := range d.m.Codes {
		for _, x := range c.Examples {
			make := "NewEvidence"
			if isPrintable(x) {
				make = "NewExample"
			}
			row, _ := expect(make, detection.Evidence(x), d.errorExpr(x.As, x.Is))
			if x.Not {
				d.not[c] = append(d.not[c], row)
			} else {
				d.examples[c] = append(d.examples[c], row)
			}
		}
	}
	add := func(ev taxonomy.Evidence, err *jen.Statement) {
		if row, c := expect("NewEvidence", ev, err); c != nil {
			d.examples[c] = append(d.examples[c], row)
		}
	}
	add(taxonomy.Evidence{Output: sample.Cause}, nil) // the zero evidence is no failure
	add(taxonomy.Evidence{Text: sample.Cause, Err: errors.New(sample.Cause)}, gentestName("Cause"))
	for _, s := range d.m.Taxonomy.Sources {
		if s.Fallback != "" {
			add(taxonomy.Evidence{Source: s.Name}, nil)
		}
	}
}

// errorExpr returns the expression of an error that `as` and `is` name, or nil. Its text is the one
// of [detection.NamedError].
func (d *testData) errorExpr(as, is string) *jen.Statement {
	err := detection.NamedError(as, is)
	if err == nil {
		return nil
	}
	expr, text := jen.Nil(), longText(err.Error())
	if is != "" {
		expr = gentestName("Is").Call(text, d.g.errorRef(is))
	}
	if as != "" {
		expr = gentestName("As").Types(d.g.errorRef(as)).Call(text, expr)
	}
	return expr
}

// hintsOf returns the hints of an error with the context.
func hintsOf(c *model.Category, ctx model.Context) taxonomy.Hints {
	var h taxonomy.Hints
	for _, r := range hintRoles {
		f := c.WithRole(r.role)
		if f == nil || f.Type != r.typ || f.Sensitive && r.none == nil {
			continue
		}
		if v, ok := ctx[f]; ok {
			r.set(&h, v)
		}
	}
	return h
}
