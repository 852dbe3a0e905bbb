package emit

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// categories declares the type of categories, its values, and the indexes of the categories in the
// table.
func categories(f *jen.File, m *model.Package) {
	typ := func() *jen.Statement { return jen.Id("Category") }
	indexes := each(m.Categories, func(c *model.Category) *jen.Statement { return jen.Id(c.Var) })
	indexes[0].Op("=").Iota()
	declare(f,
		documented("Category is a category of the taxonomy.", jen.Type().Add(typ()).String()),
		constBlock("The categories.", codes(m.Categories, func(c *model.Category) *jen.Statement {
			return jen.Id(c.Const).Add(typ()).Op("=").Lit(c.Name)
		})),
		constBlock("The categories by their place in the table.", statements(indexes)),
		documented("Categories returns all categories, in the order of the taxonomy.",
			jen.Func().Id("Categories").Params().Index().Add(typ(), returning(jen.Index().Add(typ(),
				few(codes(m.Categories, func(c *model.Category) *jen.Statement { return jen.Id(c.Const) })...))))),
		documented("CategoryOf returns the category of the first error of this taxonomy in err's chain, or \"\".",
			jen.Func().Id("CategoryOf").Params(jen.Err().Error()).Add(typ(),
				returning(typ().Call(genName("CategoryOf").Call(jen.Err(), definition()))))))
}

// tierConstants returns the constants of the tiers.
func tierConstants(m *model.Package) jen.Code {
	return constBlock("The tiers, in the order of escalation.", codes(m.Tiers, func(t *model.Tier) jen.Code {
		return documented(about(t.Const, t.Doc, " is the tier "+t.Name+"."), jen.Id(t.Const).Op("=").Lit(t.Name))
	}))
}

// predicates returns the functions that test for a category or a group, below a common comment.
func predicates(m *model.Package) []jen.Code {
	var funcs []jen.Code
	add := func(name, test string, which jen.Code) {
		funcs = append(funcs, jen.Func().Id(name).Params(jen.Err().Error()).Bool().
			Add(returning(genName(test).Call(jen.Err(), definition(), which))))
	}
	for _, c := range m.Categories {
		add(c.Predicate, "InCategory", jen.Id(c.Var))
	}
	for _, g := range m.Groups {
		add(g.Predicate, "InGroup", jen.Lit(g.Bit))
	}
	return []jen.Code{
		jen.Comment("// Each of these reports whether err is, or wraps, an error of that category or group."),
		adjacent(funcs...),
	}
}

// nameKind is a kind of names that a taxonomy declares, and their constants.
type nameKind struct {
	Type   string // SourceName
	doc    string
	names  []string
	consts []string // parallel to names
}

// nameKinds lists the names that the taxonomy declares. The type of the constants is the runtime's
// type for that kind.
func nameKinds(m *model.Package) []nameKind {
	named := func(n taxonomy.Named) string { return n.Name }
	kinds := []nameKind{
		{Type: "Source", doc: "The sources of evidence.", names: each(m.Taxonomy.Sources, named)},
		{Type: "Op", doc: "The operations.", names: each(m.Taxonomy.Ops, named)},
		{Type: "Policy", doc: "The policies.",
			names: each(m.Taxonomy.Policies, func(p *taxonomy.Policy) string { return p.Name })},
		{Type: "Reaction", doc: "The reactions.",
			names: each(m.Taxonomy.Reactions, func(r *taxonomy.Reaction) string { return r.Name })},
		{Type: "Group", doc: "The groups of codes.", names: each(m.Taxonomy.Groups, named)},
		{Type: "Profile", doc: "The profiles.", names: profileNames(m)},
	}
	taken := exportedNames(m)
	for i := range kinds {
		k := &kinds[i]
		for n, name := range k.names {
			k.consts = append(k.consts, taken.constant(k.Type, name, n+1))
		}
		k.Type += "Name"
	}
	return kinds
}

// declaredNames returns the constants of the names that the taxonomy declares, in a block for each
// kind.
func declaredNames(m *model.Package) []jen.Code {
	return codes(nameKinds(m), func(k nameKind) jen.Code {
		defs := make([]jen.Code, len(k.names))
		for i, name := range k.names {
			defs[i] = jen.Id(k.consts[i]).Add(taxonomyName(k.Type)).Op("=").Add(str(name))
		}
		return constBlock(k.doc, defs)
	})
}

