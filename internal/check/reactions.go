package check

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// reactionKeys finds reactions whose keys do not fit their action.
func reactionKeys(c *checker) {
	for _, made := range c.m.MadeReactions {
		c.reactionKeys(made)
	}
}

func (c *checker) reactionKeys(made model.Made[taxonomy.Reaction, spec.Reaction]) {
	d, full, r, at := made.Written, made.Complete, made.Value, made.At
	report := func(at diag.Span, message, hint string) {
		c.report("E-action", at, fmt.Sprintf("reaction %q: %s", r.Name, message), hint)
	}
	asks := r.Retries() && r.Agent.Purpose != taxonomy.PurposeNone
	resolve.Untaken(d, full.Action, asks, func(key string, v reflect.Value) {
		report(placeOf(v), fmt.Sprintf("%s does not take %s", r.Action, key), "remove "+key)
	})
	tiers := c.m.Taxonomy.Tiers
	i := slices.IndexFunc(tiers, func(t taxonomy.Tier) bool { return t.Name == r.Agent.To })
	person := i >= 0 && tiers[i].Person
	var names []string
	for _, t := range tiers {
		if !t.Person {
			names = append(names, t.Name)
		}
	}
	switch {
	case r.Action == taxonomy.Recover && r.Strategy == "":
		report(at, "recover needs a strategy", "add strategy with a name that is declared under strategies")
	case r.Action == taxonomy.RetryOperation && full.Then == nil:
		report(at, "retry_operation needs then: the reaction when its attempts are exhausted",
			"add then: abort, or another one")
	case (r.Action == taxonomy.Escalate || asks) && len(tiers) == 0:
		report(at, fmt.Sprintf("%s needs a tier, and the taxonomy has none", r.Action), "declare one under tiers")
	case (r.Retries() || r.Action == taxonomy.Recover) && !r.CountFailure && r.Policy == nil:
		report(at, "a reaction that does not count as a failure needs a policy", "add policy, or count_failure: true")
	case asks && (i < 0 || person):
		message := fmt.Sprintf("%s with a purpose needs to: the tier that is asked", r.Action)
		if person {
			message = fmt.Sprintf("%q is a person, who is not asked during a %s", r.Agent.To, r.Action)
		}
		hint := "declare a tier that is not a person, or remove purpose"
		if len(names) > 0 {
			hint = fmt.Sprintf("set to to a tier that is not a person (%s), or remove purpose",
				strings.Join(names, ", "))
		}
		report(cmp.Or(d.To.Span, d.Purpose.Span, at), message, hint)
	case r.Action == taxonomy.Escalate && person && d.Purpose.Set:
		report(d.Purpose.Span, fmt.Sprintf("%q is a person, and takes no purpose", r.Agent.To), "remove purpose")
	}
	if r.Agent.AcceptCompletion && r.Agent.Revert == taxonomy.RevertNone {
		report(cmp.Or(d.AcceptCompletion.Span, at), "accept_completion needs revert",
			"add revert, or remove accept_completion")
	}
}

// placeOf returns the place of a key's value.
func placeOf(value reflect.Value) diag.Span {
	return reflect.Indirect(value).FieldByName("Span").Interface().(diag.Span)
}

// maxAdaptedAttempts is the highest limit of a range of attempts.
const maxAdaptedAttempts = 100

// policyBounds finds policies whose numbers contradict each other.
func policyBounds(c *checker) {
	for _, made := range c.m.MadePolicies {
		c.policyBounds(made)
	}
}

func (c *checker) policyBounds(made model.Made[taxonomy.Policy, spec.Policy]) {
	d, p, at := made.Written, made.Value, made.At
	report := func(at diag.Span, message, hint string) {
		c.report("E-policy-bounds", at, fmt.Sprintf("policy %q: %s", p.Name, message), hint)
	}
	if p.MaxDelay < p.InitialDelay {
		report(cmp.Or(d.MaxDelay.Span, d.InitialDelay.Span, at),
			fmt.Sprintf("max_delay %s is below initial_delay %s", p.MaxDelay, p.InitialDelay),
			fmt.Sprintf("raise max_delay to %s or more, or lower initial_delay", p.InitialDelay))
	}
	if p.Adapt != nil {
		adaptBounds(made, report)
	}
	if d.Budget != nil {
		budgetBounds(made, report)
	}
}

