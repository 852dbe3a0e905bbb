package check

import (
	"slices"

	"github.com/errgen/errgen/internal/spec"
)

// uses is what a taxonomy refers to, by name.
type uses struct {
	sources, groups, strategies, checks, policies, reactions map[string]bool
}

func (p *pass) uses() uses {
	u := uses{
		sources: make(map[string]bool), groups: make(map[string]bool), strategies: make(map[string]bool),
		checks:   make(map[string]bool),
		policies: make(map[string]bool), reactions: make(map[string]bool),
	}
	p.eachTraits(func(t spec.Traits) { u.reference(t.Reaction) })
	u.reference(p.t.Uncategorized)
	p.eachReaction(func(_ *view, _, r *spec.Reaction) {
		u.reference(r.Then)
		u.strategies[r.Strategy.V] = true
		if r.Policy != nil {
			u.policies[r.Policy.Name.V] = true
		}
	})
	for _, c := range p.codes {
		if c.Prevent != nil {
			u.checks[c.Prevent.Check.V] = true
		}
		for _, g := range c.Groups {
			u.groups[g.V] = true
		}
		for _, e := range slices.Concat(c.Examples, c.NotExamples) {
			for _, entry := range e.Entries {
				if entry.Key.V == "source" {
					u.sources[entry.Value.Text] = true
				}
			}
		}
	}
	p.eachSourceOfRules(func(name string) { u.sources[name] = true })
	return u
}

// eachSourceOfRules visits the sources that rules name, whole or by a prefix.
func (p *pass) eachSourceOfRules(visit func(name string)) {
	seen := make(map[string]bool) // prefixes
	p.eachRuleCondition(func(c spec.RuleCondition) {
		if c.Key.V != "source" {
			return
		}
		for _, lit := range slices.Concat(c.Match.Values, c.Match.Not) {
			visit(lit.Text)
		}
		for _, prefix := range c.Match.Prefix {
			if seen[prefix.V] {
				continue
			}
			seen[prefix.V] = true
			for _, name := range p.sources.beginning(prefix.V) {
				visit(name)
			}
		}
	})
}

func (u uses) reference(ref *spec.ReactionRef) {
	if ref == nil {
		return
	}
	u.reactions[ref.Name.V] = true
	if ref.ByFlag != nil {
		u.reactions[ref.ByFlag.Retryable.V] = true
		u.reactions[ref.ByFlag.Permanent.V] = true
	}
}

// unused warns of what is declared and never referred to.
func unused(p *pass) {
	u := p.uses()
	check := func(what string, name spec.Text, used map[string]bool) {
		if !used[name.V] {
			p.report(name.Span, "%s %q is never used", what, name.V)
		}
	}
	for _, s := range p.t.Sources {
		check("source", s.Name, u.sources)
	}
	for _, g := range p.t.Groups {
		check("group", g.Name, u.groups)
	}
	for _, s := range p.t.Strategies {
		check("strategy", s.Name, u.strategies)
	}
	for _, c := range p.t.Checks {
		check("check", c.Name, u.checks)
	}
	for _, policy := range p.t.Policies {
		check("policy", policy.Name, u.policies)
	}
	for _, r := range p.t.Reactions {
		check("reaction", r.Name, u.reactions)
	}
}

// undocumented warns of categories and codes without a sentence about them, in a taxonomy that
// documents any: one that documents nothing has chosen to.
func undocumented(p *pass) {
	if !p.documents() {
		return
	}
	for _, c := range p.categories {
		if c.Doc.V == "" {
			p.report(c.Name.Span, "category %q has no doc", c.Name.V)
		}
		for _, k := range c.Codes {
			if k.Doc.V == "" {
				p.report(k.Name.Span, "code %s has no doc", k.Name.V).hint("say what happened, in a sentence")
			}
		}
	}
}

func (p *pass) documents() bool {
	return slices.ContainsFunc(p.codes, func(c *code) bool { return c.Doc.V != "" || c.category.Doc.V != "" })
}

