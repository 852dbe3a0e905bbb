package detect

import (
	"slices"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Explain returns what [Rules.Classify] makes of raw, and why. It tries every rule, and reports
// nothing to an [Unmatched] recorder.
func (r *Rules) Explain(raw any, opts []Option) Explanation {
	outcome, done := r.unclassified(raw)
	if outcome != Matched {
		return Explanation{Outcome: outcome, Err: done}
	}
	ev := Of(raw)
	var q query
	q.ask(&ev, opts)
	rules := r.matching(&ev, &q)
	e := Explanation{Outcome: Fallback, sensitive: r.Sensitive}
	q.copyTo(&e.Evidence, &ev)
	rule, code := NoRule, r.fallback()
	if len(rules) > 0 {
		e.Outcome, rule, e.Rule = Matched, rules[0], &r.Rules[rules[0]]
		code = int(e.Rule.Code)
		for _, other := range rules[1:] {
			e.RunnersUp = append(e.RunnersUp, &r.Rules[other])
		}
	}
	e.Err = Traced(r.Make(rule, &e.Evidence), opts)
	e.Missing = r.missing(code, e.Rule, &e.Evidence)
	return e
}

// matching returns all rules that the evidence meets, best first.
func (r *Rules) matching(ev *taxonomy.Evidence, q *query) []int {
	x := r.index(q)
	var ranks []int
	for rank := range x.rules {
		rule := &r.Rules[x.rules[rank].rule]
		if !rule.onText() && r.holds(rule.Conditions, ev, q) {
			ranks = append(ranks, rank)
		}
	}
	if q.text != "" {
		ranks = r.engine().all(x, ev, q, ranks)
	}
	slices.Sort(ranks)
	for i, rank := range ranks {
		ranks[i] = x.rules[rank].rule
	}
	return ranks
}

// fallback returns the index of the code that evidence becomes which no rule matches, or -1.
func (r *Rules) fallback() int {
	if r.Taxonomy == nil || r.Taxonomy.Fallback == "" {
		return -1
	}
	return slices.IndexFunc(r.Taxonomy.Codes, func(c taxonomy.Code) bool { return c.Value == r.Taxonomy.Fallback })
}

// missing returns the required fields of a code that the evidence does not fill.
func (r *Rules) missing(code int, rule *Rule, ev *taxonomy.Evidence) []string {
	set := r.FallbackSet
	if rule != nil {
		set = rule.Set
	}
	var out []string
	for i := range r.Needs {
		n := &r.Needs[i]
		if int(n.Code) != code || slices.Contains(set, n.Field) {
			continue
		}
		filled := slices.ContainsFunc(n.From, func(from string) bool {
			_, ok := Read(ev, from, n.Type, n.Words)
			return ok
		})
		if !filled {
			out = append(out, n.Field)
		}
	}
	return out
}
