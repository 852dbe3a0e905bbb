package emit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// categories makes the type of categories, its values, and the indexes of the categories in the
// table.
func categories(m *model.Package) []jen.Code {
	consts := eachText(m.Categories, func(c *model.Category) string { return c.Const })
	indexes := eachText(m.Categories, func(c *model.Category) string { return c.Var })
	indexes[0] += " = iota"
	return []jen.Code{
		text("// Category is a category of the taxonomy.\ntype Category string"),
		constBlock("The categories.", eachText(m.Categories, func(c *model.Category) string {
			return c.Const + " Category = " + quote(c.Name)
		})),
		constBlock("The categories by their place in the table.", indexes),
		text("// Categories returns all categories, in the order of the taxonomy.\n" +
			"func Categories() []Category { return []Category" + braces(consts, false) + " }"),
	}
}

// tierConstants makes the constants of the tiers.
func tierConstants(m *model.Package) jen.Code {
	return constBlock("The tiers, in the order of escalation.", eachText(m.Tiers, func(t *model.Tier) string {
		return commentText(about(t.Const, t.Doc, " is the tier "+t.Name+".")) + t.Const + " = " + quote(t.Name)
	}))
}

// predicates makes the functions that test for a category or a group.
func predicates(m *model.Package) jen.Code {
	var b strings.Builder
	b.WriteString("// Each of these reports whether err is, or wraps, an error of that category or group.\n\n")
	for _, c := range m.Categories {
		fmt.Fprintf(&b, "func %s(err error) bool { return gen.InCategory(err, &definition, %s) }\n", c.Predicate, c.Var)
	}
	for _, g := range m.Groups {
		fmt.Fprintf(&b, "func %s(err error) bool { return gen.InGroup(err, &definition, %d) }\n", g.Predicate, g.Bit)
	}
	return text(b.String())
}

// declaredNames makes the constants of the names that the taxonomy declares, in a block for each
// kind. The type of the constants is the runtime's type for that kind.
func declaredNames(m *model.Package) []jen.Code {
	named := func(n taxonomy.Named) string { return n.Name }
	taken := exportedNames(m)
	var out []jen.Code
	for _, k := range []struct {
		prefix, doc string
		names       []string
	}{
		{"Source", "The sources of evidence.", eachText(m.Taxonomy.Sources, named)},
		{"Op", "The operations.", eachText(m.Taxonomy.Ops, named)},
		{"Policy", "The policies.", eachText(m.Taxonomy.Policies, func(p *taxonomy.Policy) string { return p.Name })},
		{"Reaction", "The reactions.", eachText(m.Taxonomy.Reactions,
			func(r *taxonomy.Reaction) string { return r.Name })},
		{"Group", "The groups of codes.", eachText(m.Groups, func(g *model.Group) string { return g.Name })},
		{"Profile", "The profiles.", profileNames(m)},
	} {
		lines := make([]string, len(k.names))
		for i, name := range k.names {
			lines[i] = taken.constant(k.prefix, name, i+1) + " taxonomy." + k.prefix + "Name = " + quote(name)
		}
		out = append(out, constBlock(k.doc, lines))
	}
	return out
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

// strategies makes the file of the strategies by which reactions recover.
func (g *generator) strategies(f *jen.File) {
	dispatch(f, g.m.Strategies, "The strategies, as reactions name them.",
		"Strategies has a method for each strategy of the taxonomy, which reactions run to recover.",
		"// Recover runs the strategy of s that the failure's reaction names.\n"+
			"func Recover(ctx context.Context, s Strategies, failure taxonomy.RecoveryRequest) error",
		"strategy", "failure.Reaction.Strategy", "failure")
}

// checks makes the file of the checks before calls that are likely to fail.
func (g *generator) checks(f *jen.File) {
	dispatch(f, g.m.Checks, "The checks, as codes name them under prevent.",
		"Checks has a method for each check of the taxonomy, which runs before calls that are likely to fail.",
		"// Check runs the named check of c.\nfunc Check(ctx context.Context, c Checks, name string) error",
		"check", "name", "")
}

// dispatch declares an interface with a method for each name of a list, and the function with the
// given head that calls the method of a name. If arg is not empty, it is a parameter of the
// function and of the methods.
func dispatch(f *jen.File, methods []*model.Method, names, doc, head, kind, name, arg string) {
	iface, _, _ := strings.Cut(doc, " ")
	receiver, param := strings.ToLower(iface[:1]), ""
	if arg != "" {
		param, arg = ", "+arg+" taxonomy.RecoveryRequest", ", "+arg
	}
	var defs []string
	cases := ""
	for _, x := range methods {
		defs = append(defs, x.Const+" = "+quote(x.Name))
		cases += "case " + x.Const + ":\nreturn " + receiver + "." + x.Method + "(ctx" + arg + ")\n"
	}
	declare(f, constants(names, defs),
		jen.Add(comment(doc)).Type().Id(iface).InterfaceFunc(func(g *jen.Group) {
			for _, x := range methods {
				g.Add(comment(about(x.Method, x.Doc, " runs the "+kind+" "+x.Name+".")),
					text(x.Method+"(ctx context.Context"+param+") error"))
			}
		}),
		text(head+" {\nswitch "+name+" {\n"+cases+"default:\nreturn gen.UnknownName("+quote(kind)+", "+name+")\n}\n}"))
}

// constants makes a block of constants, or a single one.
func constants(doc string, defs []string) jen.Code {
	if len(defs) == 1 {
		return jen.Add(comment(doc), text("const "+defs[0]))
	}
	return constBlock(doc, defs)
}

// constBlock makes a block of constants, or returns nil if there are none.
func constBlock(doc string, lines []string) jen.Code {
	if len(lines) == 0 {
		return nil
	}
	return documented(doc, "const (\n"+strings.Join(lines, "\n")+"\n)")
}
