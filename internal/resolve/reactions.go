package resolve

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// origin describes the source of a reaction or a policy.
type origin struct {
	key      any           // its name, or its declaration if it is in place
	at       diag.Span     // of the declaration, or of the profile's change
	end      string        // of the name of its variable
	doc      string        // for the comment of its variable
	reaction spec.Reaction // with the changes of the profile
	policy   spec.Policy
}

// makeTable makes the reactions and policies of the table.
func (b *builder) makeTable() {
	t := b.pkg.Taxonomy
	for i := range b.src.Policies {
		putFirst(&b.policies, b.src.Policies[i].Name.V, &b.src.Policies[i])
	}
	for _, d := range b.src.Policies {
		if p := b.policyNamed(d.Name.V); !slices.Contains(t.Policies, p) {
			t.Policies = append(t.Policies, p)
		}
	}
	declared := slices.Concat(b.src.Reactions, spec.Predeclared)
	for i := range declared {
		putFirst(&b.reactions, declared[i].Name.V, &declared[i])
	}
	for _, d := range declared {
		if r := b.named(d.Name.V); !slices.Contains(t.Reactions, r) {
			t.Reactions = append(t.Reactions, r)
		}
	}
	t.Uncategorized = b.reaction(b.src.Uncategorized, "uncategorized", "Uncategorized")
}

// reaction returns a reaction that the taxonomy refers to. If it is in place, name is its name, and
// end is the end of the name of its variable. If ref is nil or names no declared reaction, it
// returns abort.
func (b *builder) reaction(ref *spec.ReactionRef, name, end string) *taxonomy.Reaction {
	switch {
	case ref == nil:
		return b.named(taxonomy.Abort.String())
	case ref.Inline != nil:
		return b.build(ref.Inline, ref.Inline, name, end)
	}
	return b.named(ref.Name.V)
}

// named returns a declared or predeclared reaction. For any other name it returns abort.
func (b *builder) named(name string) *taxonomy.Reaction {
	if b.reactions[name] == nil {
		name = taxonomy.Abort.String()
	}
	return b.build(name, b.reactions[name], name, suffix(name, 0))
}

// build returns the reaction of a key with a declaration. A circle of `then` ends with abort.
func (b *builder) build(key any, d *spec.Reaction, name, end string) *taxonomy.Reaction {
	r, known := b.reactionFor[key]
	switch {
	case !known:
		b.reactionFor[key] = nil
		r = b.make(d, name, origin{key: key, end: end, reaction: *d})
		b.reactionFor[key] = r
	case r == nil:
		return taxonomy.Predeclared(taxonomy.Abort)
	}
	return r
}

// make makes a reaction of a given origin. d has the keys that are written here.
func (b *builder) make(d *spec.Reaction, name string, from origin) *taxonomy.Reaction {
	full := from.reaction
	from.doc, from.at = full.Doc.V, cmp.Or(d.Action.Span, d.Name.Span, d.Span)
	Untaken(&full, full.Action, full.Purpose.Set, func(_ string, v reflect.Value) { v.SetZero() })
	r := b.read(&full, name)
	r.Policy = b.policyOf(full.Policy, name, from.end)
	switch {
	case full.Then != nil:
		r.Then = b.reaction(full.Then, name+".then", from.end+"Then")
	case r.Action == taxonomy.Recover:
		r.Then = b.named(taxonomy.Abort.String())
	case r.Retries() || r.Action == taxonomy.Escalate:
		r.Then = b.named(taxonomy.Block.String())
	}
	b.pkg.MadeReactions = append(b.pkg.MadeReactions, model.Made[taxonomy.Reaction, spec.Reaction]{
		Value: r, Written: d, Complete: &full, At: from.at,
	})
	b.origins[r] = from
	return r
}

