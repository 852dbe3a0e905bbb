package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sample"
	"github.com/errgen/errgen/internal/tabletext"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// categoryTests makes the file of a category: its fields and codes, their rules and examples.
func (d *testData) categoryTests(c *model.Category) []byte {
	w := &testWriter{testData: d}
	w.test("Test" + c.Type)
	w.f("gentest.Category[%s](t, &%s, new(%s), %q, ", c.CodeType, d.pkg, c.Type, c.Name+" "+c.Type)
	if len(c.Fields) == 0 {
		w.f("nil, ")
	} else {
		w.f("[]string{\n")
		for _, f := range d.m.Taxonomy.Categories[c.Index].Fields {
			w.f("%s,\n", str(tabletext.Field(f)))
		}
		w.f("}, ")
	}
	w.f("[]gentest.Code{\n")
	hosts := sample.Hosts(c)
	for _, code := range c.Codes {
		w.code(code, hosts[code])
	}
	w.f("})\n")
	w.enums(typesOf(ownFields(d.m, c)).enums)
	for _, code := range c.Codes {
		if code.Own != nil {
			w.enums(typesOf(ownFields(d.m, code.Own)).enums)
		}
	}
	w.f("}\n")
	return w.Bytes()
}

// code writes all that is stated about a code. The cases show the odd values of the fields.
func (w *testWriter) code(c *model.Code, odd []*model.Field) {
	inOrder := slices.SortedFunc(slices.Values(c.Groups), func(a, b *model.Group) int { return a.Bit - b.Bit })
	groups := eachText(inOrder, func(g *model.Group) string { return g.Name })
	w.f("{\nCode: %s,\n", c.Const)
	w.f("Says: %s,\n", str(w.printer.Code(c.Code, groups)+": "+w.rows[c.Row]))
	w.list("Aliases: []string{", eachText(c.Extras().Aliases, str))
	if c.Own != nil {
		w.list("Fields: []string{", eachText(c.Code.Own.Fields, func(f taxonomy.Field) string {
			return str(tabletext.Field(f))
		}))
	}
	var branches []string
	for _, b := range c.When {
		if b.Row != c.Row {
			branches = append(branches, str(w.rows[b.Row]))
		}
	}
	w.list("When: []string{", branches)
	w.list("Rules: []string{", eachText(c.Rules, func(r *model.Rule) string {
		return str(r.Name + ": " + tabletext.Rule(w.rules, w.byName[r.Name]))
	}))
	if c.Parent != nil {
		w.f("Parent: %s,\n", c.Parent.Const)
	}
	if c.Abstract {
		w.f("},\n")
		return
	}
	w.list("Cases: []gentest.Case{", eachText(sample.Cases(c, odd), w.caseText))
	w.list("Picks: []gentest.Pick{", eachText(sample.Branches(c), func(x sample.Case) string {
		return fmt.Sprintf("gentest.Picks(%s, %d)", w.made(x), x.Row().At.Branch())
	}))
	w.list("Examples: []gentest.Example{", w.examples[c])
	w.list("Not: []gentest.Example{", w.not[c])
	w.f("},\n")
}

// caseText returns a case as an expression.
func (w *testWriter) caseText(x sample.Case) string {
	c := x.Code
	text := fmt.Sprintf("gentest.Says(%s, %d, %s, %s)", w.made(x), x.Row().At.Branch(), str(x.Message()),
		str(sample.JSON(c.Fields(), x.Context)))
	if hints := tabletext.Hints(hintsOf(c.ErrorType(), x.Context)); hints != "" {
		text += ".Hints(" + str(hints) + ")"
	}
	if feedback := x.Feedback(); feedback != "" {
		text += ".Feedback(" + str(feedback) + ")"
	}
	return text
}

// made returns the expression of a case's error: a call of its factory and of With methods, or its
// JSON if those do not make it.
func (w *testWriter) made(x sample.Case) string {
	c, base := x.Code, sample.Base(x.Code)
	args := eachText(c.Args, func(f *model.Field) string { return w.value(f, x.Context[f]) })
	text := c.Factory + "(" + strings.Join(args, ", ") + ")"
	for _, f := range c.Fields() {
		v, ok := x.Context[f]
		was, had := base.Context[f]
		switch {
		case ok && c.Takes(f), ok == had && (!ok || same(f, v, was)):
		case !ok || f.Required:
			return fmt.Sprintf("%s.Read(%s, %s)", w.pkg, c.Const, str(sample.JSON(c.Fields(), x.Context)))
		default:
			text += ".With" + f.Go + "(" + w.value(f, v) + ")"
		}
	}
	if x.Caused {
		text += ".WithCause(gentest.Cause)"
	}
	return text
}

func same(f *model.Field, v, was model.Value) bool {
	if f.Type == model.ObjectType {
		return len(v.Object) == 0 && len(was.Object) == 0
	}
	return v.Equal(was)
}
