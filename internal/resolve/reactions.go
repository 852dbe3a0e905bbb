package resolve

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// registry names the reactions and policies of the table, and the inline ones of a profile. The
// name of an inline reaction or policy is its owner's name, a "#" and a number, so that names are
// unique. The names in the result end before the "#".
type registry struct {
	reactions []declaration // declared, predeclared, inline
	policies  []declaration
	inline    map[spec.Raw]string // the names of inline reactions and policies
	variables map[string]variable // by kind and name
}

// declaration is a reaction or a policy.
type declaration struct {
	name   string
	raw    spec.Raw
	action string // of a predeclared reaction, which has no Raw
	at     diag.Span
}

// variable is the end of the name of a variable, and its doc.
type variable struct{ suffix, doc string }

// clone returns a registry with the same names and without reactions and policies.
func (r *registry) clone() *registry {
	return &registry{inline: maps.Clone(r.inline), variables: maps.Clone(r.variables)}
}

// declare adds declared reactions and policies, and the inline policies of the reactions.
func (r *registry) declare(reactions []spec.Reaction, policies []spec.Policy) {
	for i := range policies {
		r.policy(&policies[i], policies[i].Name.V, suffix(policies[i].Name.V, i+1))
	}
	for i := range reactions {
		r.reaction(&reactions[i], reactions[i].Name.V, suffix(reactions[i].Name.V, i+1))
	}
}

// follow adds the inline reactions that follow declared reactions.
func (r *registry) follow(reactions []spec.Reaction) {
	for i := range reactions {
		d := &reactions[i]
		r.addInline(d.Then, d.Name.V+".then", suffix(d.Name.V, i+1)+"Then")
	}
}

func (r *registry) reaction(d *spec.Reaction, name, suffix string) {
	r.reactions = append(r.reactions, declaration{name, d.Raw, d.Action.V, cmp.Or(d.Action.Span, d.Name.Span, d.Span)})
	r.note("reaction "+name, suffix, d.Doc)
	if d.Policy != nil && d.Policy.Inline != nil {
		r.policy(d.Policy.Inline, r.unique(owner(name), d.Policy.Inline.Raw), suffix)
	}
}

func (r *registry) policy(d *spec.Policy, name, suffix string) {
	r.policies = append(r.policies, declaration{name: name, raw: d.Raw, at: cmp.Or(d.Name.Span, d.Span)})
	r.note("policy "+name, suffix, d.Doc)
}

func (r *registry) note(key, suffix string, doc spec.Text) {
	v, ok := r.variables[key]
	if !ok {
		v.suffix = suffix
	}
	v.doc = doc.Or(v.doc)
	r.variables[key] = v
}

// addInline adds the inline reaction of ref, if it has one, and the inline reactions that follow
// it.
func (r *registry) addInline(ref *spec.ReactionRef, name, suffix string) {
	for ref != nil && ref.Inline != nil {
		r.reaction(ref.Inline, r.unique(name, ref.Inline.Raw), suffix)
		ref, name, suffix = ref.Inline.Then, name+".then", suffix+"Then"
	}
}

func (r *registry) unique(name string, raw spec.Raw) string {
	name += "#" + strconv.Itoa(len(r.inline))
	r.inline[raw] = name
	return name
}

// owner returns the name of a reaction or policy in the result.
func owner(name string) string {
	name, _, _ = strings.Cut(name, "#")
	return name
}

func isInline(name string) bool { return strings.Contains(name, "#") }

// registerReactions names all reactions and policies of the table, and makes them.
func (b *builder) registerReactions() {
	r := &registry{inline: make(map[spec.Raw]string), variables: make(map[string]variable)}
	b.registry = r
	r.declare(b.src.Reactions, b.src.Policies)
	for _, p := range spec.Predeclared {
		if !slices.ContainsFunc(b.src.Reactions, func(d spec.Reaction) bool { return d.Name.V == p.Name.V }) {
			r.reaction(&p, p.Name.V, suffix(p.Name.V, 0))
		}
	}
	r.follow(b.src.Reactions)
	r.addInline(b.src.Uncategorized, "uncategorized", "Uncategorized")
	for i, c := range b.pkg.Categories {
		d := &b.src.Categories[i]
		r.addInline(d.Traits.Reaction, d.Name.V, c.Const[len("Category"):])
		for j, code := range c.Codes {
			own := &d.Codes[j]
			if own.Parent == 0 || d.Codes[own.Parent-1].Traits.Reaction != own.Traits.Reaction {
				r.addInline(own.Traits.Reaction, own.Name.V, code.Go)
			}
			for k := range own.When {
				nth := strconv.Itoa(k + 1)
				r.addInline(own.When[k].Traits.Reaction, own.Name.V+".when"+nth, code.Go+"When"+nth)
			}
		}
	}
	b.define()
}

