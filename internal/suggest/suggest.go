package suggest

import (
	"maps"
	"slices"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
)

// Options say what proposals are for.
type Options struct {
	// Least is how many entries a group needs to be proposed; below 1 it is 1.
	Least int
	// Sources and Ops are declared by the taxonomy; Names are taken by it. All are empty if there
	// is none.
	Sources, Ops, Names []string
}

// Result is what is proposed.
type Result struct {
	// Entries are all that there were, but for Matched, those that the rules of a taxonomy match by
	// now.
	Entries   int         `json:"entries"`
	Matched   int         `json:"matched"`
	Proposals []*Proposal `json:"proposals"`
	// UndeclaredSources and UndeclaredOps are what a taxonomy with the proposals would have to
	// declare, sorted.
	UndeclaredSources []string `json:"undeclared_sources,omitempty"`
	UndeclaredOps     []string `json:"undeclared_ops,omitempty"`
	// Left are groups without a proposal, the largest first, and then the entries that are in no
	// group.
	Left []Left `json:"left,omitempty"`
}

// Left is a group without a proposal.
type Left struct {
	Count int      `json:"count"`
	Facts []string `json:"facts,omitempty"`
	Text  string   `json:"text,omitempty"` // normalised
	Why   string   `json:"why"`
}

// Propose returns a code with one rule for each group, the most frequent first but for those that
// must come before others. Each rule wins its examples, and all of them together are free of
// errors; rules of a taxonomy that exists already are not looked at.
func (g *Groups) Propose(o Options) *Result {
	r := &Result{Entries: g.entries}
	names := newNames(o.Names)
	groups, entries := g.sorted(max(o.Least, 1))
	for _, group := range groups {
		p, ok := propose(group, names)
		if !ok {
			r.leave(group, "there is nothing that a rule could ask for")
			continue
		}
		var like *Proposal
		if r.Proposals, like = place(r.Proposals, p); like != nil {
			r.leave(group, "not told apart from "+like.Name)
		}
	}
	if few := g.entries - entries - g.beyond; few > 0 {
		r.Left = append(r.Left, Left{Count: few, Why: "in smaller groups"})
	}
	if g.beyond > 0 {
		r.Left = append(r.Left, Left{Count: g.beyond, Why: "too many groups"})
	}
	r.prove()
	r.UndeclaredSources = r.undeclared(o.Sources, func(f facts) string { return f.source })
	r.UndeclaredOps = r.undeclared(append(slices.Clone(o.Ops), check.Operations()...),
		func(f facts) string { return f.op })
	return r
}

func (r *Result) leave(g *group, why string) {
	r.Left = append(r.Left, Left{Count: g.count, Facts: g.key.words(), Text: g.key.normal, Why: why})
}

// undeclared returns the names in the proposals that are not among the declared ones.
func (r *Result) undeclared(declared []string, of func(facts) string) []string {
	names := make(map[string]bool)
	for _, p := range r.Proposals {
		names[of(p.facts)] = true
		for i := range p.evidence {
			names[of(factsOf(&p.evidence[i]))] = true
		}
	}
	delete(names, "")
	for _, name := range declared {
		delete(names, name)
	}
	return slices.Sorted(maps.Keys(names))
}

// prove leaves out proposals that errgen itself would find fault with.
func (r *Result) prove() {
	for {
		faulty := faults(r.Proposals)
		if len(faulty) == 0 {
			return
		}
		r.Proposals = slices.DeleteFunc(r.Proposals, func(p *Proposal) bool {
			f, is := faulty[p]
			if is {
				r.Left = append(r.Left, Left{Count: p.Count, Facts: p.Facts, Text: first(p.Texts), Why: why(f)})
			}
			return is
		})
	}
}

func why(f diag.Finding) string { return f.Message + " [" + f.ID + "]" }

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
