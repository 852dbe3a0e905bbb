package check

import (
	"slices"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

// trial is the taxonomy's rules and examples put to the test. Rules and examples in which other
// checks find a fault take no part: what would be said of them follows from that fault.
type trial struct {
	ranked []*model.Rule // those that take part, best first
	rules  map[*model.Rule]*ruleEntry
	cases  []exampleCase
	// untried are codes with a rule or an example that takes no part.
	untried []*code
	won     map[*model.Rule]bool
}

// ruleEntry is a rule as written, and its code.
type ruleEntry struct {
	*spec.Rule
	code *code
}

// exampleCase is an example as written and as resolved, and what it becomes.
type exampleCase struct {
	*spec.Example
	model   *model.Example
	code    *code
	verdict detection.Verdict
}

// tried runs all examples, once for all rules that ask for it.
func (s *scope) tried() *trial {
	s.trialOnce.Do(func() { s.trial = s.try() })
	return s.trial
}

func (s *scope) try() *trial {
	t := &trial{rules: make(map[*model.Rule]*ruleEntry), won: make(map[*model.Rule]bool)}
	m := *s.m
	m.Rules = nil
	faulty := make(map[*code]bool)
	for _, c := range s.codes {
		for i := range c.Detect {
			if !s.soundRule(&c.Detect[i]) {
				faulty[c] = true
				continue
			}
			m.Rules = append(m.Rules, c.model.Rules[i])
			t.rules[c.model.Rules[i]] = &ruleEntry{&c.Detect[i], c}
		}
	}
	if s.firstRuleBeyond(maxRules) != nil || s.wordsBeyond(maxWords) {
		return t // too many to be matched or filled in, which is reported
	}
	t.ranked = detection.Ranked(&m)
	judge := detection.NewJudge(&m)
	for _, c := range s.codes {
		if faulty[c] {
			t.untried = append(t.untried, c)
			continue
		}
		t.tryExamples(s, judge, c)
	}
	return t
}

func (t *trial) tryExamples(s *scope, judge *detection.Judge, c *code) {
	all := slices.Concat(c.Examples, c.NotExamples)
	for i, x := range c.model.Examples {
		written := &all[i]
		if !s.soundExample(written) {
			t.untried = append(t.untried, c)
			continue
		}
		ev := detection.Evidence(x)
		tried := exampleCase{Example: written, model: x, code: c, verdict: judge.Of(&ev)}
		t.cases = append(t.cases, tried)
		if r := tried.verdict.Rule; r != nil && !x.Not {
			t.won[r] = t.won[r] || r.Code == x.Code
		}
	}
}
