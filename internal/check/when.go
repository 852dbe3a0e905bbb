package check

import (
	"fmt"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
)

// whenSecret finds branches on what an error does not carry as it is when it is written and read
// again.
func whenSecret(p *pass) {
	p.eachCondition(func(f field, cond spec.Condition) {
		why, at := "", diag.Span{}
		switch {
		case f.Sensitive.V:
			why, at = "sensitive", f.Sensitive.Span
		case f.Scrub.V:
			why, at = "scrubbed", f.Scrub.Span
		case f.MessageOnly.V:
			why, at = "not in the context on the wire", f.MessageOnly.Span
		case f.MaxLength.Set && !onlyPresence(cond.Match):
			why, at = "cut on the wire", f.MaxLength.Span
		default:
			return
		}
		p.report(cond.Field.Span, "%s is %s, so the branch would be decided differently after decoding", f.Name.V, why).
			related(at, "said here")
	})
}

// onlyPresence reports whether a condition asks nothing but whether there is a value.
func onlyPresence(m spec.Matcher) bool {
	return m.Present.Set && len(m.Values) == 0 && m.Min == nil && m.Max == nil && len(m.Not) == 0 && len(m.Prefix) == 0
}

func (p *pass) eachCondition(visit func(f field, cond spec.Condition)) {
	for _, c := range p.codes {
		for _, w := range c.When {
			for _, cond := range w.If {
				if f, ok := c.category.byName[cond.Field.V]; ok {
					visit(f, cond)
				}
			}
		}
	}
}

// test is a branch's condition with the place where it stands.
type test struct {
	model.Cond
	field field
	at    diag.Span
}

// tests reads a branch; ok is false when a part of it is faulty, which other rules report.
func (c *code) tests(w *spec.When) (tests []test, ok bool) {
	for _, cond := range w.If {
		f, known := c.category.byName[cond.Field.V]
		if !known {
			return nil, false
		}
		m, faults := resolve.Condition(f.model, cond.Match)
		if len(faults) > 0 {
			return nil, false
		}
		tests = append(tests, test{m, f, cond.Field.Span})
	}
	return tests, true
}

// whenUnreachable finds branches that never hold, and those that an earlier branch of the code
// always takes away.
func whenUnreachable(p *pass) {
	for _, c := range p.codes {
		var earlier []branch
		for i := range c.When {
			w := &c.When[i]
			tests, ok := c.tests(w)
			if !ok {
				continue
			}
			if at, why := c.neverHolds(tests); why != "" {
				p.report(at, "this branch never holds: %s", why)
				continue
			}
			for _, e := range earlier {
				if e.covers(tests) {
					p.report(w.Span, "an earlier branch always holds where this one does").related(e.at, "this branch")
					break
				}
			}
			if len(earlier) < maxBranches {
				earlier = append(earlier, branch{tests, w.Span})
			}
		}
	}
}

// maxBranches bounds how many branches of a code are compared with those after them.
const maxBranches = 64

type branch struct {
	tests []test
	at    diag.Span
}

func (c *code) neverHolds(tests []test) (diag.Span, string) {
	for _, t := range tests {
		if why := contradiction(t.Cond); why != "" {
			return t.at, why
		}
		if t.Present != nil && !*t.Present && (t.field.Required.V || c.sets(t.field.Name.V)) {
			return t.at, t.field.Name.V + " is never absent"
		}
		for _, s := range c.Set {
			if s.Field.V != t.field.Name.V {
				continue
			}
			if v, err := resolve.Value(t.field.model, s.Value); err == nil && !satisfies(v, t.Cond) {
				return t.at, fmt.Sprintf("%s sets %s to %s", c.Name.V, s.Field.V, s.Value.Text)
			}
		}
	}
	return diag.Span{}, ""
}

// covers reports whether the branch holds wherever the tests do: each of its own is implied by one
// of them.
func (b branch) covers(tests []test) bool {
	for _, mine := range b.tests {
		implied := false
		for _, theirs := range tests {
			if theirs.Field == mine.Field && implies(theirs.Cond, mine.Cond) {
				implied = true
			}
		}
		if !implied {
			return false
		}
	}
	return true
}

// emptyWhen finds branches that test nothing.
func emptyWhen(p *pass) {
	for _, c := range p.codes {
		for _, w := range c.When {
			if len(w.If) == 0 {
				p.report(first(w.Span, c.Name.Span), "the branch tests nothing, so it always holds").
					hint("say what it changes on the code itself")
				continue
			}
			for _, cond := range w.If {
				if cond.Match.IsZero() {
					p.report(cond.Field.Span, "%s is tested for nothing", cond.Field.V)
				}
			}
		}
	}
}

// whenValueTwice finds a value listed twice in one condition.
func whenValueTwice(p *pass) {
	p.eachCondition(func(f field, cond spec.Condition) {
		for _, list := range [][]spec.Literal{cond.Match.Values, cond.Match.Not} {
			seen := make(map[string]diag.Span)
			for _, lit := range list {
				v, err := resolve.Value(f.model, lit)
				if err != nil {
					continue
				}
				v.Time = v.Time.UTC()
				key := fmt.Sprint(v)
				if at, twice := seen[key]; twice {
					p.report(lit.Span, "%s is listed twice", lit.Text).related(at, "first listed here")
					continue
				}
				seen[key] = lit.Span
			}
		}
	})
}
