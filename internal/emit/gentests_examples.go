package emit

import (
	"fmt"
	"reflect"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sample"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// exampleRow is evidence and the error that it becomes.
type exampleRow struct {
	evidence taxonomy.Evidence
	as, is   string // the names of the error in the evidence
	rule     string
	branch   int
	context  string
	not      bool
}

// expectExamples finds what the examples become, and what evidence without any condition becomes.
func (d *testData) expectExamples() {
	d.examples, d.won = make(map[*model.Code][]exampleRow), make(map[*model.Rule]bool)
	if !classifies(d.m) {
		return
	}
	judge := detection.NewJudge(d.m)
	expect := func(x exampleRow) (exampleRow, *model.Code) {
		v := judge.Of(&x.evidence)
		x.context = "{}"
		if v.Rule != nil {
			x.rule = v.Rule.Name
			d.won[v.Rule] = true
		}
		if v.Code != nil {
			x.branch, x.context = v.Row.At.Branch(), sample.JSON(v.Code.Fields(), v.Context)
		}
		return x, v.Code
	}
	for _, c := range d.m.Codes {
		for _, x := range c.Examples {
			row, _ := expect(exampleRow{evidence: detection.Evidence(x), as: x.As, is: x.Is, not: x.Not})
			d.examples[c] = append(d.examples[c], row)
		}
	}
	more := []exampleRow{{}, {evidence: taxonomy.Evidence{Text: sample.Cause, Err: plainCause{}}}}
	for _, s := range d.m.Taxonomy.Sources {
		if s.Fallback != "" {
			more = append(more, exampleRow{evidence: taxonomy.Evidence{Source: s.Name}})
		}
	}
	for _, x := range more {
		if row, c := expect(x); c != nil {
			d.examples[c] = append(d.examples[c], row)
		}
	}
}

// plainCause is the error that the tests call their cause.
type plainCause struct{}

func (plainCause) Error() string { return sample.Cause }

// example returns an example as an expression.
func (w *testWriter) example(x exampleRow) string {
	return fmt.Sprintf("gentest.Becomes(%s, %d, %s, %s)", str(x.rule), x.branch, str(x.context), w.evidence(x))
}

// evidence returns evidence as an expression.
func (w *testWriter) evidence(x exampleRow) string {
	ev := x.evidence
	var err []string
	if _, plain := ev.Err.(plainCause); plain {
		err = []string{"Err: gentest.Cause"}
	} else if ev.Err != nil {
		err = []string{"Err: " + w.errorExpr(x.as, x.is)}
	}
	ev.Err = nil
	return "taxonomy.Evidence" + w.g.fields(reflect.ValueOf(ev), err)
}

// errorExpr returns the expression of an error that `as` and `is` name. Its text is the one of
// [detection.NamedError].
func (w *testWriter) errorExpr(as, is string) string {
	text, expr := str(detection.NamedError(as, is).Error()), "nil"
	if is != "" {
		expr = fmt.Sprintf("gentest.Is(%s, %s)", text, w.g.errorRef(is))
	}
	if as != "" {
		expr = fmt.Sprintf("gentest.As[%s](%s, %s)", w.g.errorRef(as), text, expr)
	}
	return expr
}

// hintsOf returns the hints of an error with the context.
func hintsOf(c *model.Category, ctx model.Context) taxonomy.Hints {
	var h taxonomy.Hints
	for _, f := range c.Fields {
		v, ok := ctx[f]
		switch key := (roleOf{f.Role, f.Type}); {
		case !ok:
		case key == roleOf{model.RoleRetryAfter, model.Duration} && !f.Sensitive:
			h.RetryAfter = taxonomy.Some(v.Duration)
		case key == roleOf{model.RoleResetAt, model.Time} && !f.Sensitive:
			h.ResetAt = taxonomy.Some(v.Time)
		case key == roleOf{model.RoleFiles, model.Strings}:
			h.Files = v.Strings
		case key == roleOf{model.RoleCredential, model.String}:
			h.Credential = v.Str
		case key == roleOf{model.RoleOutput, model.String}:
			h.Output = v.Str
		}
	}
	return h
}

// roleOf is the role and the type of a field that becomes a hint.
type roleOf struct {
	role model.Role
	typ  model.Type
}
