package resolve

import (
	"strconv"

	"github.com/errgen/errgen/internal/spec"
)

// registry knows every reaction and policy of the taxonomy, declared or in place, before any of
// them is resolved: a profile resolves them again under its overlays.
type registry struct {
	reactions map[string]*reactionDef // declared and predeclared
	inline    map[*spec.Reaction]*reactionDef
	order     []*reactionDef // declared, predeclared, in place
	policies  map[string]*policyDef
	declared  []*policyDef
}

// reactionDef is a reaction as declared.
type reactionDef struct {
	name     string // "wait"; of one in place, its owner's
	suffix   string // of its variable: Wait
	decl     *spec.Reaction
	declared bool
}

type policyDef struct {
	name     string
	suffix   string
	decl     *spec.Policy
	declared bool
}

// predeclared are the reactions that every taxonomy has.
var predeclared = []struct{ name, doc string }{
	{"abort", "Ends the task as failed."},
	{"block", "Stops and waits for a person."},
	{"continue", "Goes on as if nothing had happened."},
}

func (b *builder) registerReactions() {
	r := &registry{
		reactions: make(map[string]*reactionDef),
		inline:    make(map[*spec.Reaction]*reactionDef),
		policies:  make(map[string]*policyDef),
	}
	b.reactions = r
	r.registerPolicies(b.src.Policies)
	for i := range b.src.Reactions {
		d := &b.src.Reactions[i]
		r.declare(&reactionDef{name: d.Name.V, suffix: suffix(d.Name.V, i+1), decl: d, declared: true})
	}
	for _, p := range predeclared {
		if r.reactions[p.name] != nil {
			continue
		}
		decl := &spec.Reaction{Name: text(p.name), Doc: text(p.doc), Action: text(p.name)}
		r.declare(&reactionDef{name: p.name, suffix: suffix(p.name, 0), decl: decl, declared: true})
	}
	for i := range b.src.Reactions {
		d := &b.src.Reactions[i]
		r.inPlace(d.Then, d.Name.V+".then", suffix(d.Name.V, i+1)+"Then")
	}
	b.registerOwners()
	b.table = newScope(b)
	for _, def := range r.declared {
		b.table.policyOf(def)
	}
	for _, def := range r.order {
		b.table.reaction(def, false)
	}
}

func (r *registry) registerPolicies(decls []spec.Policy) {
	for i := range decls {
		d := &decls[i]
		def := &policyDef{name: d.Name.V, suffix: suffix(d.Name.V, i+1), decl: d, declared: true}
		r.declared = append(r.declared, def)
		putFirst(r.policies, def.name, def)
	}
}

func (r *registry) declare(def *reactionDef) {
	r.order = append(r.order, def)
	putFirst(r.reactions, def.name, def)
}

// registerOwners finds the reactions that stand in place, in the order of the file.
func (b *builder) registerOwners() {
	r := b.reactions
	r.inPlace(b.src.Uncategorized, "uncategorized", "Uncategorized")
	for i, c := range b.pkg.Categories {
		d := &b.src.Categories[i]
		r.inPlace(d.Traits.Reaction, d.Name.V, c.Const[len("Category"):])
		for j, code := range c.Codes {
			r.inPlaceOfCode(&d.Codes[j], code.Go)
		}
	}
}

func (r *registry) inPlaceOfCode(d *spec.Code, suffix string) {
	r.inPlace(d.Traits.Reaction, d.Name.V, suffix)
	for k := range d.When {
		nth := strconv.Itoa(k + 1)
		r.inPlace(d.When[k].Traits.Reaction, d.Name.V+".when"+nth, suffix+"When"+nth)
	}
}

// inPlace registers the reaction that stands at ref, if one does, and those that follow in it.
func (r *registry) inPlace(ref *spec.ReactionRef, name, suffix string) {
	for ref != nil && ref.Inline != nil && r.inline[ref.Inline] == nil {
		def := &reactionDef{name: name, suffix: suffix, decl: ref.Inline}
		r.inline[ref.Inline] = def
		r.order = append(r.order, def)
		ref, name, suffix = ref.Inline.Then, name+".then", suffix+"Then"
	}
}

func text(s string) spec.Text { return spec.Text{V: s, Set: true} }
