package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

// exampleRun is the run of all examples against the rules.
type exampleRun struct {
	*checker
	spans map[*model.Rule]diag.Span
	won   map[*model.Rule]bool
}

// examples finds examples that do not become their code, or that lack an expected trait or field.
// It also finds counter-examples that become the code, and rules that win no example of their code.
func examples(c *checker) {
	t := &exampleRun{checker: c, spans: make(map[*model.Rule]diag.Span), won: make(map[*model.Rule]bool)}
	for _, k := range c.m.Codes {
		for i, r := range k.Rules {
			t.spans[r] = cmp.Or(k.Decl.Detect[i].Span, k.Decl.Name.Span)
		}
	}
	judge := detection.NewJudge(c.m)
	faulty := make(map[*model.Code]bool)
	for _, k := range c.m.Codes {
		all := slices.Concat(k.Decl.Examples, k.Decl.NotExamples)
		before := len(c.findings)
		for i, x := range k.Examples {
			ev := detection.Evidence(x)
			t.example(k, &all[i], x, judge.Of(&ev))
		}
		faulty[k] = len(c.findings) > before
	}
	for _, k := range c.m.Codes {
		for i, r := range k.Rules {
			if !t.won[r] && !faulty[k] {
				c.report("W-untested-rule", t.spans[r],
					fmt.Sprintf("no example is won by rule %d of %s", i+1, k.Name),
					fmt.Sprintf("add one to the examples of %s; if none can win, a better ranked rule always does",
						k.Name))
			}
		}
	}
}

func (t *exampleRun) example(k *model.Code, written *spec.Example, x *model.Example, v detection.Verdict) {
	at, rule := cmp.Or(written.Span, k.Decl.Name.Span), v.Rule
	right := v.Code == k
	switch {
	case x.Not && right && rule != nil:
		t.report("E-example", at, fmt.Sprintf("the counter-example is won by rule %d of %s", rule.Place, k.Name),
			"add a condition to the rule that the counter-example does not meet", seeAlso(t.spans[rule], "this rule"))
	case x.Not:
	case right:
		if rule != nil {
			t.won[rule] = true
		}
		if written.Want != nil && x.Want != nil {
			t.wantTraits(k.Name, written.Want, x.Want, v.Row)
			t.wantContext(k.Name, written.Want, x.Want, v.Context)
		}
	case rule != nil:
		t.report("E-example", at, fmt.Sprintf("the example is won by rule %d of %s", rule.Place, rule.Code.Name),
			fmt.Sprintf("add a rule for it to %s, or raise the priority of the one that it has", k.Name),
			seeAlso(t.spans[rule], "this rule"))
	default:
		t.report("E-example", at, "the example is won by no rule",
			fmt.Sprintf("add a rule for it to %s, or add to the example what its rules ask for", k.Name))
	}
}

// unmet reports an expectation of an example that does not hold.
func (c *checker) unmet(at diag.Span, of, what string, got, want any) {
	c.report("E-example", at, fmt.Sprintf("%s is %v, expected %v", what, got, want),
		"correct the example, or change "+of)
}

func (t *exampleRun) wantTraits(code string, written *spec.Want, want *model.Want, row *model.Row) {
	if want.Retryable != nil && *want.Retryable != row.Retryable {
		t.unmet(written.Retryable.Span, code, "retryable", row.Retryable, *want.Retryable)
	}
	if want.Recoverability != nil && *want.Recoverability != row.Recoverability {
		t.unmet(written.Recoverability.Span, code, "recoverability", row.Recoverability, *want.Recoverability)
	}
	if want.Severity != nil && *want.Severity != row.Severity {
		t.unmet(written.Severity.Span, code, "severity", row.Severity, *want.Severity)
	}
	if want.Reaction != "" && want.Reaction != row.Reaction.Name {
		t.unmet(written.Reaction.Span, code, "reaction", row.Reaction.Name, want.Reaction)
	}
}

func (t *exampleRun) wantContext(code string, written *spec.Want, want *model.Want, ctx model.Context) {
	for i, w := range want.Context {
		at := cmp.Or(written.Context[i].Value.Span, written.Context[i].Field.Span)
		got, present := ctx.Get(w.Field)
		switch {
		case !present:
			t.unmet(at, code, w.Field.Wire, "absent", w.Field.Shown(w.Value))
		case same(w.Value, got):
		case w.Field.Sensitive || w.Field.Type == model.ObjectType:
			t.unmet(at, code, w.Field.Wire, "another value", "this one")
		default:
			t.unmet(at, code, w.Field.Wire, w.Field.Shown(got), w.Field.Shown(w.Value))
		}
	}
}

// same reports whether a value is the wanted one. Only the wanted fields of objects are compared,
// and the order of keys in JSON is ignored.
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
		var a, b any
		return json.Unmarshal([]byte(want.Str), &a) == nil && json.Unmarshal([]byte(got.Str), &b) == nil &&
			reflect.DeepEqual(a, b)
	}
	return want.Equal(got)
}