// unsorted warns of numbers that go down within a category: new codes are easier to number at its
// end.
func unsorted(p *pass) {
	for _, c := range p.categories {
		var highest spec.Int
		for _, k := range c.Codes {
			if !k.Number.Set || k.Number.V < 1 {
				continue
			}
			if highest.Set && k.Number.V < highest.V {
				p.report(k.Number.Span, "number %d comes after %d", k.Number.V, highest.V).
					related(highest.Span, "%d is here", highest.V)
				continue
			}
			highest = k.Number
		}
	}
}

// The limits of the generated tables.
const (
	maxTemplate = 8 << 10
	maxGroups   = 64
	maxCodes    = 65535
	// The limits of a row's address.
	maxCategories, maxOfCategory, maxWhen = 1023, 1<<14 - 1, 255
	maxWords                              = 254
	maxRules                              = 65535
)

func limits(p *pass) {
	if len(p.t.Groups) > maxGroups {
		p.report(p.t.Groups[maxGroups].Name.Span, "a taxonomy has at most %d groups", maxGroups)
	}
	if len(p.codes) > maxCodes {
		p.report(p.codes[maxCodes].Name.Span, "a taxonomy has at most %d codes", maxCodes)
	}
	if len(p.categories) > maxCategories {
		p.report(p.categories[maxCategories].Name.Span, "a taxonomy has at most %d categories", maxCategories)
	}
	for _, c := range p.categories {
		if len(c.Codes) > maxOfCategory {
			p.report(c.Name.Span, "a category has at most %d codes", maxOfCategory)
		}
	}
	for _, c := range p.codes {
		if len(c.When) > maxWhen {
			p.report(c.Name.Span, "a code has at most %d when branches", maxWhen)
		}
	}
	if n := p.firstRuleBeyond(maxRules); n != nil {
		p.report(first(n.Span, p.t.Version.Span), "a taxonomy has at most %d detect rules", maxRules)
	}
	if len(p.codes) == 0 && len(p.categories) == 0 && p.t.Version.Set {
		p.report(p.t.Version.Span, "the taxonomy has no codes").hint("declare one under categories")
	}
	p.eachTemplateOfAnyLength(func(_ *code, text spec.Text) {
		if len(text.V) > maxTemplate {
			p.report(text.Span, "a text with placeholders has at most %d bytes", maxTemplate)
		}
	})
	p.eachField(func(f field, _ *category) {
		if len(f.Enum) > maxWords {
			p.report(f.Enum[maxWords].Span, "an enum has at most %d words", maxWords)
		}
	})
}

// wordsBeyond reports whether an enum has more than so many words.
func (s *scope) wordsBeyond(n int) (beyond bool) {
	s.eachField(func(f field, _ *category) { beyond = beyond || len(f.Enum) > n })
	return beyond
}

// firstRuleBeyond returns the first rule, or text that rules search for, behind so many of them.
func (s *scope) firstRuleBeyond(n int) (beyond *spec.Rule) {
	rules, texts := 0, 0
	s.eachRule(func(_ *code, r *spec.Rule) {
		rules++
		texts += len(r.Text) + len(r.Contains)
		if beyond == nil && max(rules, texts) > n {
			beyond = r
		}
	})
	return beyond
}

// noCodes finds categories that would be types which no error can have.
func noCodes(p *pass) {
	for _, c := range p.categories {
		if len(c.Codes) == 0 {
			p.report(c.Name.Span, "category %q has no codes", c.Name.V)
		}
	}
}

// replacedBy finds codes that are replaced by themselves, in one step or more.
func replacedBy(p *pass) {
	done := make(map[*code]bool)
	for _, c := range p.codes {
		onPath := make(map[*code]bool)
		for ; c != nil && !done[c]; c = p.codeNamed[c.ReplacedBy.V] {
			done[c], onPath[c] = true, true
			if next := p.codeNamed[c.ReplacedBy.V]; onPath[next] {
				p.report(c.ReplacedBy.Span, "%s would be replaced by itself", next.Name.V)
			}
		}
	}
}
