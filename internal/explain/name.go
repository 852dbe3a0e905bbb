package explain

import (
	"slices"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Name explains the name of an action, a reaction, a policy, a group or a profile.
type Name struct {
	Name     string    `json:"name"`
	Kind     string    `json:"kind"`
	Doc      string    `json:"doc,omitempty"`
	Does     []string  `json:"does,omitempty"`     // except a reaction
	Reaction *Reaction `json:"reaction,omitempty"` // that has the name
	Policy   string    `json:"policy,omitempty"`   // of the reaction, if it has a declared one
	// Codes are those that use it in any profile, or that the profile changes. It is nil without a
	// taxonomy.
	Codes []string `json:"codes,omitzero"`
}

// Names explains the actions, and the declared reactions, policies, groups and profiles. A reaction
// in place is explained with its code. If m is nil, Names explains the actions.
func Names(m *model.Package) []Name {
	hasModel := m != nil
	if !hasModel {
		m = new(model.Package)
	}
	var out []Name
	add := func(n Name, has func(*model.Code) bool) {
		if hasModel {
			n.Codes = []string{}
		}
		for _, c := range m.Codes {
			if !c.Abstract && has(c) { // no error has an abstract code
				n.Codes = append(n.Codes, c.Value)
			}
		}
		out = append(out, n)
	}
	leadsTo := func(is func(*taxonomy.Reaction) bool) func(*model.Code) bool {
		return func(c *model.Code) bool {
			inProfile := func(p *model.Profile) bool { return LeadsTo(m, c, p.Profile, is) }
			return LeadsTo(m, c, nil, is) || slices.ContainsFunc(m.Profiles, inProfile)
		}
	}
	for _, v := range m.Reactions {
		if v.Profile == "" && m.Declared[v.Value] {
			words := ReactionOf(m, nil, v.Value)
			n := Name{Kind: "reaction", Name: v.Value.Name, Doc: v.Doc, Reaction: &words}
			n.Policy = policyName(m, v.Value)
			add(n, leadsTo(func(r *taxonomy.Reaction) bool { return DeclaredName(m, r) == v.Value.Name }))
		}
	}
	for a := taxonomy.Abort; a <= taxonomy.Recover; a++ {
		does := Action(&taxonomy.Reaction{Action: a, Strategy: "that it names"})
		add(Name{Kind: "action", Name: a.String(), Does: []string{does}},
			leadsTo(func(r *taxonomy.Reaction) bool { return r.Action == a }))
	}
	for _, v := range m.Policies {
		if v.Profile == "" && m.Declared[v.Value] {
			add(Name{Kind: "policy", Name: v.Value.Name, Doc: v.Doc, Does: Policy(v.Value)},
				leadsTo(func(r *taxonomy.Reaction) bool { return policyName(m, r) == v.Value.Name }))
		}
	}
	for _, g := range m.Groups {
		add(Name{Kind: "group", Name: g.Name, Doc: g.Doc},
			func(c *model.Code) bool { return slices.Contains(c.InGroups, g) })
	}
	for _, p := range m.Profiles {
		add(Name{Kind: "profile", Name: p.Name, Doc: p.Doc}, func(c *model.Code) bool {
			return slices.ContainsFunc(c.Rows(), func(r *model.Row) bool { return changes(m, p, r) })
		})
	}
	return out
}

// policyName returns the name of the reaction's policy, or "" if it has no declared one.
func policyName(m *model.Package, r *taxonomy.Reaction) string {
	if m.Declared[r.Policy] {
		return r.Policy.Name
	}
	return ""
}

// LeadsTo reports whether a reaction of a code in a profile, or a later one in its chain, has a
// property. A nil profile changes nothing.
func LeadsTo(m *model.Package, c *model.Code, p *taxonomy.Profile, is func(*taxonomy.Reaction) bool) bool {
	table := taxonomy.Table{Taxonomy: m.Taxonomy, Overlay: p}
	for _, row := range c.Rows() {
		if slices.ContainsFunc(chain(p, table.Row(row.At).Reaction), is) {
			return true
		}
	}
	return false
}
