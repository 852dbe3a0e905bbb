package check

// coveredRules finds rules that never win: an earlier-ranked one matches whatever they match.
func coveredRules(p *pass) {
	t := p.tried()
	for _, r := range t.ranked {
		by := t.covered[r]
		if by == nil {
			continue
		}
		p.report(p.ruleSpan(r), "the rule never wins: %s always does where it matches", nameOf(by)).
			related(p.ruleSpan(by), "this rule").
			hint("put the rule that asks for more before it, or give it a higher priority")
	}
}

// untestedRules warns of rules that no example of their code wins.
func untestedRules(p *pass) {
	t := p.tried()
	for _, r := range t.ranked {
		if !t.won[r] && t.covered[r] == nil {
			p.report(p.ruleSpan(r), "no example is won by %s", nameOf(r)).hint("add one to the examples of %s", r.Code.Key)
		}
	}
}
