package signature

import (
	"fmt"
	"slices"

	"github.com/errgen/errgen/internal/prefilter"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/signatures"
)

// Matcher finds the signatures that evidence matches.
type Matcher struct {
	Rules detect.Rules
	// owners are the indexes of the signatures of the rules.
	owners     []int
	signatures []signatures.Signature
}

// NewMatcher returns the matcher of a list of signatures.
func NewMatcher(list []signatures.Signature) (*Matcher, error) {
	m := &Matcher{signatures: list, Rules: detect.Rules{Leads: Leads()}}
	type entry struct {
		Rule
		owner int
	}
	var entries []entry
	for i := range list {
		rules, err := Compile(&list[i])
		if err != nil {
			return nil, err
		}
		for _, r := range rules {
			entries = append(entries, entry{r, i})
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return rank(&a.Rule) - rank(&b.Rule) })
	entries = Precede(entries, func(a, b *entry) bool {
		return slices.Contains(list[a.owner].Over, list[b.owner].Name)
	})
	ids := map[string]uint16{}
	intern := func(key string, p detect.Pattern) uint16 {
		id, ok := ids[key]
		if !ok {
			id = uint16(len(m.Rules.Patterns))
			ids[key] = id
			m.Rules.Patterns = append(m.Rules.Patterns, p)
		}
		return id
	}
	for i, e := range entries {
		r := detect.Rule{Name: list[e.owner].Name, Conditions: e.Conditions, Derived: uint16(i)}
		for _, text := range e.Text {
			p, err := Pattern(text)
			if err != nil {
				return nil, fmt.Errorf("signature %s: %w", r.Name, err)
			}
			r.Text = append(r.Text, intern(string('0'+rune(p.Lead))+p.Expr, p))
		}
		for _, text := range e.Contains {
			r.Contains = append(r.Contains, intern("p"+text, prefilter.PlainPattern(text)))
		}
		m.Rules.Rules = append(m.Rules.Rules, r)
		m.owners = append(m.owners, e.owner)
	}
	return m, nil
}

// Match returns the signature that wins for the evidence, or nil.
func (m *Matcher) Match(ev *taxonomy.Evidence) *signatures.Signature {
	i := m.Rules.Match(ev, nil)
	if i == detect.NoRule {
		return nil
	}
	return &m.signatures[m.owners[i]]
}

// Pattern returns the pattern of a text.
func Pattern(t Text) (detect.Pattern, error) {
	p, err := prefilter.Pattern(t.Expr)
	if t.Lead != noLead {
		p.Lead, p.Reach = t.Lead, 0 // the line before a match belongs to it
	}
	return p, err
}

// rank orders the rules of signatures: those with structured conditions come before texts.
func rank(r *Rule) int {
	if r.Structured() {
		return 0
	}
	return 1
}

// Precede returns the list with every element after all those that are over it. Otherwise the order
// stays. Where elements are over each other in a circle, one of them is the first.
func Precede[T any](list []T, over func(a, b *T) bool) []T {
	out := make([]T, 0, len(list))
	visited := make([]bool, len(list))
	var visit func(i int)
	visit = func(i int) {
		if visited[i] {
			return
		}
		visited[i] = true
		for j := range list {
			if !visited[j] && over(&list[j], &list[i]) {
				visit(j)
			}
		}
		out = append(out, list[i])
	}
	for i := range list {
		visit(i)
	}
	return out
}
