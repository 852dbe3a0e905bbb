// Package suggest proposes detect rules for evidence that no rule of a taxonomy matched. It reads
// records, groups similar entries, and writes codes with rules and examples as YAML to paste. It
// never changes a taxonomy.
package suggest

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Options are the limits of proposals.
type Options struct {
	// Least is the minimum size of a group; below 1 it is 1.
	Least int
	// Sources and Ops are declared by the taxonomy; Names are taken in it.
	Sources, Ops, Names []string
}

// Result is the list of proposals.
type Result struct {
	// Entries counts the entries that no rule matched. Matched counts those that a rule of the
	// taxonomy matches now.
	Entries   int         `json:"entries"`
	Matched   int         `json:"matched"`
	Proposals []*Proposal `json:"proposals"`
	// UndeclaredSources and UndeclaredOps are the names that a taxonomy with the proposals must
	// declare, sorted.
	UndeclaredSources []string `json:"undeclared_sources,omitempty"`
	UndeclaredOps     []string `json:"undeclared_ops,omitempty"`
	// Left are groups without a proposal, the largest first, and then the entries in no group.
	Left []Left `json:"left,omitempty"`
}

// Left is a group without a proposal.
type Left struct {
	Count int      `json:"count"`
	Facts []string `json:"facts,omitempty"`
	Text  string   `json:"text,omitempty"` // normalised
	Why   string   `json:"why"`
}

// Proposal is a code with one rule.
type Proposal struct {
	Name  string `json:"name"`  // of the code
	Count int    `json:"count"` // of entries
	// First and Last are the times of the first and the last entry; zero if unknown.
	First    time.Time `json:"first,omitzero"`
	Last     time.Time `json:"last,omitzero"`
	Source   string    `json:"source,omitempty"`
	Facts    []string  `json:"facts,omitempty"`    // that the rule tests: "status 529"
	Contains string    `json:"contains,omitempty"` // the text that the rule searches for
	Like     string    `json:"like,omitempty"`     // the signature that the rule names
	// Texts are the normalised texts, the most frequent first. They may be incomplete.
	Texts []string `json:"texts,omitempty"`
	// Rule and Examples are YAML: flow mappings for `detect` and `examples`.
	Rule     string   `json:"rule"`
	Examples []string `json:"examples"`

	names []facts // of the rule and the examples
}

const (
	maxExamples = 3
	// maxExample is the maximum length of the text of an example in bytes.
	maxExample = 300
)

// Propose returns a code with one rule for each group. A rule with more conditions comes first,
// then the larger group. The proposals together are a taxonomy without errors, in which each rule
// wins its examples. Rules of an existing taxonomy are not considered.
func (g *Groups) Propose(o Options) *Result {
	r := &Result{Entries: g.entries}
	names := make(names)
	for _, name := range o.Names {
		names[folded(name)] = true
	}
	withCode := make(map[facts]int) // groups by their facts without the status
	for _, group := range g.groups {
		withCode[group.withoutStatus()]++
	}
	few := 0
	for _, group := range slices.SortedStableFunc(slices.Values(g.groups), func(a, b *group) int {
		return cmp.Compare(b.count, a.count)
	}) {
		if group.count < o.Least {
			few += group.count
			continue
		}
		if group.code != "" && withCode[group.withoutStatus()] == 1 {
			group.status = 0 // the code is enough
		}
		if p := propose(group, names); p != nil {
			r.Proposals = append(r.Proposals, p)
		} else {
			r.Left = append(r.Left, Left{Count: group.count, Facts: group.words(), Text: group.text,
				Why: "there is nothing that a rule could test"})
		}
	}
	slices.SortStableFunc(r.Proposals, func(a, b *Proposal) int {
		return cmp.Or(cmp.Compare(len(b.Facts), len(a.Facts)), cmp.Compare(len(b.Contains), len(a.Contains)))
	})
	r.prove()
	if few > 0 {
		r.Left = append(r.Left, Left{Count: few, Why: "in smaller groups"})
	}
	if g.excess > 0 {
		r.Left = append(r.Left, Left{Count: g.excess, Why: "too many groups"})
	}
	r.UndeclaredSources = undeclared(r.Proposals, o.Sources, func(f facts) string { return f.source })
	r.UndeclaredOps = undeclared(r.Proposals, append(slices.Clone(o.Ops), check.Operations()...),
		func(f facts) string { return f.op })
	return r
}

