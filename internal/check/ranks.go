package check

// untestedRules warns of rules that no example of their code wins. Where an example of the code is
// at fault, that is to be mended first.
func untestedRules(p *pass) {
	t := p.tried()
	faulty := p.codesAtFault()
	for _, r := range t.ranked {
		if !t.won[r] && !faulty[t.rules[r].code] {
			p.report(p.ruleSpan(r), "no example is won by %s", nameOf(r)).
				hint("add one to the examples of %s", r.Code.Key)
		}
	}
}

// codesAtFault returns the codes of which a rule or an example was not tried, or an example does
// not come out as it should.
func (p *pass) codesAtFault() map[*code]bool {
	t := p.tried()
	out := make(map[*code]bool)
	for _, c := range t.untried {
		out[c] = true
	}
	probe := &pass{scope: p.scope}
	for _, x := range t.cases {
		known := len(probe.findings)
		probe.unmetWant(&x)
		if !x.model.Not && !p.right(&x) || len(probe.findings) > known {
			out[x.code] = true
		}
	}
	return out
}
