package detect_test

import (
	"regexp"

	"github.com/errgen/errgen/internal/prefilter"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// naive is the plain loop that the engine must agree with: each rule in turn, each of its
// expressions on the whole text.
type naive struct {
	rules *detect.Rules
	exprs []*regexp.Regexp // nil of a pattern that does not compile
}

func newNaive(r *detect.Rules) *naive {
	n := &naive{rules: r}
	for _, p := range r.Patterns {
		expr := p.Expr
		if p.Plain != "" {
			expr = "(?i)" + regexp.QuoteMeta(p.Plain)
		}
		re, err := regexp.Compile(expr)
		if err != nil {
			re = nil
		}
		n.exprs = append(n.exprs, re)
	}
	return n
}

func (n *naive) match(ev *taxonomy.Evidence) int {
	text := detect.CutText(ev.Text, detect.DefaultTextLimit)
	for i := range n.rules.Rules {
		r := &n.rules.Rules[i]
		if detect.Holds(n.rules, i, ev) && n.any(r.Text, text) && n.any(r.Contains, text) {
			return i
		}
	}
	return detect.NoRule
}

func (n *naive) any(patterns []uint16, text string) bool {
	for _, p := range patterns {
		// Evidence without a text meets no rule on text, even one on an empty text.
		if re := n.exprs[p]; re != nil && text != "" && re.MatchString(text) {
			return true
		}
	}
	return len(patterns) == 0
}

// textRules returns a rule for each expression. An expression that begins with "=" is a plain text.
func textRules(exprs ...string) *detect.Rules {
	r := &detect.Rules{}
	for i, expr := range exprs {
		rule := detect.Rule{Name: expr, Row: taxonomy.At(0, uint16(i+1)), Derived: uint16(i)}
		if expr[0] == '=' {
			rule.Contains = []uint16{uint16(i)}
			r.Patterns = append(r.Patterns, prefilter.PlainPattern(expr[1:]))
		} else {
			rule.Text = []uint16{uint16(i)}
			p, err := prefilter.Pattern(expr)
			if err != nil {
				p = detect.Pattern{Expr: expr}
			}
			r.Patterns = append(r.Patterns, p)
		}
		r.Rules = append(r.Rules, rule)
	}
	return r
}
