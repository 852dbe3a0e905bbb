package emit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// tableTests makes the file of what the package declares as a whole.
func tableTests(m *model.Package, names testNames) []byte {
	w := newTestWriter(m, names)
	w.lookups(m)
	w.declared(m)
	w.reactionTable(m)
	w.rowTable(m)
	w.aliases(m)
	w.unknown(m)
	for _, e := range m.Enums {
		w.test(e.Type, "Values")
		consts := make([]string, len(e.Values))
		for i, v := range e.Values {
			consts[i] = v.Const
		}
		w.f("#CheckEnum(t, %q, []%s{%s}, %s)\n}\n", e.Type, e.Type, strings.Join(consts, ", "), w.list(e.Words()))
	}
	w.strategies(m)
	w.checks(m)
	return w.bytes()
}

// lookups writes the lists by which the checker goes.
func (w *testWriter) lookups(m *model.Package) {
	w.f("\n// #Profiles are the names of the profiles.\nvar #Profiles = []%s{%s}\n",
		w.use(pkgTaxonomy, "ProfileName"), joinEach(profileNames(m), w.str))
	w.f("\n// #Categories are the categories.\nvar #Categories = []#Predicate{\n")
	for _, c := range m.Categories {
		w.f("{%q, %s},\n", c.Name, c.Predicate)
	}
	w.f("}\n\n// #Groups are the groups, by their bit.\nvar #Groups = []#Predicate{\n")
	for _, g := range m.Groups {
		w.f("{%q, %s},\n", g.Name, g.Predicate)
	}
	w.f("}\n\n// #None is the row of errors without a code, and #Permanent that of unknown ones that must not be " +
		"tried again.\nvar (\n")
	w.f("#None = #Row%s\n#Permanent = #Row%s\n)\n", w.rowLiteral(m.Rows[taxonomy.RowUnknown]),
		w.rowLiteral(m.Rows[taxonomy.RowUnknownPermanent]))
}

func profileNames(m *model.Package) []string {
	names := make([]string, len(m.Profiles))
	for i, p := range m.Profiles {
		names[i] = p.Name
	}
	return names
}

// declared writes the names that the taxonomy declares.
func (w *testWriter) declared(m *model.Package) {
	w.test("Taxonomy", "")
	w.f("got := Table.Taxonomy\n")
	for _, c := range []struct{ name, value string }{
		{"Package", m.Name}, {"Domain", m.Domain}, {"Doc", m.Doc}, {"HelpURL", m.HelpURL},
	} {
		w.f("%s(t, %s, got.%s)\n", w.use(pkgAssert, "Equal"), w.str(c.value), c.name)
	}
	if m.Fallback != nil {
		w.f("assert.Equal(t, %s, got.Fallback)\n", w.str(m.Fallback.Value))
	}
	w.f("assert.Same(t, &%s, got.Uncategorized)\n", m.Uncategorized.Var)
	for _, c := range []struct {
		name, typ string
		list      []string
	}{
		{"Reactions", "*Reaction", eachText(declaredReactions(m),
			func(r *model.Reaction) string { return "&" + r.Var })},
		{"Policies", "*Policy", eachText(declaredPolicies(m), func(p *model.Policy) string { return "&" + p.Var })},
		{"Groups", "Named", eachText(m.Groups, func(g *model.Group) string { return w.named(g.Name, g.Doc) })},
		{"Strategies", "Named", eachText(m.Strategies, func(s *model.Strategy) string {
			return w.named(s.Name,
				s.Doc)
		})},
		{"Checks", "Named", eachText(m.Checks, func(c *model.Check) string { return w.named(c.Name, c.Doc) })},
		{"Sources", "Named", eachText(m.Sources, func(n model.Named) string { return w.named(n.Name, n.Doc) })},
		{"Ops", "Named", eachText(m.Ops, func(n model.Named) string { return w.named(n.Name, n.Doc) })},
		{"Tiers", "Tier", eachText(m.Tiers, w.tierLiteral)},
	} {
		if len(c.list) > 0 {
			pointer := strings.TrimSuffix(c.typ, strings.TrimPrefix(c.typ, "*"))
			w.f("assert.Equal(t, []%s%s{%s}, got.%s)\n", pointer, w.use(pkgTaxonomy, strings.TrimPrefix(c.typ, "*")),
				strings.Join(c.list, ", "), c.name)
		}
	}
	w.f("assert.Nil(t, Table.Overlay)\n")
	w.f("assert.Equal(t, []Category{%s}, Categories())\n", joinEach(
		m.Categories, func(c *model.Category) string { return strconv.Quote(c.Name) }))
	w.f("assert.Equal(t, []Category{%s}, Categories())\n", joinEach(
		m.Categories, func(c *model.Category) string { return c.Const }))
	w.f("assert.Empty(t, CategoryOf(#Cause))\n")
	if len(m.Profiles) > 0 {
		w.f("assert.Equal(t, #Profiles, []taxonomy.ProfileName{%s})\n", joinEach(
			m.Profiles, func(p *model.Profile) string { return p.Const }))
	}
	if len(m.Tiers) > 0 {
		w.f("assert.Equal(t, %s, []string{%s})\n",
			w.list(eachText(m.Tiers, func(t *model.Tier) string { return t.Name })),
			joinEach(m.Tiers, func(t *model.Tier) string { return t.Const }))
	}
	w.f("}\n")
	if len(m.Profiles) > 0 {
		w.profileTable(m)
	}
}