// reporter reports a finding at a place, with its fix.
type reporter func(at diag.Span, message, hint string)

// adaptBounds reports ranges that contradict the policy's numbers.
func adaptBounds(made model.Made[taxonomy.Policy, spec.Policy], report reporter) {
	d, full, p, a := made.Written, made.Complete, made.Value, made.Value.Adapt
	adapt := cmp.Or(d.Adapt, &spec.Adapt{Span: made.At})
	attempts := cmp.Or(adapt.Attempts, &spec.Attempts{Span: adapt.Span})
	switch {
	case full.Adapt.Attempts == nil && full.Adapt.Delay == nil:
		report(adapt.Span, "adapt needs attempts or delay", "add one of them, as in delay: {max: 10s}")
	case full.Adapt.Attempts == nil:
	case p.MaxAttempts > maxAdaptedAttempts:
		report(cmp.Or(attempts.Max.Span, attempts.Span),
			fmt.Sprintf("max_attempts %d is too high for adapt.attempts", p.MaxAttempts),
			fmt.Sprintf("lower max_attempts to %d or less, or remove attempts", maxAdaptedAttempts))
	case a.MinAttempts > p.MaxAttempts:
		report(cmp.Or(attempts.Min.Span, attempts.Span),
			fmt.Sprintf("adapt.attempts.min %d exceeds max_attempts %d", a.MinAttempts, p.MaxAttempts),
			fmt.Sprintf("lower min to %d or less, or raise max_attempts", p.MaxAttempts))
	case a.MaxAttempts < p.MaxAttempts:
		report(cmp.Or(attempts.Max.Span, attempts.Span),
			fmt.Sprintf("adapt.attempts.max %d is below max_attempts %d", a.MaxAttempts, p.MaxAttempts),
			fmt.Sprintf("raise max to %d or more, or lower max_attempts", p.MaxAttempts))
	}
	if full.Adapt.Delay != nil && p.MaxDelay >= p.InitialDelay {
		at := cmp.Or(adapt.Delay, &spec.Delays{Span: adapt.Span}).Span
		switch {
		case p.MaxDelay == 0:
			report(at, "max_delay 0s leaves adapt.delay no wait to change",
				"raise max_delay above 0s, or remove delay")
		case a.MinDelay > p.InitialDelay:
			report(at, fmt.Sprintf("adapt.delay.min %s exceeds initial_delay %s", a.MinDelay, p.InitialDelay),
				fmt.Sprintf("lower min to at most %s, or raise initial_delay", p.InitialDelay))
		case a.MaxDelay < p.InitialDelay:
			report(at, fmt.Sprintf("adapt.delay.max %s is below initial_delay %s", a.MaxDelay, p.InitialDelay),
				fmt.Sprintf("raise max to at least %s, or lower initial_delay", p.InitialDelay))
		case a.MaxDelay > p.MaxDelay:
			report(at, fmt.Sprintf("adapt.delay.max %s exceeds max_delay %s", a.MaxDelay, p.MaxDelay),
				fmt.Sprintf("lower max to at most %s, or raise max_delay", p.MaxDelay))
		case a.MaxDelay == 0:
			report(at, "adapt.delay.max 0s leaves no wait to change",
				fmt.Sprintf("set max to a delay above 0s, at most %s", p.MaxDelay))
		}
	}
}

// budgetBounds reports numbers of a budget and its breaker that contradict each other.
func budgetBounds(made model.Made[taxonomy.Policy, spec.Policy], report reporter) {
	d, budget, c := made.Written, made.Complete.Budget, made.Value.Budget.Breaker
	if !budget.Retries.Set && (c == nil || budget.Reserve.Set || budget.Window.Set) {
		report(d.Budget.Span, "a budget without retries can contain only breaker",
			"add retries, as in retries: 0.2; or remove the keys except breaker")
	}
	if c == nil {
		return
	}
	breaker := cmp.Or(d.Budget.Breaker, &spec.Breaker{Span: d.Budget.Span})
	switch place := cmp.Or(breaker.Failures.Span, breaker.Span); {
	case c.Failures == 0:
		report(place, "breaker needs failures", "add failures, as in failures: 5")
	case c.Failures > c.Of:
		report(place, fmt.Sprintf("breaker.failures %d exceeds of %d", c.Failures, c.Of),
			fmt.Sprintf("lower failures to %d or less, or raise of to %d or more", c.Of, c.Failures))
	}
}
