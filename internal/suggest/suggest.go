// Package suggest proposes detect rules for evidence that no rule of a taxonomy matched. It reads
// records, groups similar entries, and writes codes with rules and examples as YAML to paste. It
// never changes a taxonomy.
package suggest

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/signature"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/signatures"
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
	// Entries are all entries, except Matched, the ones that a rule of the taxonomy matches now.
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
	names := newNames(o.Names)
	few := 0
	for _, group := range slices.SortedStableFunc(slices.Values(g.groups), func(a, b *group) int {
		return cmp.Compare(b.count, a.count)
	}) {
		if group.count < o.Least {
			few += group.count
			continue
		}
		if p := propose(group, names); p != nil {
			r.add(p)
		} else {
			r.Left = append(r.Left, Left{Count: group.count, Facts: group.key.words(), Text: group.key.normal,
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

// add adds a proposal, or its examples to the one with the same rule on a signature.
func (r *Result) add(p *Proposal) {
	for _, other := range r.Proposals {
		if p.Like != "" && p.Rule == other.Rule {
			other.Count += p.Count
			other.Texts = append(other.Texts, p.Texts...)
			if free := maxExamples - len(other.Examples); free > 0 {
				other.Examples = append(other.Examples, p.Examples[:min(free, len(p.Examples))]...)
			}
			if p.First.Before(other.First) {
				other.First = p.First
			}
			if p.Last.After(other.Last) {
				other.Last = p.Last
			}
			return
		}
	}
	r.Proposals = append(r.Proposals, p)
}

// signatureOf returns the signature that the texts of a group match, or "".
func signatureOf(g *group) string {
	m := library()
	name := ""
	for _, v := range g.sorted() {
		found := m.Match(&taxonomy.Evidence{Text: v.example.Text})
		if found == nil || name != "" && found.Name != name {
			return ""
		}
		name = found.Name
	}
	return name
}

// library returns the matcher of errgen's signatures.
var library = sync.OnceValue(func() *signature.Matcher {
	list, err := signatures.Library()
	if err != nil {
		panic(err) // of files that are part of errgen; their tests load them
	}
	m, err := signature.NewMatcher(list)
	if err != nil {
		panic(err)
	}
	return m
})

// propose returns the proposal for a group, or nil if a rule would have nothing to test.
func propose(g *group, names names) *Proposal {
	f := g.key.facts
	literal, like := "", ""
	if !f.specific() {
		like = signatureOf(g)
	}
	if !f.specific() && like == "" && len(g.literals) > 0 {
		literal = g.literals[0]
	}
	pairs := f.pairs()
	switch {
	case like != "":
		f.exit = "" // the signature has its own
		pairs = append(f.pairs(), pair{key: "like", value: like})
	case literal != "":
		pairs = append(pairs, pair{key: "contains", value: literal})
	case !f.specific() && f.exit == "" && f.op == "":
		return nil
	case !f.specific(): // yields to all other rules
		pairs = append(pairs, pair{"priority", "-10", true})
	}
	p := &Proposal{
		Count: g.count, First: g.first, Last: g.last, Source: f.source, Facts: f.words(), Contains: literal, Like: like,
		Name: names.take(f, cmp.Or(like, literal)), Rule: flow(pairs), names: []facts{f},
	}
	for i, v := range g.sorted() {
		if v.normal != "" {
			p.Texts = append(p.Texts, v.normal)
		}
		if i < maxExamples {
			p.Examples = append(p.Examples, example(&v.example, literal))
			p.names = append(p.names, factsOf(&v.example))
		}
	}
	return p
}

// example writes evidence as an example.
func example(ev *taxonomy.Evidence, literal string) string {
	pairs := factsOf(ev).pairs()
	if text := excerpt(ev.Text, literal); text != "" {
		pairs = append(pairs, pair{"text", quote(text), true})
	}
	return flow(pairs)
}

// excerpt returns the part of a text that contains literal.
func excerpt(text, literal string) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if len(text) <= maxExample {
		return text
	}
	from := 0
	if at := strings.Index(text, literal); at > maxExample-len(literal) {
		from = strings.LastIndexByte(text[:at], '\n') + 1
		if at-from > maxExample/2 {
			from = at
		}
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

// prove leaves out proposals in which errgen finds an error, such as an example that another
// proposal's rule wins.
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
	src, lines := taxonomyOf(all)
	_, findings := check.Load("proposals", src)
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

// taxonomyOf returns a taxonomy of the proposals, and the line on which each begins.
func taxonomyOf(all []*Proposal) (src []byte, lines []int) {
	var b bytes.Buffer
	b.WriteString("errgen: 1\npackage: proposals\n")
	declare(&b, "", "sources", undeclared(all, nil, func(f facts) string { return f.source }))
	declare(&b, "", "ops", undeclared(all, check.Operations(), func(f facts) string { return f.op }))
	b.WriteString("categories:\n  unrecognised:\n    codes:\n")
	for _, p := range all {
		lines = append(lines, bytes.Count(b.Bytes(), []byte("\n"))+1)
		p.code(&b)
	}
	return b.Bytes(), lines
}
