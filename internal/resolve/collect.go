package resolve

import "github.com/errgen/errgen/internal/model"

// collect lists the reactions and policies that the package needs, and names their variables.
func (b *builder) collect() {
	c := collector{b: b, reactions: make(map[*model.Reaction]bool), policies: make(map[*model.Policy]bool)}
	for _, def := range b.reactions.declared {
		c.policy(b.table.policyMemo[def.decl])
	}
	for _, def := range b.reactions.order {
		c.reaction(b.table.memo[reactionKey{decl: def.decl}])
	}
	for _, p := range b.pkg.Profiles {
		c.policy(p.RetryPolicy)
		for _, row := range p.Rows {
			c.reaction(row.Traits.Reaction)
		}
		c.reaction(p.Uncategorized)
	}
}

type collector struct {
	b         *builder
	reactions map[*model.Reaction]bool
	policies  map[*model.Policy]bool
}

// reaction lists r behind everything that may follow it.
func (c *collector) reaction(r *model.Reaction) {
	if r == nil || c.reactions[r] {
		return
	}
	c.reactions[r] = true
	c.reaction(r.Then)
	c.policy(r.Policy)
	r.Var = c.variable(r.Profile, "reaction", "Reaction", c.b.reactionSuffix[r])
	c.b.pkg.Reactions = append(c.b.pkg.Reactions, r)
}

func (c *collector) policy(p *model.Policy) {
	if p == nil || c.policies[p] {
		return
	}
	c.policies[p] = true
	p.Var = c.variable(p.Profile, "policy", "Policy", c.b.policySuffix[p])
	c.b.pkg.Policies = append(c.b.pkg.Policies, p)
}

func (c *collector) variable(profile, table, overlaid, suffix string) string {
	if profile == "" {
		return c.b.idents.take(table + suffix)
	}
	return c.b.idents.take(prefix(profile) + overlaid + suffix)
}
