package suggest

import (
	"slices"

	"github.com/errgen/errgen/internal/prefilter"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// wins says whether a rule wins an example of another rule's.
type wins uint8

const (
	never wins = iota
	standingFirst
	always
)

// place puts p among the proposals so that each wins its own examples: what asks for more comes
// before what asks for less. It returns the proposal that p cannot be told apart from, if there is
// one; p is then not among them.
func place(all []*Proposal, p *Proposal) ([]*Proposal, *Proposal) {
	at := len(all)
	for i, other := range all {
		over := other.over(p)
		if over == always || p.over(other) == always {
			return all, other
		}
		if over == standingFirst {
			at = min(at, i)
		}
	}
	for _, other := range all[at:] {
		if p.over(other) != never {
			return all, other
		}
	}
	return slices.Insert(all, at, p), nil
}

// over says whether p's rule wins an example of other.
func (p *Proposal) over(other *Proposal) wins {
	most := never
	for i := range other.evidence {
		ev := &other.evidence[i]
		if !p.facts.mayMatch(ev) || p.rules.Match(ev, nil) == detect.NoRule {
			continue
		}
		switch mine, its := p.rank(ev), other.rank(ev); {
		case mine < its:
			return always
		case mine == its:
			most = standingFirst
		}
	}
	return most
}

// mayMatch is false only where a rule that asks for f does not match: it spares asking the rule.
func (f *facts) mayMatch(ev *taxonomy.Evidence) bool {
	is := func(want, has string) bool { return want == "" || want == has }
	return is(f.source, ev.Source) && is(f.kind, ev.Type) && is(f.code, ev.Code) &&
		(f.status == 0 || ev.Status == 0 || f.status == ev.Status)
}

// rank says which of two rules wins evidence that both match, the lower one, as in classification:
// a status that was read out of the text is no more than text. Of equals the one that stands first
// wins.
func (p *Proposal) rank(ev *taxonomy.Evidence) int {
	f := p.facts
	if ev.Status == 0 {
		f.status = 0
	}
	switch {
	case p.priority() < 0:
		return 2
	case f.telling():
		return 0
	}
	return 1
}

// matcher returns the rule as classification has it.
func matcher(f facts, literal string) *detect.Rules {
	rule := detect.Rule{}
	text := func(key detect.Key, value string) {
		if value != "" {
			rule.Conditions = append(rule.Conditions, detect.Condition{Key: key, Any: []string{value}})
		}
	}
	number := func(key detect.Key, asked bool, value int) {
		if asked {
			rule.Conditions = append(rule.Conditions, detect.Condition{Key: key, AnyNumber: []int{value}})
		}
	}
	text(detect.Source, f.source)
	text(detect.Op, f.op)
	number(detect.Status, f.status != 0, f.status)
	text(detect.Type, f.kind)
	text(detect.Code, f.code)
	number(detect.ExitCode, f.hasExit, f.exit)
	text(detect.Signal, f.signal)
	text(detect.Errno, f.errno)
	r := &detect.Rules{}
	if literal != "" {
		rule.Contains = []uint16{0}
		r.Patterns = []detect.Pattern{prefilter.PlainPattern(literal)}
	}
	r.Rules = []detect.Rule{rule}
	return r
}