type aliasPair struct {
	value string
	code  *model.Code
}

func aliasPairs(m *model.Package) []aliasPair {
	var out []aliasPair
	for _, c := range m.Codes {
		for _, value := range c.Aliases {
			out = append(out, aliasPair{value, c})
		}
	}
	slices.SortFunc(out, func(a, b aliasPair) int { return strings.Compare(a.value, b.value) })
	return out
}

func (w *testWriter) named(name, doc string) string {
	l := w.structOf()
	l.text("Name", name)
	l.text("Doc", doc)
	return l.inLine()
}

func (w *testWriter) tierLiteral(t *model.Tier) string {
	l := w.structOf()
	l.text("Name", t.Name)
	l.text("Doc", t.Doc)
	l.flag("Classifies", t.Classifies)
	l.flag("Person", t.Person)
	l.constant("Purpose", purposeNames[t.Purpose])
	return l.inLine()
}

// rowTable writes which reaction each row leads to: the very variable, since several may have one
// name.
func (w *testWriter) rowTable(m *model.Package) {
	w.test("Rows", "")
	w.f("got := map[taxonomy.Row]*taxonomy.Reaction{}\nfor row := range Table.Taxonomy.Rows() {\n" +
		"got[row] = Table.Taxonomy.Traits(row).Reaction\n}\n")
	w.f("for row, want := range map[taxonomy.Row]*%s{\n", w.use(pkgTaxonomy, "Reaction"))
	for _, r := range m.Rows {
		w.f("%d: &%s,\n", rowOf(r), r.Reaction.Var)
	}
	w.f("} {\n%s(t, want, got[row], \"row %%d\", row)\n}\n", w.use(pkgAssert, "Same"))
	w.f("assert.Len(t, got, %d)\n", len(m.Rows))
	w.f("#CheckRow(t, &%s{}, #None)\n}\n", m.Categories[0].Type)
}

// aliases writes that the former values of codes are still read.
func (w *testWriter) aliases(m *model.Package) {
	pairs := aliasPairs(m)
	if len(pairs) == 0 {
		return
	}
	w.test("Aliases", "")
	w.f("for alias, code := range map[string]%s{\n", w.use(pkgTaxonomy, "Coded"))
	for _, a := range pairs {
		w.f("%s: %s,\n", w.str(a.value), a.code.Const)
	}
	w.f("} {\nback, err := UnmarshalError(#Marshal(t, #Wire{Category: string(CategoryOf(code)), Code: alias}))\n")
	w.f("%s(t, err)\n%s(t, back, code)\n}\n}\n", w.use(pkgAssert, "NoError"), w.use(pkgAssert, "ErrorIs"))
}