// propose returns the proposal for a group, or nil if a rule would have nothing to test.
func propose(g *group, names names) *Proposal {
	f, literal := g.facts, ""
	pairs := f.pairs()
	switch {
	case f.specific() || f.like != "":
	case len(g.literals) > 0:
		literal = g.literals[0]
		pairs = append(pairs, spec.Pair{Key: "contains", Value: literal})
	case f.exit == "" && f.op == "":
		return nil
	default: // yields to all other rules
		pairs = append(pairs, spec.Pair{Key: "priority", Value: -10})
	}
	p := &Proposal{
		Count: g.count, First: g.first, Last: g.last, Source: f.source, Facts: f.words(), Contains: literal,
		Like: f.like, Name: names.take(f, literal), Rule: flow(pairs), names: []facts{f},
	}
	for i := range g.examples {
		if g.texts[i] != "" {
			p.Texts = append(p.Texts, g.texts[i])
		}
		p.Examples = append(p.Examples, example(&g.examples[i], literal))
		p.names = append(p.names, factsOf(&g.examples[i]))
	}
	return p
}

// example writes evidence as an example.
func example(ev *taxonomy.Evidence, literal string) string {
	pairs := factsOf(ev).pairs()
	if text := excerpt(ev.Text, literal); text != "" {
		pairs = append(pairs, spec.Pair{Key: "text", Value: text})
	}
	return flow(pairs)
}

// excerpt returns the part of a text that contains literal.
func excerpt(text, literal string) string {
	text = strings.TrimSpace(strings.Map(graphic, text))
	if len(text) <= maxExample {
		return text
	}
	from := 0
	if at := strings.Index(text, literal); at > maxExample-len(literal) {
		from = at
	}
	return strings.ToValidUTF8(text[from:min(len(text), from+maxExample)], "")
}

// undeclared returns the names in proposals that are not declared.
func undeclared(all []*Proposal, declared []string, of func(facts) string) []string {
	names := make(map[string]bool)
	for _, p := range all {
		for _, f := range p.names {
			names[of(f)] = true
		}
	}
	delete(names, "")
	for _, name := range declared {
		delete(names, name)
	}
	return slices.Sorted(maps.Keys(names))
}

// prove moves proposals with errors to Left. An error can be an example that the rule of another
// proposal wins.
func (r *Result) prove() {
	for len(r.Proposals) > 0 {
		faulty := faults(r.Proposals)
		if len(faulty) == 0 {
			return
		}
		r.Proposals = slices.DeleteFunc(r.Proposals, func(p *Proposal) bool {
			f, isFaulty := faulty[p]
			if isFaulty {
				text := ""
				if len(p.Texts) > 0 {
					text = p.Texts[0]
				}
				r.Left = append(
					r.Left, Left{Count: p.Count, Facts: p.Facts, Text: text, Why: f.Message + " [" + f.ID + "]"})
			}
			return isFaulty
		})
	}
}

// faults loads proposals as a taxonomy, and returns the first error of each that has one. An error
// outside of them counts as one of the last proposal, so that prove ends.
func faults(all []*Proposal) map[*Proposal]diag.Finding {
	src := "errgen: 1\npackage: proposals\n" + declarations(
		undeclared(all, nil, func(f facts) string { return f.source }),
		undeclared(all, check.Operations(), func(f facts) string { return f.op })) +
		"categories:\n  unrecognised:\n    codes:\n"
	var lines []int // on which the proposals begin
	for _, p := range all {
		lines = append(lines, strings.Count(src, "\n")+1)
		src += indented(indent, p.code())
	}
	_, findings := check.Load("proposals", []byte(src))
	faulty := make(map[*Proposal]diag.Finding)
	for _, f := range findings {
		if f.Severity != diag.Error {
			continue
		}
		i, exact := slices.BinarySearch(lines, f.Span.Line)
		if !exact {
			i--
		}
		if i < 0 {
			i = len(all) - 1
		}
		if _, known := faulty[all[i]]; !known {
			faulty[all[i]] = f
		}
	}
	return faulty
}
