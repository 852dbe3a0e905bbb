// Package detection turns the detect rules of a resolved taxonomy into the form in which evidence
// is matched with them, and says what evidence becomes without generating a package: the rule that
// wins, the code, its context and its row. It reads evidence by the same functions that generated
// packages call.
package detection

import (
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/prefilter"
	"github.com/errgen/errgen/runtime/detect"
)

// Rules returns the rules of m as they are matched, by rank: the generated package ranks them in
// the same way. They make no errors: Make is nil. The expressions of the rules must compile.
func Rules(m *model.Package) *detect.Rules {
	d := &detect.Detection{Taxonomy: m.Taxonomy, FallbackSet: model.SetJSON(m.FallbackSet), Leads: m.Leads, Is: isNamed}
	for _, c := range m.Categories {
		rules := make([][]detect.CodeRule, 1) // element 0 is no code
		for _, code := range c.Codes {
			var list []detect.CodeRule
			for _, r := range code.Rules {
				list = append(list, CodeRule(r))
			}
			rules = append(rules, list)
		}
		d.Categories = append(d.Categories, rules)
	}
	out := d.Rules()
	out.Make = nil
	return out
}

// CodeRule returns a rule as the generated package has it.
func CodeRule(r *model.Rule) detect.CodeRule {
	out := detect.CodeRule{
		Doc: r.Doc, Priority: r.Priority, Conditions: r.Conditions, Text: patterns(r.Text, false),
		Contains: patterns(r.Contains, true), Set: model.SetJSON(r.Set),
	}
	for _, like := range r.Like {
		out.Like = append(out.Like, like.Signature)
	}
	return out
}

// Ranked returns the rules of m in the order of [Rules]. A rule is in it once for each form of its
// signatures.
func Ranked(m *model.Package) []*model.Rule { return rankedAs(m, Rules(m)) }

func rankedAs(m *model.Package, rules *detect.Rules) []*model.Rule {
	byName := make(map[string]*model.Rule, len(m.Rules))
	for _, r := range m.Rules {
		byName[r.Name] = r
	}
	out := make([]*model.Rule, len(rules.Rules))
	for i := range rules.Rules {
		out[i] = byName[rules.Rules[i].Name]
	}
	return out
}

// patterns returns the patterns that texts are searched for by.
func patterns(texts []string, plain bool) []detect.Pattern {
	var out []detect.Pattern
	for _, text := range texts {
		if plain {
			out = append(out, prefilter.PlainPattern(text))
			continue
		}
		p, err := prefilter.Pattern(text)
		if err != nil {
			p = detect.Pattern{Expr: text} // package check reports it
		}
		out = append(out, p)
	}
	return out
}