// define makes the reactions and policies of the table. The reactions are overrides of reactions
// that abort. Each belongs to a code, because the result contains only the reactions of codes.
func (b *builder) define() {
	t := b.pkg.Taxonomy
	o := newOverrides(b.registry)
	o.reactions()
	category := &taxonomy.Category{Codes: make([]taxonomy.Code, 1)}
	work := &taxonomy.Taxonomy{
		Tiers: t.Tiers, Strategies: t.Strategies, Categories: []*taxonomy.Category{category},
		Policies: b.newPolicies(b.registry),
	}
	b.reactions = make(map[string]*taxonomy.Reaction)
	for i, d := range b.registry.reactions {
		if b.reactions[d.name] != nil {
			continue
		}
		r := &taxonomy.Reaction{Name: d.name}
		b.reactions[d.name], work.Reactions = r, append(work.Reactions, r)
		category.Codes = append(category.Codes, taxonomy.Code{
			Value:  strconv.Itoa(i),
			Traits: taxonomy.Traits{Reaction: r, Retryable: true, Recoverability: taxonomy.Retryable},
		})
	}
	table, problems := taxonomy.Table{Taxonomy: work}.Apply(o.Overrides)
	for _, problem := range problems {
		if problem.Mistake {
			at := o.place(problem.Path, b.src.Version.Span)
			b.pkg.Problems = append(b.pkg.Problems, model.Problem{Problem: problem, Span: at})
		}
	}
	for _, row := range table.Overlay.Rows {
		if r := row.Traits.Reaction; row.Row.Code() > 0 {
			b.reactions[r.Name] = r
		}
	}
	for _, r := range work.Reactions {
		if !isInline(r.Name) {
			t.Reactions = append(t.Reactions, b.reactions[r.Name])
		}
	}
	for _, p := range work.Policies {
		if !isInline(p.Name) {
			t.Policies = append(t.Policies, p)
		}
	}
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
		if r != b.registry && !isInline(d.name) {
			problems = nil // an overlay of a profile is not complete
		}
		for _, problem := range problems {
			problem.Path = "policies." + d.name + strings.TrimPrefix(problem.Path, "retry")
			b.pkg.Problems = append(b.pkg.Problems, model.Problem{Problem: problem, Span: o.place(problem.Path, d.at)})
		}
		p := table.Overlay.Retry.Policy
		p.Name = d.name
		out = append(out, p)
	}
	return out
}

const defaultAttempts = 3

// reaction returns the table's reaction. If ref is nil or its name is not declared, that is abort.
func (b *builder) reaction(ref *spec.ReactionRef) *taxonomy.Reaction {
	name := taxonomy.Abort.String()
	if ref != nil && ref.Inline != nil {
		name = b.registry.inline[ref.Inline.Raw]
	} else if ref != nil {
		name = ref.Name.V
	}
	return cmp.Or(b.reactions[name], b.reactions[taxonomy.Abort.String()])
}

// collect lists the reactions and policies that the package needs, and names their variables.
func (b *builder) collect() {
	b.pkg.Declared = make(map[any]bool)
	c := collector{pkg: b.pkg, idents: b.idents, seen: make(map[any]bool), registry: b.registry}
	for _, p := range b.pkg.Taxonomy.Policies {
		c.policy(p)
	}
	for _, d := range b.registry.reactions {
		c.reaction(b.reactions[d.name])
	}
	for i, p := range b.pkg.Profiles {
		c.profile, c.registry = p.Name, b.registries[i]
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
	seen     map[any]bool
}

// reaction lists r after the reactions and policies that it refers to.
func (c *collector) reaction(r *taxonomy.Reaction) {
	if r == nil || c.seen[r] {
		return
	}
	c.seen[r] = true
	c.reaction(r.Then)
	c.policy(r.Policy)
	v := c.registry.variables["reaction "+r.Name]
	c.pkg.Declared[r] = !isInline(r.Name)
	c.pkg.Reactions = append(c.pkg.Reactions, model.Variable[taxonomy.Reaction]{
		Value: r, Doc: v.doc, Profile: c.profile, Var: c.variable("reaction", v.suffix),
	})
}

func (c *collector) policy(p *taxonomy.Policy) {
	if p == nil || c.seen[p] {
		return
	}
	c.seen[p] = true
	v, named := c.registry.variables["policy "+p.Name]
	if !named {
		v.suffix = "Retry" // the policy of a profile's `retry`
	}
	c.pkg.Declared[p] = named && !isInline(p.Name)
	c.pkg.Policies = append(c.pkg.Policies, model.Variable[taxonomy.Policy]{
		Value: p, Doc: v.doc, Profile: c.profile, Var: c.variable("policy", v.suffix),
	})
}

func (c *collector) variable(kind, suffix string) string {
	if c.profile == "" {
		return c.idents.take(kind + suffix)
	}
	return c.idents.take(prefix(c.profile) + strings.ToUpper(kind[:1]) + kind[1:] + suffix)
}