// read returns the values of a reaction whose action takes all its keys.
func (b *builder) read(d *spec.Reaction, name string) *taxonomy.Reaction {
	r := &taxonomy.Reaction{}
	setKeys(r, d)
	r.Name = name
	r.CountFailure = d.CountFailure.Or(r.Action == taxonomy.Retry || r.Action == taxonomy.Recover)
	if d.Log != nil {
		r.LogLevel, r.LogMessage = word[taxonomy.LogLevel](d.Log.Level), d.Log.Message.V
	}
	if tiers := b.pkg.Taxonomy.Tiers; r.Action == taxonomy.Escalate && len(tiers) > 0 {
		r.Agent.To = cmp.Or(r.Agent.To, tiers[0].Name)
	}
	return r
}

// changedReaction returns a reaction with the changes of a profile. If the action becomes or stops
// being a retry, the reaction loses its tier and purpose.
func changedReaction(declared spec.Reaction, changes *spec.Reaction) spec.Reaction {
	if changes.Action.Set && retries(changes.Action) != retries(declared.Action) {
		declared.To, declared.Purpose = spec.Text{}, spec.Text{}
	}
	return spec.Overlaid(declared, changes)
}

func retries(action spec.Text) bool {
	return (&taxonomy.Reaction{Action: word[taxonomy.Action](action)}).Retries()
}

// Untaken visits the keys of d that an action does not take. A retry takes `to` if it asks a tier,
// that is, if it has a purpose.
func Untaken(d *spec.Reaction, action spec.Text, asks bool, visit func(key string, v reflect.Value)) {
	v := reflect.ValueOf(d).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		actions, limited := f.Tag.Lookup("actions")
		if !limited || slices.Contains(strings.Fields(actions), action.V) || v.Field(i).IsZero() ||
			f.Name == "To" && asks && retries(action) {
			continue
		}
		visit(f.Tag.Get("key"), v.Field(i))
	}
}

// collect lists the reactions and policies that the package needs, and names their variables.
func (b *builder) collect() {
	b.pkg.Declared = make(map[any]bool)
	for _, p := range b.pkg.Taxonomy.Policies {
		b.listPolicy(p, "")
	}
	for _, r := range b.pkg.Taxonomy.Reactions {
		b.list(r, "")
	}
	b.list(b.pkg.Taxonomy.Uncategorized, "")
	for _, c := range b.pkg.Codes {
		b.list(c.Row.Reaction, "")
		for _, branch := range c.Branches {
			b.list(branch.Row.Reaction, "")
		}
	}
	for _, p := range b.pkg.Profiles {
		b.listPolicy(p.Retry.Policy, p.Name)
		for _, row := range p.Rows {
			b.list(row.Traits.Reaction, p.Name)
		}
		b.list(p.Uncategorized, p.Name)
		for _, policy := range p.Policies {
			b.listPolicy(policy, p.Name)
		}
		for _, r := range p.Reactions {
			b.list(r, p.Name)
		}
	}
}

// list lists r after the reactions and policies that it refers to.
func (b *builder) list(r *taxonomy.Reaction, profile string) {
	if _, listed := b.pkg.Declared[r]; r == nil || listed {
		return
	}
	from := b.origins[r]
	_, b.pkg.Declared[r] = from.key.(string)
	b.list(r.Then, profile)
	b.listPolicy(r.Policy, profile)
	b.pkg.Reactions = append(b.pkg.Reactions, model.Variable[taxonomy.Reaction]{
		Value: r, Doc: from.doc, Profile: profile, Var: b.variable("reaction", profile, from.end),
	})
}

func (b *builder) listPolicy(p *taxonomy.Policy, profile string) {
	if _, listed := b.pkg.Declared[p]; p == nil || listed {
		return
	}
	from := b.origins[p]
	_, b.pkg.Declared[p] = from.key.(string)
	b.pkg.Policies = append(b.pkg.Policies, model.Variable[taxonomy.Policy]{
		Value: p, Doc: from.doc, Profile: profile, Var: b.variable("policy", profile, from.end),
	})
}

func (b *builder) variable(kind, profile, end string) string {
	if profile == "" {
		return b.idents.take(kind + end)
	}
	return b.idents.take(prefix(profile) + strings.ToUpper(kind[:1]) + kind[1:] + end)
}
