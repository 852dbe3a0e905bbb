package resolve

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// registry names the reactions and policies of the table, and those that a profile adds in place.
// The name of one in place is its owner's, a "#" and a number, so that names are unique. The names
// in the result are without that.
type registry struct {
	reactions      []*spec.Reaction // declared, predeclared, in place
	policies       []*spec.Policy
	names          map[any]string    // of reactions and policies, by declaration
	suffixes       map[string]string // of the variables of reactions, by name
	policySuffixes map[string]string
}

// predeclared are the reactions that every taxonomy has.
var predeclared = []struct{ name, doc string }{
	{"abort", "Ends the task as failed."},
	{"block", "Stops and waits for a person."},
	{"continue", "Continues as if nothing had happened."},
}

func newRegistry() *registry {
	return &registry{
		names: make(map[any]string), suffixes: make(map[string]string), policySuffixes: make(map[string]string),
	}
}

// clone returns a copy with the names, and without the lists.
func (r *registry) clone() *registry {
	return &registry{
		names: maps.Clone(r.names), suffixes: maps.Clone(r.suffixes), policySuffixes: maps.Clone(r.policySuffixes),
	}
}

// declare adds declared reactions and policies, and the ones in place in them.
func (r *registry) declare(reactions []spec.Reaction, policies []spec.Policy) {
	for i := range policies {
		r.addPolicy(&policies[i], policies[i].Name.V, suffix(policies[i].Name.V, i+1))
	}
	for i := range reactions {
		r.add(&reactions[i], reactions[i].Name.V, suffix(reactions[i].Name.V, i+1))
	}
}

// follow adds the reactions that are declared in place after declared reactions.
func (r *registry) follow(reactions []spec.Reaction) {
	for i := range reactions {
		d := &reactions[i]
		r.inPlace(d.Then, d.Name.V+".then", suffix(d.Name.V, i+1)+"Then")
	}
}

func (r *registry) add(d *spec.Reaction, name, suffix string) {
	r.reactions = append(r.reactions, d)
	r.names[d] = name
	putFirst(r.suffixes, name, suffix)
	if d.Policy != nil && d.Policy.Inline != nil {
		r.addPolicy(d.Policy.Inline, r.unique(owner(name)), suffix)
	}
}

func (r *registry) addPolicy(d *spec.Policy, name, suffix string) {
	r.policies = append(r.policies, d)
	r.names[d] = name
	putFirst(r.policySuffixes, name, suffix)
}

// inPlace adds the reaction in place at ref, if there is one, and those that follow it in place.
func (r *registry) inPlace(ref *spec.ReactionRef, name, suffix string) {
	for ref != nil && ref.Inline != nil {
		r.add(ref.Inline, r.unique(name), suffix)
		ref, name, suffix = ref.Inline.Then, name+".then", suffix+"Then"
	}
}

func (r *registry) unique(name string) string { return name + "#" + strconv.Itoa(len(r.names)) }

// owner returns the name in the result of a reaction or policy.
func owner(name string) string {
	name, _, _ = strings.Cut(name, "#")
	return name
}

func isInPlace(name string) bool { return strings.Contains(name, "#") }

// name returns the name of a reaction that is referred to; abort without a reference.
func (r *registry) name(ref *spec.ReactionRef) string {
	switch {
	case ref == nil:
		return taxonomy.Abort.String()
	case ref.Inline != nil:
		return r.names[ref.Inline]
	}
	return ref.Name.V
}

func (r *registry) policyName(ref *spec.PolicyRef) string {
	if ref.Inline != nil {
		return r.names[ref.Inline]
	}
	return ref.Name.V
}

// registerReactions names all reactions and policies of the table, and makes them.
func (b *builder) registerReactions() {
	r := newRegistry()
	b.registry = r
	r.declare(b.src.Reactions, b.src.Policies)
	for _, p := range predeclared {
		if !slices.ContainsFunc(b.src.Reactions, func(d spec.Reaction) bool { return d.Name.V == p.name }) {
			r.add(&spec.Reaction{Name: text(p.name), Doc: text(p.doc), Action: text(p.name)}, p.name, suffix(p.name, 0))
		}
	}
	r.follow(b.src.Reactions)
	r.inPlace(b.src.Uncategorized, "uncategorized", "Uncategorized")
	for i, c := range b.pkg.Categories {
		d := &b.src.Categories[i]
		r.inPlace(d.Traits.Reaction, d.Name.V, c.Const[len("Category"):])
		for j, code := range c.Codes {
			own := &d.Codes[j]
			if own.Parent == 0 || d.Codes[own.Parent-1].Traits.Reaction != own.Traits.Reaction {
				r.inPlace(own.Traits.Reaction, own.Name.V, code.Go)
			}
			for k := range own.When {
				nth := strconv.Itoa(k + 1)
				r.inPlace(own.When[k].Traits.Reaction, own.Name.V+".when"+nth, code.Go+"When"+nth)
			}
		}
	}
	b.define()
}