// unknown writes what becomes of errors off the wire that are not of this taxonomy.
func (w *testWriter) unknown(m *model.Package) {
	w.test("Unknown", "")
	w.f("for _, c := range []struct {\nwire string\nrow  #Row\n}{\n")
	retried := "#Permanent"
	if m.Rows[taxonomy.RowUnknown].Retryable {
		retried = "#None"
	}
	known := m.Codes
	domain := strconv.Quote(m.Domain)
	category := strconv.Quote(m.Categories[0].Name)
	line := func(domain, category, code string, retryable bool, row string) {
		text := fmt.Sprintf(
			`{"domain":%s,"category":%s,"code":%s,"message":"some message","retryable":%t,"context":{"a":1}}`,
			domain, category, code, retryable)
		w.f("{%s, "+row+"},\n", w.str(text))
	}
	line(domain, category, `"no such code"`, true, retried)
	line(domain, category, `"no such code"`, false, "#Permanent")
	line(domain, `"no such category"`, `"no such code"`, true, retried)
	if len(known) > 0 {
		line(`"another domain"`, strconv.Quote(known[0].Category.Name), strconv.Quote(known[0].Value), false,
			"#Permanent")
	}
	w.f("} {\nback, err := UnmarshalError([]byte(c.wire))\n%s(t, err)\n", w.use(pkgAssert, "NoError"))
	w.f("%s(t, &%s{}, back)\n#CheckRow(t, back, c.row)\n", w.use(pkgAssert, "IsType"), w.use(pkgTaxonomy, "Unknown"))
	w.f("%s(t, c.wire, string(back.AppendJSON(nil)))\n}\n", w.use(pkgAssert, "JSONEq"))
	w.f("_, err := UnmarshalError([]byte(`{`))\n%s(t, err)\n}\n", w.use(pkgAssert, "Error"))
}

// strategies writes that each name runs its own method.
func (w *testWriter) strategies(m *model.Package) {
	if len(m.Strategies) == 0 {
		return
	}
	w.f("\n// #Strategies notes which strategy was run.\ntype #Strategies struct {\nctx %s\nmethod string\nfailure "+
		"%s\n}\n",
		w.use(pkgContext, "Context"), w.use(pkgTaxonomy, "Failed"))
	for _, s := range m.Strategies {
		w.f("\nfunc (s *#Strategies) %s(ctx context.Context, failure taxonomy.Failed) error {\n", s.Method)
		w.f("s.ctx, s.method, s.failure = ctx, %q, failure\nreturn #Cause\n}\n", s.Method)
	}
	w.test("Recover", "")
	w.f("for _, c := range []struct{ strategy, constant, method string }{\n")
	for _, s := range m.Strategies {
		w.f("{%s, %s, %q},\n", w.str(s.Name), s.Const, s.Method)
	}
	w.f("} {\n%s(t, c.strategy, c.constant)\n", w.use(pkgAssert, "Equal"))
	w.f("failure := taxonomy.Failed{Err: #Cause, Reaction: taxonomy.Reaction{Strategy: c.strategy}}\nvar s " +
		"#Strategies\n")
	w.f("assert.Equal(t, #Cause, Recover(t.Context(), &s, failure))\n")
	w.f("assert.Equal(t, #Strategies{t.Context(), c.method, failure}, s)\n}\n")
	w.f("for _, name := range []string{\"\", \"no such strategy\"} {\nvar s #Strategies\n")
	w.f("failure := taxonomy.Failed{Reaction: taxonomy.Reaction{Strategy: name}}\n")
	w.f("%s(t, Recover(t.Context(), &s, failure))\n%s(t, s)\n}\n}\n", w.use(pkgAssert, "Error"),
		w.use(pkgAssert, "Zero"))
}

func eachText[T any](list []T, text func(T) string) []string {
	out := make([]string, len(list))
	for i, item := range list {
		out[i] = text(item)
	}
	return out
}

func joinEach[T any](list []T, text func(T) string) string {
	return strings.Join(eachText(list, text), ", ")
}
