package emit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// categories makes the type of categories, its values, and the places of the categories in the
// table.
func categories(m *model.Package) string {
	var names, consts, places []string
	for i, c := range m.Categories {
		names = append(names, c.Const+" Category = "+quote(c.Name))
		consts, places = append(consts, c.Const), append(places, c.Var)
		if i == 0 {
			places[0] += " = iota"
		}
	}
	return "// Category is a category of the taxonomy.\ntype Category string\n\n" +
		block("// The categories.\n", names) + "\n\n" +
		block("// The categories by their place in the table.\n", places) +
		"\n\n// Categories returns all categories, in the order of the taxonomy.\n" +
		"func Categories() []Category { return []Category" + braces(consts, false) + " }"
}

// block returns a block of constants; "" without any.
func block(doc string, defs []string) string {
	if len(defs) == 0 {
		return ""
	}
	return doc + "const (\n" + strings.Join(defs, "\n") + "\n)"
}

// numbered returns a block of constants that are numbered from 1. Names come with their comments.
func numbered(doc, typ string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	names = slices.Clone(names)
	names[0] += " " + typ + " = iota + 1"
	return block(comment(doc), names)
}

// tierConstants returns the constants of the tiers; "" without any.
func tierConstants(m *model.Package) string {
	return block("// The tiers, in the order of escalation.\n", eachText(m.Tiers, func(t *model.Tier) string {
		return comment(about(t.Const, t.Doc, " is the tier "+t.Name+".")) + t.Const + " = " + quote(t.Name)
	}))
}

// predicates returns the functions that test for a category or a group.
func predicates(m *model.Package) string {
	var b strings.Builder
	b.WriteString("// Each of these reports whether err is, or wraps, an error of that category or group.\n\n")
	for _, c := range m.Categories {
		fmt.Fprintf(&b, "func %s(err error) bool { return gen.InCategory(err, &definition, %s) }\n", c.Predicate, c.Var)
	}
	for _, g := range m.Groups {
		fmt.Fprintf(&b, "func %s(err error) bool { return gen.InGroup(err, &definition, %d) }\n", g.Predicate, g.Bit)
	}
	return b.String()
}

// declaredNames returns the constants of the names that the taxonomy declares. Neither their values
// nor their comments are in a column, so that a new one changes no other line.
func declaredNames(m *model.Package) []string {
	named := func(n taxonomy.Named) string { return n.Name }
	taken := exportedNames(m)
	var out []string
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
		var defs []string
		for i, name := range k.names {
			defs = append(defs, taken.constant(k.prefix, name, i+1)+" taxonomy."+k.prefix+"Name = "+quote(name))
		}
		out = append(out, block("// "+k.doc+"\n", defs))
	}
	return out
}

// exported are the package's exported names that follow from the taxonomy, and the names of the
// constants that say how texts are shown.
type exported map[string]bool

func exportedNames(m *model.Package) exported {
	names := exported{}
	for _, c := range m.Categories {
		names[c.Type], names[c.CodeType], names[c.Const] = true, true, true
		for _, f := range typesOf(c.Fields).texts {
			names[f.Const] = true
		}
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

// constant returns the constant of the nth name of a kind, different from all others.
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

// dispatch is an interface with a method for each name of a list, and the function that calls the
// method of a name.
type dispatch struct {
	methods        []*model.Method
	kind           string // of the names
	namesDoc       string // the comment of the constants
	iface, doc     string
	head           string // of the function, with its comment
	receiver, name string // the variables of the interface and of the name
	param, arg     string // what the methods have after their context
}

// strategies makes the file of the strategies by which reactions recover.
func (g *generator) strategies(f *source) {
	dispatch{
		methods: g.m.Strategies, kind: "strategy", namesDoc: "The strategies, as reactions name them.",
		iface: "Strategies",
		doc:   "Strategies has a method for each strategy of the taxonomy, which reactions run to recover.",
		head: "// Recover runs the strategy of s that the failure's reaction names.\n" +
			"func Recover(ctx context.Context, s Strategies, failure taxonomy.RecoveryRequest) error",
		receiver: "s", name: "failure.Reaction.Strategy",
		param: ", failure taxonomy.RecoveryRequest", arg: ", failure",
	}.declare(f)
}

// checks makes the file of the checks before calls that are likely to fail.
func (g *generator) checks(f *source) {
	dispatch{
		methods: g.m.Checks, kind: "check", namesDoc: "The checks, as codes name them under prevent.",
		iface: "Checks",
		doc:   "Checks has a method for each check of the taxonomy, which runs before calls that are likely to fail.",
		head: "// Check runs the named check of c.\n" +
			"func Check(ctx context.Context, c Checks, name string) error",
		receiver: "c", name: "name",
	}.declare(f)
}

func (d dispatch) declare(f *source) {
	var defs []string
	cases, signatures := "", ""
	for _, x := range d.methods {
		defs = append(defs, x.Const+" = "+quote(x.Name))
		cases += "case " + x.Const + ":\nreturn " + d.receiver + "." + x.Method + "(ctx" + d.arg + ")\n"
		signatures += comment(about(x.Method, x.Doc, " runs the "+d.kind+" "+x.Name+".")) +
			x.Method + "(ctx context.Context" + d.param + ") error\n"
	}
	f.declare(constants(d.namesDoc, defs), comment(d.doc)+"type "+d.iface+" interface {\n"+signatures+"}",
		d.head+" {\nswitch "+d.name+" {\n"+cases+"default:\nreturn gen.UnknownName("+quote(d.kind)+", "+d.name+
			")\n}\n}")
}

// constants returns a block of constants, or a single one.
func constants(doc string, defs []string) string {
	if len(defs) == 1 {
		return comment(doc) + "const " + defs[0]
	}
	return block(comment(doc), defs)
}