// exported are the package's exported names that follow from the taxonomy, and the names of the
// constants that specify how texts are shown.
type exported map[string]bool

func exportedNames(m *model.Package) exported {
	names := exported{}
	for _, c := range m.Categories {
		names[c.Type], names[c.CodeType], names[c.Const] = true, true, true
	}
	for _, c := range m.Codes {
		names[c.Const], names[c.Factory], names[c.ErrorType().Type] = true, true, true
		for _, f := range typesOf(c.Fields()).texts {
			names[f.Const] = true
		}
	}
	for _, c := range m.Constants {
		names[c.Function] = true
	}
	for _, f := range m.Fields {
		names[f.Attribute] = true
	}
	for _, o := range m.Objects {
		names[o.Type] = true
	}
	for _, e := range m.Enums {
		names[e.Type] = true
		for _, v := range e.Values {
			names[v.Const] = true
		}
	}
	return names
}

// constant returns a unique name for the constant of the nth name of a kind.
func (e exported) constant(prefix, name string, n int) string {
	suffix, ok := naming.Suffix(name)
	if !ok {
		suffix = "X" + strconv.Itoa(n)
	}
	ident := prefix + suffix
	for e[ident] {
		ident += "Name"
	}
	e[ident] = true
	return ident
}

// dispatcher is a generated interface with a method for each declared name, and the function that
// calls the method of a name.
type dispatcher struct {
	iface, kind   string // Strategies, strategy
	names         string // the comment of the constants
	doc           string // of the interface
	function, use string // the name of the function and its comment
	methods       []*model.Method
	// argument is the parameter of the function and of the methods; nil if only the name is given.
	argument *jen.Statement
	name     *jen.Statement // the name in the argument
}

// strategies makes the file of the strategies by which reactions recover.
func (g *generator) strategies(f *jen.File) {
	dispatcher{
		iface: "Strategies", kind: "strategy", methods: g.m.Strategies,
		names:    "The strategies, as reactions name them.",
		doc:      "Strategies has a method for each strategy of the taxonomy, which reactions run to recover.",
		function: "Recover", use: "Recover runs the strategy of s that the failure's reaction names.",
		argument: jen.Id("failure"), name: jen.Id("failure").Dot("Reaction").Dot("Strategy"),
	}.declare(f)
}

// checks makes the file of the checks before calls that are likely to fail.
func (g *generator) checks(f *jen.File) {
	dispatcher{
		iface: "Checks", kind: "check", methods: g.m.Checks,
		names: "The checks, as codes name them under prevent.",
		doc: "Checks has a method for each check of the taxonomy, which runs before calls that are likely " +
			"to fail.",
		function: "Check", use: "Check runs the named check of c.",
		name: jen.Id("name"),
	}.declare(f)
}

// declare declares the names, the interface and the function.
func (d dispatcher) declare(f *jen.File) {
	receiver := jen.Id(strings.ToLower(d.iface[:1]))
	ctx := jen.Id("ctx").Qual("context", "Context")
	args, methodParams := []jen.Code{jen.Id("ctx")}, []jen.Code{ctx}
	lastParam := jen.Add(d.name).String()
	if d.argument != nil {
		lastParam = jen.Add(d.argument, taxonomyName("RecoveryRequest"))
		args, methodParams = append(args, d.argument), append(methodParams, lastParam)
	}
	declare(f,
		constants(d.names, codes(d.methods, func(m *model.Method) *jen.Statement {
			return jen.Id(m.Const).Op("=").Add(str(m.Name))
		})),
		documented(d.doc, jen.Type().Id(d.iface).Interface(codes(d.methods, func(m *model.Method) jen.Code {
			return documented(about(m.Method, m.Doc, " runs the "+d.kind+" "+m.Name+"."),
				jen.Id(m.Method).Params(methodParams...).Error())
		})...)),
		documented(d.use, jen.Func().Id(d.function).Params(ctx, jen.Add(receiver).Id(d.iface), lastParam).Error().
			Block(jen.Switch(d.name).BlockFunc(func(g *jen.Group) {
				for _, m := range d.methods {
					g.Case(jen.Id(m.Const)).Block(jen.Return(jen.Add(receiver).Dot(m.Method).Call(args...)))
				}
				g.Default().Block(jen.Return(genName("UnknownName").Call(jen.Lit(d.kind), d.name)))
			}))))
}
