package schema

import (
	"slices"

	"github.com/errgen/errgen/internal/spec"
)

// namesOf returns the names that a taxonomy declares, by what they name, in the order of the file.
func namesOf(t *spec.Taxonomy) map[spec.Ref][]string {
	if t == nil {
		return nil
	}
	names := map[spec.Ref][]string{
		spec.RefSource:   named(t.Sources),
		spec.RefOp:       named(t.Ops),
		spec.RefGroup:    named(t.Groups),
		spec.RefStrategy: named(t.Strategies),
		spec.RefCheck:    named(t.Checks),
		spec.RefReaction: {"abort", "block", "continue"},
	}
	add := func(to spec.Ref, name spec.Text) {
		if name.V != "" && !slices.Contains(names[to], name.V) {
			names[to] = append(names[to], name.V)
		}
	}
	for _, tier := range t.Tiers {
		add(spec.RefTier, tier.Name)
	}
	for _, p := range t.Policies {
		add(spec.RefPolicy, p.Name)
	}
	for _, r := range t.Reactions {
		add(spec.RefReaction, r.Name)
	}
	addFields(names, t)
	for _, c := range t.Categories {
		add(spec.RefCategory, c.Name)
		for _, code := range c.Codes {
			names[spec.RefCode] = append(names[spec.RefCode], code.Name.V)
		}
	}
	names[spec.RefOverlay] = overlayKeys(names)
	return names
}

func named(list []spec.Named) []string {
	var out []string
	for _, n := range list {
		out = append(out, n.Name.V)
	}
	return out
}

// addFields lists the fields of all categories: which of them a place may name depends on its
// category, which a schema cannot say.
func addFields(names map[spec.Ref][]string, t *spec.Taxonomy) {
	seen := map[string]bool{}
	add := func(fields []spec.Field) {
		for _, f := range fields {
			if !seen[f.Name.V] {
				seen[f.Name.V] = true
				names[spec.RefField] = append(names[spec.RefField], f.Name.V)
			}
		}
	}
	add(t.Fields)
	for _, c := range t.Categories {
		add(c.Fields)
	}
}

func overlayKeys(names map[spec.Ref][]string) []string {
	keys := slices.Concat(names[spec.RefCode], names[spec.RefCategory])
	slices.Sort(keys)
	keys = slices.Compact(keys)
	for _, g := range names[spec.RefGroup] {
		keys = append(keys, "@"+g)
	}
	return append(keys, "*")
}
