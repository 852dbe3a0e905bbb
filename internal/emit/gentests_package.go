package emit

import (
	"cmp"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sample"
	"github.com/errgen/errgen/internal/summary"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// packageTests makes the test file of the package as a whole: lists of names, reactions and
// policies.
func (d *testData) packageTests(f *jen.File) {
	declare(f, d.packageVariable(), d.test("TestTaxonomy", d.taxonomyTests()...))
	d.recorder(f, "Strategies", d.m.Strategies)
	d.recorder(f, "Checks", d.m.Checks)
}

// packageVariable returns the variable that holds the package under test.
func (d *testData) packageVariable() jen.Code {
	m := d.m
	err := jen.Err().Error()
	elements := []jen.Code{
		keyed("Table", jen.Id("Table")),
		keyed("Unmarshal", jen.Id("UnmarshalError")),
		keyed("CategoryOf", jen.Func().Params(err).String().
			Add(returning(jen.String().Call(jen.Id("CategoryOf").Call(jen.Err()))))),
	}
	add := func(field string, typ jen.Code, items []jen.Code) {
		if len(items) > 0 {
			elements = append(elements, keyed(field, jen.Index().Add(typ, rows(items))))
		}
	}
	predicate := jen.Func().Params(jen.Error()).Bool()
	add("Categories", predicate,
		codes(m.Categories, func(c *model.Category) jen.Code { return jen.Id(c.Predicate) }))
	add("Groups", predicate, codes(m.Groups, func(g *model.Group) jen.Code { return jen.Id(g.Predicate) }))
	add("Reactions", jen.String(), codes(d.reactions, longText))
	add("Policies", jen.String(), codes(d.policies, longText))
	elements = append(elements,
		keyed("Unknown", longText(d.rows[m.Rows[0]])),
		keyed("UnknownPermanent", longText(d.rows[m.Rows[1]])),
		keyed("Uncategorized", longText(d.uncategorized())))
	if classifies(m) {
		elements = append(elements,
			keyed("Rules", jen.Func().Params().Op("*").Add(detectName("Rules"),
				returning(jen.Id("detection").Dot("Rules").Call()))),
			keyed("Classify", jen.Id("Classify")),
			keyed("ClassifyEvidence", jen.Id("ClassifyEvidence")),
			keyed("Explain", jen.Id("Explain")), keyed("Examples", jen.Id("Examples")))
	}
	return jen.Var().Id(d.pkg).Op("=").Add(gentestName("Package"), onLines(elements...))
}

// taxonomyTests returns the statements that check what belongs to no category.
func (d *testData) taxonomyTests() []jen.Code {
	m := d.m
	categories := each(m.Categories, func(c *model.Category) string { return c.Name })
	lines := jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}
	body := []jen.Code{gentestName("Taxonomy").Custom(lines, append([]jen.Code{jen.List(jen.Id("t"), addressOf(d.pkg))},
		codes(d.printer.Taxonomy(m.Taxonomy, categories), longText)...)...)}
	add := func(statement jen.Code) { body = append(body, statement) }
	add(gentestName("Summary").Call(jen.Id("t"), addressOf(d.pkg), jen.Id(summary.Const)))
	for i, c := range m.Constants {
		add(gentestName("Constant").Call(jen.Id("t"), addressOf(d.pkg), jen.Lit(i), jen.Id(c.Function)))
	}
	add(nameTest(categories, jen.Id("Categories").Call().Op("...")))
	add(nameTest(categories, codes(m.Categories, func(c *model.Category) jen.Code { return jen.Id(c.Const) })...))
	for _, k := range nameKinds(m) {
		if len(k.names) > 0 {
			add(nameTest(k.names, codes(k.consts, func(name string) jen.Code { return jen.Id(name) })...))
		}
	}
	if len(m.Tiers) > 0 {
		add(nameTest(each(m.Tiers, func(t *model.Tier) string { return t.Name }),
			codes(m.Tiers, func(t *model.Tier) jen.Code { return jen.Id(t.Const) })...))
	}
	body = append(body, enumTests(typesOf(m.Fields).enums)...)
	for i, f := range m.Fields {
		v := sample.Value(f, i)
		add(gentestName("Attribute").Call(jen.Id("t"), addressOf(d.pkg), jen.Lit(i), jen.Id("Attach"),
			jen.Id(f.Attribute).Call(d.value(f, v)),
			longText(sample.JSON([]*model.Field{f}, model.Context{f: v}))))
	}
	return body
}

// uncategorized prints the reaction to an error that is not of the taxonomy.
func (d *testData) uncategorized() string {
	base := taxonomy.Traits{Reaction: d.m.Taxonomy.Uncategorized}
	return d.printer.Row(base, profileNames(d.m), func(i int) taxonomy.Traits {
		p := d.m.Profiles[i]
		return taxonomy.Traits{Reaction: p.Head(cmp.Or(p.Uncategorized, base.Reaction))}
	})
}

func profileNames(m *model.Package) []string {
	return each(m.Profiles, func(p *model.Profile) string { return p.Name })
}

// nameTest returns the check of the values of constants.
func nameTest(want []string, constants ...jen.Code) jen.Code {
	args := []jen.Code{jen.Id("t"), longText(strings.Join(want, " "))}
	return gentestName("Names").Call(append(args, constants...)...)
}

// enumTests returns the checks of enums.
func enumTests(list []*model.Enum) []jen.Code {
	return codes(list, func(e *model.Enum) jen.Code {
		words := jen.Index().String().Values(codes(e.Words(), str)...)
		values := codes(e.Values, func(v model.EnumValue) jen.Code { return jen.Id(v.Const) })
		return gentestName("Enum").Call(append([]jen.Code{jen.Id("t"), words}, values...)...)
	})
}

// recorder declares an implementation of a generated interface, and the test that each name calls
// its method.
func (d *testData) recorder(f *jen.File, iface string, list []*model.Method) {
	if len(list) == 0 {
		return
	}
	typ := d.free("gen" + iface)
	ctx := func() *jen.Statement { return jen.Id("ctx").Qual("context", "Context") }
	params := []jen.Code{ctx()}
	dispatch := jen.Id("Check").Call(jen.Id("ctx"), addressOf("r"), jen.Id("name"))
	if iface == "Strategies" {
		params = append(params, jen.Id("_").Add(taxonomyName("RecoveryRequest")))
		request := taxonomyName("RecoveryRequest").Values(
			keyed("Reaction", taxonomyName("Reaction").Values(keyed("Strategy", jen.Id("name")))))
		dispatch = jen.Id("Recover").Call(jen.Id("ctx"), addressOf("r"), request)
	}
	declare(f, jen.Type().Id(typ).Struct(jen.Id("record").Add(gentestName("Recorder"))))
	for _, x := range list {
		declare(f, pointerMethod("r", typ, x.Method).Params(params...).Error().Block(
			jen.Return(jen.Id("r").Dot("record").Dot("Called").Call(jen.Id("ctx"), longText(x.Name)))))
	}
	constants := codes(list, func(x *model.Method) jen.Code { return jen.Id(x.Const) })
	run := jen.Func().Params(ctx(), jen.Id("name").String()).Params(gentestName("Recorder"), jen.Error()).Block(
		jen.Var().Id("r").Id(typ),
		jen.Err().Op(":=").Add(dispatch),
		jen.Return(jen.Id("r").Dot("record"), jen.Err()))
	declare(f, d.test("Test"+iface,
		gentestName("Dispatch").Call(append([]jen.Code{jen.Id("t"), run}, constants...)...),
		nameTest(each(list, func(x *model.Method) string { return x.Name }), constants...)))
}
