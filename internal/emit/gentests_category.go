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
func (d *testData) categoryTests(c *model.Category) string {
	w := &testWriter{testData: d}
	w.test("Test" + c.Type)
	table := d.m.Taxonomy.Categories[c.Index]
	w.f("gentest.Category[%s](t, &%s, new(%s), %s, ", c.CodeType, d.pkg, c.Type, str(tabletext.Category(table)))
	if len(c.Fields) == 0 {
		w.f("nil, ")
	} else {
		w.f("[]string{\n%s,\n}, ", strings.Join(fieldTexts(table.Fields), ",\n"))
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
	return w.String()
}

func fieldTexts(fields []taxonomy.Field) []string {
	return eachText(fields, func(f taxonomy.Field) string { return element(tabletext.Field(f)) })
}

// code writes the specification of a code. Its cases test the odd values of the given fields.
func (w *testWriter) code(c *model.Code, odd []*model.Field) {
	inOrder := slices.SortedFunc(slices.Values(c.Groups), func(a, b *model.Group) int { return a.Bit - b.Bit })
	groups := eachText(inOrder, func(g *model.Group) string { return g.Name })
	w.f("{Code: %s, Entry: %s", c.Const, element(w.printer.Code(c.Code, groups)+": "+w.rows[c.Row]))
	add := func(field string, items []string) {
		if len(items) > 0 {
			w.f(", %s%s", field, list(items))
		}
	}
	add("Aliases: []string", eachText(c.Extras().Aliases, element))
	if c.Own != nil {
		add("Fields: []string", fieldTexts(c.Code.Own.Fields))
	}
	var branches []string
	for _, b := range c.When {
		if b.Row != c.Row {
			branches = append(branches, element(w.rows[b.Row]))
		}
	}
	add("When: []string", branches)
	add("Rules: []string", eachText(c.Rules, func(r *model.Rule) string {
		return element(r.Name + ": " + tabletext.Rule(w.rules, r.Name))
	}))
	if c.Parent != nil {
		w.f(", Parent: %s", c.Parent.Const)
	}
	if !c.Abstract {
		add("Cases: []gentest.Case", eachText(sample.Cases(c, odd), w.caseText))
		add("Branches: []gentest.Branch", eachText(sample.Branches(c), func(x sample.Case) string {
			return fmt.Sprintf("gentest.NewBranch(%s, %d)", w.caseError(x), x.Row().At.Branch())
		}))
		add("Examples: []gentest.Example", w.examples[c])
		add("Not: []gentest.Example", w.not[c])
	}
	w.f("},\n")
}

// caseText returns a case as an expression.
func (w *testWriter) caseText(x sample.Case) string {
	c := x.Code
	text := fmt.Sprintf("gentest.NewCase(%s, %d, %s, %s)", w.caseError(x), x.Row().At.Branch(), str(x.Message()),
		str(sample.JSON(c.Fields(), x.Context)))
	if hints := tabletext.Hints(hintsOf(c.ErrorType(), x.Context)); hints != "" {
		text += ".Hints(" + element(hints) + ")"
	}
	if feedback := x.Feedback(); feedback != "" {
		text += ".Feedback(" + element(feedback) + ")"
	}
	return text
}

// caseError returns the expression of a case's error: calls of its factory and of With methods. If
// they cannot make the error, the expression reads it from JSON.
func (w *testWriter) caseError(x sample.Case) string {
	c, base := x.Code, sample.Base(x.Code)
	args := eachText(c.Args, func(f *model.Field) string { return w.value(f, x.Context[f], false) })
	text := c.Factory + "(" + strings.Join(args, ", ") + ")"
	for _, f := range c.Fields() {
		v, ok := x.Context[f]
		was, had := base.Context[f]
		switch {
		case ok && c.Takes(f), ok == had && (!ok || v.Equal(was)):
		case !ok || f.Required:
			return fmt.Sprintf("%s.Read(%s, %s)", w.pkg, c.Const, str(sample.JSON(c.Fields(), x.Context)))
		default:
			text += ".With" + f.Go + "(" + w.value(f, v, false) + ")"
		}
	}
	if x.Caused {
		text += ".WithCause(gentest.Cause)"
	}
	return text
}
