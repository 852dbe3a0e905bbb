package check

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/detect"
)

// strayExamples finds examples that do not become their code.
func strayExamples(p *pass) {
	own := ownRules{p: p, judges: make(map[*code]*detection.Judge)}
	for _, x := range p.tried().cases {
		rule := x.verdict.Rule
		switch {
		case x.model.Not || p.right(&x):
		case rule == nil && len(x.model.Evidence.Text) > detect.DefaultTextLimit:
			p.report(x.at(), "the example is won by no rule; of its text only the last %d bytes are searched",
				detect.DefaultTextLimit).
				hint("keep the end of the text, or add a rule for it to %s", x.code.Name.V)
		case rule == nil:
			p.report(x.at(), "the example is won by no rule").
				hint("add a rule for it to %s, or say in the example what its rules ask for", x.code.Name.V)
		default:
			p.report(x.at(), "the example is won by %s", nameOf(rule)).
				related(p.ruleSpan(rule), "this rule").
				hint("%s", own.mend(&x))
		}
	}
}

// ownRules finds which rule of its own code would win an example.
type ownRules struct {
	p      *pass
	judges map[*code]*detection.Judge
}

// mend says how the rules of its code can win an example that another rule wins.
func (o *ownRules) mend(x *exampleCase) string {
	if len(o.p.findings) > maxSuggestions {
		return ""
	}
	ev := detection.Evidence(x.model)
	own, other := o.judge(x.code).Winner(&ev), x.verdict.Rule
	if own == nil {
		return fmt.Sprintf("no rule of %s matches it: add one, with a priority above %d if need be", x.code.Name.V,
			other.Priority)
	}
	return ahead(own, other)
}

func (o *ownRules) judge(c *code) *detection.Judge {
	if o.judges[c] == nil {
		m := *o.p.m
		m.Rules = c.model.Rules // all sound, or the example would not have been tried
		o.judges[c] = detection.NewJudge(&m)
	}
	return o.judges[c]
}

// ahead says how a rule comes to rank before another one.
func ahead(r, other *model.Rule) string {
	if detection.Beside(r, other) {
		return fmt.Sprintf("put %s before that rule, or give it a priority above %d", nameOf(r), other.Priority)
	}
	return fmt.Sprintf("give %s a priority above %d", nameOf(r), other.Priority)
}

// right reports whether an example becomes its code by a rule of the code, or as the fallback.
func (p *pass) right(x *exampleCase) bool {
	if rule := x.verdict.Rule; rule != nil {
		return rule.Code.Key == x.code.Name.V
	}
	return x.verdict.Code != nil && x.verdict.Code.Key == x.code.Name.V
}

// wonCounterExamples finds counter-examples that a rule of their code wins.
func wonCounterExamples(p *pass) {
	for _, x := range p.tried().cases {
		if rule := x.verdict.Rule; x.model.Not && rule != nil && p.right(&x) {
			p.report(x.at(), "the counter-example is won by %s", nameOf(rule)).
				related(p.ruleSpan(rule), "this rule").
				hint("have the rule ask for more")
		}
	}
}

func nameOf(r *model.Rule) string { return fmt.Sprintf("rule %d of %s", r.Place, r.Code.Key) }

func (p *pass) ruleSpan(r *model.Rule) diag.Span {
	entry := p.tried().rules[r]
	return first(entry.Span, entry.code.Name.Span)
}

func (x *exampleCase) at() diag.Span { return first(x.Span, x.code.Name.Span) }

// unmetWants finds what an example expects and does not become.
func unmetWants(p *pass) {
	for _, x := range p.tried().cases {
		p.unmetWant(&x)
	}
}

func (p *pass) unmetWant(x *exampleCase) {
	if x.Want == nil || x.model.Want == nil || x.model.Not || !p.right(x) {
		return
	}
	p.unmetTraits(x.Want, x.model.Want, x.verdict.Row)
	p.unmetContext(x.Want, x.model.Want, x.verdict)
}

func (p *pass) unmetTraits(written *spec.Want, want *model.Want, row *model.Row) {
	if want.Retryable != nil && *want.Retryable != row.Retryable {
		p.unmet(written.Retryable.Span, "retryable", row.Retryable, *want.Retryable)
	}
	if want.Recoverability != nil && *want.Recoverability != row.Recoverability {
		p.unmet(written.Recoverability.Span, "recoverability", row.Recoverability, *want.Recoverability)
	}
	if want.Severity != nil && *want.Severity != row.Severity {
		p.unmet(written.Severity.Span, "severity", severityWord(row), *want.Severity)
	}
	if want.Reaction != "" && want.Reaction != row.Reaction.Name && p.reactions.has(want.Reaction) {
		p.unmet(written.Reaction.Span, "reaction", row.Reaction.Name, want.Reaction)
	}
}

func severityWord(row *model.Row) string {
	if row.Severity == 0 {
		return "none"
	}
	return row.Severity.String()
}

func (p *pass) unmet(at diag.Span, what string, got, want any) {
	p.report(at, "%s comes out as %v, not %v", what, got, want)
}

func (p *pass) unmetContext(written *spec.Want, want *model.Want, v detection.Verdict) {
	for _, w := range want.Context {
		at := wantedSpan(written, w.Field.Wire)
		got, present := v.Context.Get(w.Field)
		switch {
		case !present:
			p.report(at, "%s comes out absent", w.Field.Wire)
		case same(w.Value, got):
		case w.Field.Sensitive || w.Field.Type == model.ObjectType:
			p.report(at, "%s comes out otherwise", w.Field.Wire)
		default:
			p.unmet(at, w.Field.Wire, w.Field.Shown(got), w.Field.Shown(w.Value))
		}
	}
}

func wantedSpan(w *spec.Want, field string) diag.Span {
	for _, a := range w.Context {
		if a.Field.V == field {
			return first(a.Value.Span, a.Field.Span)
		}
	}
	return w.Span
}

// same compares what is wanted with what came out: of an object, the fields that are wanted.
func same(want, got model.Value) bool {
	switch want.Type {
	case model.ObjectType:
		for f, v := range want.Object {
			if inner, present := got.Object.Get(f); !present || !same(v, inner) {
				return false
			}
		}
		return true
	case model.JSON:
		return sameJSON(want.Str, got.Str)
	}
	return want.Equal(got)
}

// sameJSON compares texts of JSON without regard to the order of keys.
func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return a == b
	}
	left, _ := json.Marshal(x) // what was read can be written
	right, _ := json.Marshal(y)
	return bytes.Equal(left, right)
}
