package emit

import (
	"cmp"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sample"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// packageTests makes the file of the package as a whole: lists of names, reactions and policies.
func (d *testData) packageTests() string {
	m, w := d.m, &testWriter{testData: d}
	w.f("\nvar %s = gentest.Package{\nTable: Table,\nUnmarshal: UnmarshalError,\n", d.pkg)
	w.f("CategoryOf: func(err error) string { return string(CategoryOf(err)) },\n")
	add := func(field string, items []string) {
		if len(items) > 0 {
			w.f("%s%s,\n", field, list(items))
		}
	}
	add("Categories: []func(error) bool", eachText(m.Categories, func(c *model.Category) string { return c.Predicate }))
	add("Groups: []func(error) bool", eachText(m.Groups, func(g *model.Group) string { return g.Predicate }))
	add("Reactions: []string", eachText(d.reactions, str))
	add("Policies: []string", eachText(d.policies, str))
	w.f("Unknown: %s,\n", str(d.rows[m.Rows[0]]))
	w.f("UnknownPermanent: %s,\n", str(d.rows[m.Rows[1]]))
	w.f("Uncategorized: %s,\n", str(d.uncategorized()))
	if classifies(m) {
		w.f("Rules: func() *detect.Rules { return detection.Rules() },\n")
		w.f("Classify: Classify,\nClassifyEvidence: ClassifyEvidence,\nExplain: Explain,\n")
	}
	w.f("}\n")

	w.test("TestTaxonomy")
	w.f("gentest.Taxonomy(t, &%s,\n", d.pkg)
	categories := eachText(m.Categories, func(c *model.Category) string { return c.Name })
	for _, line := range d.printer.Taxonomy(m.Taxonomy, categories) {
		w.f("%s,\n", str(line))
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
		w.f("gentest.Attribute(t, &%s, %d, Attach, %s(%s), %s)\n", d.pkg, i, f.Attribute, w.value(f, v, false),
			str(sample.JSON([]*model.Field{f}, model.Context{f: v})))
	}
	w.f("}\n")
	recorder(w, "Strategies", m.Strategies)
	recorder(w, "Checks", m.Checks)
	return w.String()
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
	return eachText(m.Profiles, func(p *model.Profile) string { return p.Name })
}

// names writes the check of the values of constants.
func (w *testWriter) names(want []string, constants ...string) {
	if len(want) > 0 {
		w.f("gentest.Names(t, %s, %s)\n", str(strings.Join(want, " ")), strings.Join(constants, ", "))
	}
}

// enums writes the checks of enums.
func (w *testWriter) enums(list []*model.Enum) {
	for _, e := range list {
		consts := eachText(e.Values, func(v model.EnumValue) string { return v.Const })
		w.f("gentest.Enum(t, %s, %s)\n", "[]string{"+quoted(e.Words())+"}", strings.Join(consts, ", "))
	}
}

// recorder writes an implementation of a generated interface, and the check that each name calls
// its method.
func recorder(w *testWriter, iface string, list []*model.Method) {
	if len(list) == 0 {
		return
	}
	typ, param, call := w.free("gen"+iface), "", "Check(ctx, &r, name)"
	if iface == "Strategies" {
		param = ", _ taxonomy.RecoveryRequest"
		call = "Recover(ctx, &r, taxonomy.RecoveryRequest{Reaction: taxonomy.Reaction{Strategy: name}})"
	}
	w.f("\ntype %s struct{ record gentest.Recorder }\n", typ)
	for _, x := range list {
		w.f("\nfunc (r *%s) %s(ctx context.Context%s) error {\nreturn r.record.Called(ctx, %s)\n}\n",
			typ, x.Method, param, str(x.Name))
	}
	constants := eachText(list, func(x *model.Method) string { return x.Const })
	w.test("Test" + iface)
	w.f("gentest.Dispatch(t, func(ctx context.Context, name string) (gentest.Recorder, error) {\nvar r %s\n", typ)
	w.f("err := %s\nreturn r.record, err\n}, %s)\n", call, strings.Join(constants, ", "))
	w.names(eachText(list, func(x *model.Method) string { return x.Name }), constants...)
	w.f("}\n")
}
