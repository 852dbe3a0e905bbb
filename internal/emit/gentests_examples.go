package emit

import (
	"errors"
	"fmt"
	"reflect"

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
	expect := func(ev taxonomy.Evidence, err string) (string, *model.Code) {
		v := judge.Of(&ev)
		rule, branch, context := "", 0, "{}"
		if v.Rule != nil {
			rule = v.Rule.Name
		}
		if v.Code != nil {
			branch, context = v.Row.At.Branch(), sample.JSON(v.Code.Fields(), v.Context)
		}
		ev.Err = nil
		var more []string
		if err != "" {
			more = []string{"Err: " + err}
		}
		return fmt.Sprintf("gentest.NewExample(%s, %d, %s, taxonomy.Evidence%s)", str(rule), branch, str(context),
			d.g.fields(reflect.ValueOf(ev), more)), v.Code
	}
	for _, c := range d.m.Codes {
		for _, x := range c.Examples {
			text, _ := expect(detection.Evidence(x), d.errorExpr(x.As, x.Is))
			if x.Not {
				d.not[c] = append(d.not[c], text)
			} else {
				d.examples[c] = append(d.examples[c], text)
			}
		}
	}
	add := func(ev taxonomy.Evidence, err string) {
		if text, c := expect(ev, err); c != nil {
			d.examples[c] = append(d.examples[c], text)
		}
	}
	add(taxonomy.Evidence{}, "")
	add(taxonomy.Evidence{Text: sample.Cause, Err: errors.New(sample.Cause)}, "gentest.Cause")
	for _, s := range d.m.Taxonomy.Sources {
		if s.Fallback != "" {
			add(taxonomy.Evidence{Source: s.Name}, "")
		}
	}
}

// errorExpr returns the expression of an error that `as` and `is` name, or "". Its text is the one
// of [detection.NamedError].
func (d *testData) errorExpr(as, is string) string {
	err := detection.NamedError(as, is)
	if err == nil {
		return ""
	}
	expr := "nil"
	if is != "" {
		expr = fmt.Sprintf("gentest.Is(%s, %s)", str(err.Error()), d.g.errorRef(is))
	}
	if as != "" {
		expr = fmt.Sprintf("gentest.As[%s](%s, %s)", d.g.errorRef(as), str(err.Error()), expr)
	}
	return expr
}

// hintsOf returns the hints of an error with the context.
func hintsOf(c *model.Category, ctx model.Context) taxonomy.Hints {
	var h taxonomy.Hints
	for _, r := range hintRoles {
		f := c.WithRole(r.role)
		if f == nil || f.Type != r.typ || f.Sensitive && r.none == "" {
			continue
		}
		if v, ok := ctx[f]; ok {
			r.set(&h, v)
		}
	}
	return h
}