// define makes the reactions of the table: the overrides of reactions that abort. Each is that of a
// code, so that all are in the result.
func (b *builder) define() {
	t := b.pkg.Taxonomy
	o := newOverrides(b.registry)
	o.reactions(b.registry.reactions)
	category := &taxonomy.Category{Codes: make([]taxonomy.Code, 1)}
	work := &taxonomy.Taxonomy{
		Tiers: t.Tiers, Strategies: t.Strategies, Categories: []*taxonomy.Category{category},
		Policies: b.newPolicies(b.registry),
	}
	b.reactions = make(map[string]*taxonomy.Reaction)
	for i, d := range b.registry.reactions {
		name := b.registry.names[d]
		if b.reactions[name] != nil {
			continue
		}
		r := &taxonomy.Reaction{Name: name}
		b.reactions[name], work.Reactions = r, append(work.Reactions, r)
		category.Codes = append(category.Codes, taxonomy.Code{
			Value:  strconv.Itoa(i),
			Traits: taxonomy.Traits{Reaction: r, Retryable: true, Recoverability: taxonomy.Retryable},
		})
	}
	table, _ := taxonomy.Table{Taxonomy: work}.Apply(o.Overrides)
	for _, row := range overlaid(table).Rows {
		if r := row.Traits.Reaction; row.Row.Code() > 0 {
			b.reactions[r.Name] = r
		}
	}
	for _, r := range work.Reactions {
		if !isInPlace(r.Name) {
			t.Reactions = append(t.Reactions, b.reactions[r.Name])
		}
	}
	for _, p := range work.Policies {
		if !isInPlace(p.Name) {
			t.Policies = append(t.Policies, p)
		}
	}
}

// overlaid returns the profile of a table; an empty one without a profile.
func overlaid(t taxonomy.Table) *taxonomy.Profile {
	if t.Overlay == nil {
		return &taxonomy.Profile{}
	}
	return t.Overlay
}

// newPolicies makes policies with the defaults of a profile's section `retry`.
func (b *builder) newPolicies(r *registry) []*taxonomy.Policy {
	var out []*taxonomy.Policy
	for _, d := range r.policies {
		o := newOverrides(r)
		retry := &taxonomy.RetryOverride{PolicyOverride: *o.policy(d)}
		if retry.MaxAttempts == nil {
			retry.MaxAttempts = new(int)
			*retry.MaxAttempts = defaultAttempts
		}
		table, problems := taxonomy.Table{Taxonomy: &taxonomy.Taxonomy{}}.Apply(taxonomy.Overrides{Retry: retry})
		for _, problem := range problems {
			path := "policies." + r.names[d] + strings.TrimPrefix(problem.Path, "retry")
			b.pkg.Problems = append(b.pkg.Problems, model.Problem{Problem: problem, Span: o.place(path, d.Span)})
		}
		p := table.Overlay.Retry.Policy
		p.Name = r.names[d]
		out = append(out, p)
	}
	return out
}

const defaultAttempts = 3

// reaction returns the table's reaction; abort if the name is not declared.
func (b *builder) reaction(ref *spec.ReactionRef) *taxonomy.Reaction {
	if r := b.reactions[b.registry.name(ref)]; r != nil {
		return r
	}
	return b.reactions[taxonomy.Abort.String()]
}

// collect lists the reactions and policies that the package needs, and names their variables.
func (b *builder) collect() {
	c := collector{pkg: b.pkg, idents: b.idents, seen: make(map[any]bool)}
	b.pkg.Declared = make(map[any]bool)
	c.registry = b.registry
	docs := make(map[string]string)
	for _, d := range b.registry.policies {
		docs["policy "+b.registry.names[d]] = d.Doc.V
	}
	for _, d := range b.registry.reactions {
		docs[b.registry.names[d]] = d.Doc.V
	}
	c.docs = docs
	for _, p := range b.pkg.Taxonomy.Policies {
		c.policy(p)
	}
	for _, d := range b.registry.reactions {
		c.reaction(b.reactions[b.registry.names[d]])
	}
	for i, p := range b.pkg.Profiles {
		c.profile, c.registry, c.docs = p.Name, b.registries[i], maps.Clone(docs)
		for _, d := range c.registry.reactions {
			if d.Doc.Set {
				c.docs[c.registry.names[d]] = d.Doc.V
			}
		}
		c.policy(p.Retry.Policy)
		for _, row := range p.Rows {
			c.reaction(row.Traits.Reaction)
		}
		c.reaction(p.Uncategorized)
	}
	for _, r := range b.pkg.Reactions {
		r.Value.Name = owner(r.Value.Name)
	}
	for _, p := range b.pkg.Policies {
		p.Value.Name = owner(p.Value.Name)
	}
}

type collector struct {
	pkg      *model.Package
	idents   idents
	registry *registry
	profile  string
	docs     map[string]string
	seen     map[any]bool
}

// reaction lists r behind everything that may follow it.
func (c *collector) reaction(r *taxonomy.Reaction) {
	if r == nil || c.seen[r] {
		return
	}
	c.seen[r] = true
	c.reaction(r.Then)
	c.policy(r.Policy)
	c.pkg.Declared[r] = !isInPlace(r.Name)
	c.pkg.Reactions = append(c.pkg.Reactions, model.Variable[taxonomy.Reaction]{
		Value: r, Doc: c.docs[r.Name], Profile: c.profile, Var: c.variable("reaction", c.registry.suffixes[r.Name]),
	})
}

func (c *collector) policy(p *taxonomy.Policy) {
	if p == nil || c.seen[p] {
		return
	}
	c.seen[p] = true
	suffix, known := c.registry.policySuffixes[p.Name]
	if !known {
		suffix = "Retry" // a profile's own numbers
	}
	c.pkg.Declared[p] = known && !isInPlace(p.Name)
	c.pkg.Policies = append(c.pkg.Policies, model.Variable[taxonomy.Policy]{
		Value: p, Doc: c.docs["policy "+p.Name], Profile: c.profile, Var: c.variable("policy", suffix),
	})
}

func (c *collector) variable(kind, suffix string) string {
	if c.profile == "" {
		return c.idents.take(kind + suffix)
	}
	return c.idents.take(prefix(c.profile) + strings.ToUpper(kind[:1]) + kind[1:] + suffix)
}

func text(s string) spec.Text { return spec.Text{V: s, Set: true} }
