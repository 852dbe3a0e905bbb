package taxonomy

import (
	"cmp"
	"iter"
	"slices"
)

// Changes are the changes of a table that a profile or [Overrides] declare. Generated packages and
// their users do not need them.
type Changes struct {
	// Reactions and Policies are replacements. The Policy and Then of a replacement are those
	// before the changes, because [Changes.Apply] replaces them too.
	Reactions map[*Reaction]*Reaction
	Policies  map[*Policy]*Policy
	// Row changes the traits of a row except the reaction, and returns the reactions that the row
	// can get, the best first. The last one is nil, for the reaction of the traits.
	Row func(row Row, t *Traits) iter.Seq[*Reaction]
}

// Apply returns a profile of table t with the changes. It has the sections of p, and Uncategorized
// if that is set. Each row gets the first suitable reaction: a row that is not retryable gets none
// that leads to a retry. If no reaction is suitable, the row keeps its reaction without changes.
//
// The second result maps the reactions of the table, and those that Row returned, to their versions
// in the profile.
func (c Changes) Apply(t Table, p Profile) (*Profile, map[*Reaction]*Reaction) {
	v := versions{Changes: c, made: make(map[*Reaction]*Reaction), used: make(map[*Policy]bool)}
	reactions, policies := t.declared()
	declared := t.Taxonomy.Policies
	p.Rows, p.Reactions, p.Policies = nil, nil, nil
	for i, policy := range policies {
		if policy = v.policy(policy); policy != declared[i] {
			p.Policies = append(p.Policies, policy)
		}
	}
	for i, r := range reactions {
		if r = v.reaction(r); r != t.Taxonomy.Reactions[i] {
			p.Reactions = append(p.Reactions, r)
		}
	}
	p.Uncategorized = v.reaction(cmp.Or(p.Uncategorized, t.uncategorized()))
	if p.Uncategorized == (Table{Taxonomy: t.Taxonomy}).uncategorized() {
		p.Uncategorized = nil
	}
	for row := range t.Taxonomy.Rows() {
		traits := *t.row(row)
		traits.Reaction = v.choose(row, &traits)
		if traits != *t.Taxonomy.Traits(row) {
			p.Rows = append(p.Rows, RowOverride{Row: row, Traits: traits})
		}
	}
	known, others := slices.Concat(declared, p.Policies), slices.Concat(declared, p.others)
	p.others = nil
	for _, policy := range others {
		if policy = v.policy(policy); v.used[policy] && !slices.Contains(known, policy) {
			known, p.others = append(known, policy), append(p.others, policy)
		}
	}
	return &p, v.made
}

// declared returns the declared reactions and policies, with the changes of the profile. A name is
// unique among them, but not among all reactions and policies, because a value in place has the
// name of its owner.
func (t Table) declared() (reactions []*Reaction, policies []*Policy) {
	reactions, policies = slices.Clone(t.Taxonomy.Reactions), slices.Clone(t.Taxonomy.Policies)
	if p := t.Overlay; p != nil {
		replace(reactions, p.Reactions, func(r *Reaction) string { return r.Name })
		replace(policies, p.Policies, func(p *Policy) string { return p.Name })
	}
	return reactions, policies
}

// replace replaces declared values by the versions of the same name.
func replace[T any](declared, versions []*T, name func(*T) string) {
	for _, version := range versions {
		for i, d := range declared {
			if name(d) == name(version) {
				declared[i] = version
			}
		}
	}
}

// versions makes the versions of a profile. It writes only values that it creates.
type versions struct {
	Changes
	made map[*Reaction]*Reaction
	used map[*Policy]bool // the policies of made
}

// choose returns the version of the first reaction that suits a row, and makes the other changes of
// its traits. A version that leads to a retry suits a row that is not retryable only if the row's
// reaction leads to a retry without the changes.
func (v versions) choose(row Row, traits *Traits) *Reaction {
	own := traits.Reaction
	for r := range v.Row(row, traits) {
		version := v.reaction(cmp.Or(r, own))
		if traits.Retryable || !version.leadsToRetry() || r == nil && own.leadsToRetry() {
			return version
		}
	}
	return own
}

// leadsToRetry reports whether the reaction or one of its successors by Then retries.
func (r *Reaction) leadsToRetry() bool {
	for r != nil && !r.Retries() {
		r = r.Then
	}
	return r != nil
}

// reaction returns a copy of r with the changes of r, of its successors and of their policies. If
// nothing changes, it returns r or its replacement.
func (v versions) reaction(r *Reaction) *Reaction {
	if r == nil || v.made[r] != nil {
		return v.made[r]
	}
	version := cmp.Or(v.Reactions[r], r)
	changed := *version
	changed.Policy, changed.Then = v.policy(version.Policy), v.reaction(version.Then)
	if changed != *version {
		version = &changed
	}
	v.made[r], v.used[version.Policy] = version, true
	return version
}

func (v versions) policy(p *Policy) *Policy { return cmp.Or(v.Policies[p], p) }
