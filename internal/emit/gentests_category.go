package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sample"
	"github.com/errgen/errgen/internal/tabletext"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// categoryTests makes the test file of a category: its fields and codes, their rules and examples.
func (d *testData) categoryTests(f *jen.File, c *model.Category) {
	table := d.m.Taxonomy.Categories[c.Index]
	fields := jen.Nil()
	if len(c.Fields) > 0 {
		fields = jen.Index().String().Add(onLines(fieldTexts(table.Fields)...))
	}
	hosts := sample.Hosts(c)
	specified := codes(c.Codes, func(code *model.Code) jen.Code { return d.code(code, hosts[code]) })
	body := []jen.Code{gentestName("Category").Types(jen.Id(c.CodeType)).Call(
		jen.Id("t"), addressOf(d.pkg), jen.New(jen.Id(c.Type)), longText(tabletext.Category(table)), fields,
		jen.Index().Add(gentestName("Code"), onLines(specified...)))}
	body = append(body, enumTests(typesOf(ownFields(d.m, c)).enums)...)
	for _, code := range c.Codes {
		if code.OwnType != nil {
			body = append(body, enumTests(typesOf(ownFields(d.m, code.OwnType)).enums)...)
		}
	}
	declare(f, d.test("Test"+c.Type, body...))
}

func fieldTexts(fields []taxonomy.Field) []jen.Code {
	return codes(fields, func(f taxonomy.Field) jen.Code { return longText(tabletext.Field(f)) })
}

// code returns the specification of a code. Its cases test the odd values of the given fields.
func (d *testData) code(c *model.Code, odd []*model.Field) jen.Code {
	inOrder := slices.SortedFunc(slices.Values(c.InGroups), func(a, b *model.Group) int { return a.Bit - b.Bit })
	groups := each(inOrder, func(g *model.Group) string { return g.Name })
	elements := []jen.Code{
		keyed("Code", jen.Id(c.Const)),
		keyed("Entry", longText(d.printer.Code(c.Code, groups)+": "+d.rows[c.Row])),
	}
	addTexts := func(field string, items []string) {
		if len(items) > 0 {
			elements = append(elements, keyed(field, jen.Index().String().Add(texts(items))))
		}
	}
	add := func(field, typ string, items []jen.Code) {
		if len(items) > 0 {
			elements = append(elements, keyed(field, jen.Index().Add(gentestName(typ), rows(items))))
		}
	}
	addTexts("Aliases", c.Extras().Aliases)
	if c.OwnType != nil {
		addTexts("Fields", each(c.Code.Own.Fields, tabletext.Field))
	}
	var branches []string
	for _, b := range c.Branches {
		if b.Row != c.Row {
			branches = append(branches, d.rows[b.Row])
		}
	}
	addTexts("When", branches)
	addTexts("Rules", each(c.Rules, func(r *model.Rule) string {
		return r.Name + ": " + tabletext.Rule(d.rules, r.Name)
	}))
	if c.Above != nil {
		elements = append(elements, keyed("Parent", jen.Id(c.Above.Const)))
	}
	if !c.Abstract {
		add("Cases", "Case", codes(sample.Cases(c, odd), d.caseOf))
		add("Branches", "Branch", codes(sample.Branches(c), func(x sample.Case) jen.Code {
			return gentestName("NewBranch").Call(d.caseError(x), jen.Lit(x.Row().At.Branch()))
		}))
		add("Examples", "Example", d.examples[c])
		add("Not", "Example", d.not[c])
	}
	return jen.Values(elements...)
}

// caseOf returns a case as an expression.
func (d *testData) caseOf(x sample.Case) jen.Code {
	c := x.Code
	row := gentestName("NewCase").Call(d.caseError(x), jen.Lit(x.Row().At.Branch()), longText(x.Message()),
		longText(sample.JSON(c.Fields(), x.Context)))
	if hints := tabletext.Hints(hintsOf(c.ErrorType(), x.Context)); hints != "" {
		row.Dot("Hints").Call(longText(hints))
	}
	if feedback := x.Feedback(); feedback != "" {
		row.Dot("Feedback").Call(longText(feedback))
	}
	return row
}

// caseError returns the expression of a case's error: calls of its factory and of With methods. If
// they cannot make the error, the expression reads it from JSON.
func (d *testData) caseError(x sample.Case) *jen.Statement {
	c, base := x.Code, sample.Base(x.Code)
	err := jen.Id(c.Factory).Call(codes(c.Args, func(f *model.Field) jen.Code { return d.value(f, x.Context[f]) })...)
	for _, f := range c.Fields() {
		v, ok := x.Context[f]
		was, had := base.Context[f]
		switch {
		case ok && c.HasParam(f), ok == had && (!ok || v.Equal(was)):
		case !ok || f.Required:
			return jen.Id(d.pkg).Dot("Read").Call(jen.Id(c.Const), longText(sample.JSON(c.Fields(), x.Context)))
		default:
			err.Dot("With" + f.Go).Call(d.value(f, v))
		}
	}
	if x.Caused {
		err.Dot("WithCause").Call(gentestName("Cause"))
	}
	return err
}
