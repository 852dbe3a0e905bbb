package emit

import (
	"cmp"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sample"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// packageTests makes the file of the package as a whole: lists of names, reactions and policies.
func (d *testData) packageTests() []byte {
	m, w := d.m, d.writer()
	w.f("\nvar %s = %s{\nTable: Table,\nUnmarshal: UnmarshalError,\n", d.pkg, w.use(pkgGentest, "Package"))
	w.f("CategoryOf: func(err error) string { return string(CategoryOf(err)) },\n")
	w.list("Categories: []func(error) bool{",
		eachText(m.Categories, func(c *model.Category) string { return c.Predicate }))
	w.list("Groups: []func(error) bool{", eachText(m.Groups, func(g *model.Group) string { return g.Predicate }))
	w.list("Reactions: []string{", eachText(d.reactions, w.str))
	w.list("Policies: []string{", eachText(d.policies, w.str))
	w.f("Unknown: %s,\n", w.str(d.rows[m.Rows[0]]))
	w.f("UnknownPermanent: %s,\n", w.str(d.rows[m.Rows[1]]))
	w.f("Uncategorized: %s,\n", w.str(d.uncategorized()))
	if classifies(m) {
		w.f("Rules: func() *%s { return %s },\n", w.use(pkgDetect, "Rules"), rulesExpr)
		w.f("Classify: Classify,\nClassifyEvidence: ClassifyEvidence,\nExplain: Explain,\n")
	}
	w.f("}\n")

	w.test("TestTaxonomy")
	w.f("gentest.Taxonomy(t, &%s,\n", d.pkg)
	categories := eachText(m.Categories, func(c *model.Category) string { return c.Name })
	for _, line := range d.printer.Taxonomy(m.Taxonomy, categories) {
		w.f("%s,\n", w.str(line))
	}
	w.f(")\n")
	for i, c := range m.Constants {
		w.f("gentest.Constant(t, &%s, %d, %s)\n", d.pkg, i, c.Function)
	}
	w.names(categories, "Categories()...")
	w.names(categories, eachText(m.Categories, func(c *model.Category) string { return c.Const })...)
	w.names(profileNames(m), eachText(m.Profiles, func(p *model.Profile) string { return p.Const })...)
	w.names(eachText(m.Tiers, func(t *model.Tier) string { return t.Name }),
		eachText(m.Tiers, func(t *model.Tier) string { return t.Const })...)
	w.enums(typesOf(m.Fields).enums)
	for i, f := range m.Fields {
		v := sample.Value(f, i)
		w.f("gentest.Attribute(t, &%s, %d, Attach, %s(%s), %s)\n", d.pkg, i, f.Attribute, w.value(f, v),
			w.str(sample.JSON([]*model.Field{f}, model.Context{f: v})))
	}
	w.f("}\n")
	recorder(w, "Strategies", m.Strategies)
	recorder(w, "Checks", m.Checks)
	return w.bytes()
}

// rulesExpr is the expression of the package's rules.
const rulesExpr = "detection.Rules()"

// uncategorized prints the reaction to an error that is not of the taxonomy.
func (d *testData) uncategorized() string {
	base := taxonomy.Traits{Reaction: d.m.Taxonomy.Uncategorized}
	return d.printer.Row(base, profileNames(d.m), func(i int) taxonomy.Traits {
		p := d.m.Profiles[i]
		return taxonomy.Traits{Reaction: p.Head(cmp.Or(p.Uncategorized, base.Reaction))}
	})
}

func profileNames(m *model.Package) []string {
	return eachText(m.Profiles, func(p *model.Profile) string { return p.Name })
}

// names writes the check of the values of constants.
func (w *testWriter) names(want []string, constants ...string) {
	if len(want) > 0 {
		w.f("gentest.Names(t, %s, %s)\n", w.str(strings.Join(want, " ")), strings.Join(constants, ", "))
	}
}

// enums writes the checks of enums.
func (w *testWriter) enums(list []*model.Enum) {
	for _, e := range list {
		consts := eachText(e.Values, func(v model.EnumValue) string { return v.Const })
		w.f("gentest.Enum(t, %s, %s)\n", w.strings(e.Words()), strings.Join(consts, ", "))
	}
}

// recorder writes an implementation of a generated interface, and the check that each name calls
// its method.
func recorder(w *testWriter, iface string, list []*model.Method) {
	if len(list) == 0 {
		return
	}
	typ, param, arg, run := w.free("gen"+iface), "", "name", "Check"
	if iface == "Strategies" {
		failure := w.use(pkgTaxonomy, "RecoveryRequest")
		param, run = ", _ "+failure, "Recover"
		arg = failure + "{Reaction: taxonomy.Reaction{Strategy: name}}"
	}
	w.f("\ntype %s struct{ record gentest.Recorder }\n", typ)
	var words, constants []string
	for _, item := range list {
		words, constants = append(words, item.Name), append(constants, item.Const)
		w.f("\nfunc (r *%s) %s(ctx %s%s) error {\nreturn r.record.Called(ctx, %s)\n}\n",
			typ, item.Method, w.use(pkgContext, "Context"), param, w.str(item.Name))
	}
	w.test("Test" + iface)
	w.f("gentest.Dispatch(t, func(ctx context.Context, name string) (gentest.Recorder, error) {\nvar r %s\n", typ)
	w.f("err := %s(ctx, &r, %s)\nreturn r.record, err\n}, %s)\n", run, arg, strings.Join(constants, ", "))
	w.names(words, constants...)
	w.f("}\n")
}
