package check

import (
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
)

// eachRuleCondition visits the conditions of all rules.
func (p *pass) eachRuleCondition(visit func(c spec.RuleCondition)) {
	p.eachRule(func(_ *code, r *spec.Rule) {
		for _, c := range r.Conditions {
			visit(c)
		}
	})
}

// detectStatus finds statuses of rules and examples that no response has.
func detectStatus(p *pass) {
	p.eachRuleCondition(func(c spec.RuleCondition) {
		for _, bad := range foreignStatuses(c) {
			p.report(bad.at, "%d is no HTTP status: they go from 100 to 599", bad.n)
		}
	})
	p.eachEntry(func(entry spec.LiteralEntry) {
		if n, ok := whole(entry.Value); ok && entry.Key.V == "status" && !isStatus(n) {
			p.report(entry.Value.Span, "%d is no HTTP status: they go from 100 to 599", n)
		}
	})
}

// misplaced is a number that cannot be where it stands.
type misplaced struct {
	at diag.Span
	n  int64
}

// foreignStatuses lists what a condition tests a status for that is none. Bounds may lie outside,
// but not beyond the other end.
func foreignStatuses(c spec.RuleCondition) []misplaced {
	if c.Key.V != "status" {
		return nil
	}
	return misplacedIn(c.Match, isStatus, func(least int64) bool { return least <= lastStatus },
		func(most int64) bool { return most >= firstStatus })
}

const (
	firstStatus = 100
	lastStatus  = 599
)

func isStatus(n int64) bool { return firstStatus <= n && n <= lastStatus }

// misplacedIn lists the numbers of a matcher that do not fit, by what fits as a value, as a least
// and as a greatest one.
func misplacedIn(m spec.Matcher, value, least, most func(int64) bool) []misplaced {
	var out []misplaced
	try := func(lit spec.Literal, fits func(int64) bool) {
		if n, ok := whole(lit); ok && !fits(n) {
			out = append(out, misplaced{lit.Span, n})
		}
	}
	for _, lit := range slices.Concat(m.Values, m.Not) {
		try(lit, value)
	}
	if m.Min != nil {
		try(*m.Min, least)
	}
	if m.Max != nil {
		try(*m.Max, most)
	}
	return out
}

// whole reads a whole number.
func whole(lit spec.Literal) (int64, bool) {
	v, err := resolve.Value(&model.Field{Type: model.Int}, lit)
	return v.Int, err == nil
}

// negativeExit finds rules that ask for an exit code below zero.
func negativeExit(p *pass) {
	p.eachRuleCondition(func(c spec.RuleCondition) {
		for _, bad := range negativeCodes(c) {
			p.report(bad.at, "this condition is never met: no process exits with %d", bad.n).hint(signalHint)
		}
	})
}

const signalHint = "when a signal ended the process, there is a signal and no exit code"

func negativeCodes(c spec.RuleCondition) []misplaced {
	if c.Key.V != "exit_code" {
		return nil
	}
	natural := func(n int64) bool { return n >= 0 }
	return misplacedIn(c.Match, natural, func(int64) bool { return true }, natural)
}

// negativeExitExample finds examples with an exit code below zero.
func negativeExitExample(p *pass) {
	p.eachEntry(func(entry spec.LiteralEntry) {
		if n, ok := whole(entry.Value); ok && entry.Key.V == "exit_code" && n < 0 {
			p.report(entry.Value.Span, "exit_code: no process exits with %d", n).hint(signalHint)
		}
	})
}

// escapes are characters that nobody means in what a rule searches a text for, and what they are
// written as in double quotes.
var escapes = []struct{ char, written, name string }{
	{"\a", `\a`, "a bell"},
	{"\b", `\b`, "a backspace"},
	{"\u2029", `\P`, "a paragraph separator"},
}

// readEscapes finds texts of rules in which YAML has read what a regular expression was to read.
func readEscapes(p *pass) {
	p.eachRule(func(_ *code, r *spec.Rule) {
		for _, t := range slices.Concat(r.Text, r.Contains) {
			for _, e := range escapes {
				if i := strings.Index(t.V, e.char); i >= 0 {
					p.report(p.within(t, i, len(e.char)), "the text holds %s: in double quotes YAML reads %s as that",
						e.name, e.written).
						hint("write a regular expression in single quotes")
					break
				}
			}
		}
	})
}

func holdsEscape(t spec.Text) bool { return strings.ContainsAny(t.V, "\a\b\u2029") }

// unknownPrefixes finds prefixes with which no declared name begins.
func unknownPrefixes(p *pass) {
	p.eachRuleCondition(func(c spec.RuleCondition) {
		valid, ok := p.declared(c.Key.V)
		if !ok {
			return
		}
		for _, prefix := range c.Match.Prefix {
			if !valid.begins(prefix.V) {
				p.report(prefix.Span, "no %s begins with %q", c.Key.V, prefix.V).meant(prefix.V, valid.list)
			}
		}
	})
}

// declared returns the names that a key takes, if they are to be declared.
func (s *scope) declared(key string) (nameSet, bool) {
	switch key {
	case "source":
		return s.sources, true
	case "op":
		return s.ops, true
	}
	return nameSet{}, false
}
