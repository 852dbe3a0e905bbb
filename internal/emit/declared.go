package emit

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// kind is a kind of names that a taxonomy declares.
type kind struct {
	typ    string // of the constants, in package taxonomy
	prefix string
	doc    string
	names  []string
}

// declaredNames makes the constants of the names that the taxonomy declares. Neither their values
// nor their comments are in a column, so that a new one changes no other line.
func declaredNames(m *model.Package) []jen.Code {
	taken := exportedNames(m)
	var out []jen.Code
	for _, k := range kinds(m) {
		if len(k.names) == 0 {
			continue
		}
		defs := make([]jen.Code, len(k.names))
		for i, name := range k.names {
			defs[i] = jen.Id(taken.constant(k.prefix, name, i+1)).Add(runtimeType(k.typ)).Op("=").Lit(name)
		}
		out = append(out, jen.Add(note(k.doc)).Const().Defs(defs...))
	}
	return out
}

func kinds(m *model.Package) []kind {
	policies := kind{typ: "PolicyName", prefix: "Policy", doc: "The policies."}
	for _, p := range m.Taxonomy.Policies {
		policies.names = append(policies.names, p.Name)
	}
	reactions := kind{typ: "ReactionName", prefix: "Reaction", doc: "The reactions."}
	for _, r := range m.Taxonomy.Reactions {
		reactions.names = append(reactions.names, r.Name)
	}
	groups := kind{typ: "GroupName", prefix: "Group", doc: "The groups of codes."}
	for _, g := range m.Groups {
		groups.names = append(groups.names, g.Name)
	}
	profiles := kind{typ: "ProfileName", prefix: "Profile", doc: "The profiles."}
	for _, p := range m.Profiles {
		profiles.names = append(profiles.names, p.Name)
	}
	return []kind{
		{"SourceName", "Source", "The sources of evidence.", namesOf(m.Taxonomy.Sources)},
		{"OpName", "Op", "The operations.", namesOf(m.Taxonomy.Ops)},
		policies, reactions, groups, profiles,
	}
}

func namesOf(list []taxonomy.Named) []string {
	var out []string
	for _, n := range list {
		out = append(out, n.Name)
	}
	return out
}

// exported are the package's exported names that follow from the taxonomy.
type exported map[string]bool

func exportedNames(m *model.Package) exported {
	names := exported{}
	for _, c := range m.Categories {
		names[c.Type], names[c.CodeType], names[c.Const] = true, true, true
	}
	for _, c := range m.Codes {
		names[c.Const], names[c.Factory], names[c.ErrorType().Type] = true, true, true
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
