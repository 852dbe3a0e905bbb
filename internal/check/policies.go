package check

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

// policies finds policies whose numbers contradict each other, and budgets and adaptations that do
// nothing.
func policies(c *checker) {
	for i := range c.t.Policies {
		c.policy(&c.t.Policies[i])
	}
	for _, r := range c.reactions {
		if r.Policy != nil && r.Policy.Inline != nil {
			c.policy(r.Policy.Inline)
		}
	}
}

func (c *checker) policy(p *spec.Policy) {
	attempts := numberOf("max_attempts", p.MaxAttempts, 3)
	initial := numberOf("initial_delay", p.InitialDelay, time.Second)
	longest := numberOf("max_delay", p.MaxDelay, 30*time.Second)
	ordered(c, initial, longest)
	if a := p.Adapt; a != nil {
		if a.Attempts == nil && a.Delay == nil {
			c.report("E-missing-key", a.Span, "adapt needs attempts or delay", "set a bound, as in attempts: {max: 6}")
		}
		if r := a.Attempts; r != nil {
			adapts(c, "attempts", attempts, r.Min, r.Max, r.Span)
		}
		if r := a.Delay; r != nil && adapts(c, "delay", initial, r.Min, r.Max, r.Span) {
			ordered(c, numberOf("adapt.delay.max", r.Max, initial.v), longest)
		}
	}
	if b := p.Budget; b != nil {
		c.budget(b)
	}
}

func (c *checker) budget(b *spec.Budget) {
	stray := firstSpan(b.Reserve.Span, b.Window.Span)
	if !b.Retries.Set && stray.Valid() {
		c.report("E-missing-key", stray, "reserve and window need retries",
			"set how many retries each call may have, as in retries: 0.2")
	} else if !b.Retries.Set && b.Breaker == nil {
		c.report("E-missing-key", b.Span, "budget needs retries or breaker",
			"set retries: 0.2 or breaker: {failures: 5}")
	}
	if k := b.Breaker; k != nil && !k.Failures.Set {
		c.report("E-missing-key", k.Span, "breaker needs failures",
			"set how many of the last calls open it, as in failures: 5")
	} else if k != nil && k.Of.Set {
		ordered(c, numberOf("failures", k.Failures, 0), numberOf("of", k.Of, 0))
	}
}

// adapts checks that the bounds of adapt contain the policy's own number.
func adapts[T cmp.Ordered](c *checker, key string, own policyNumber[T], least, most spec.Val[T], at diag.Span) bool {
	if !least.Set && !most.Set {
		c.report("E-missing-key", at, key+" needs min or max", fmt.Sprintf("set how far %s may move", own.key))
		return false
	}
	low := numberOf("adapt."+key+".min", least, own.v)
	high := numberOf("adapt."+key+".max", most, own.v)
	if least.Set && most.Set && !ordered(c, low, high) {
		return false
	}
	return ordered(c, low, own) && ordered(c, own, high)
}

// policyNumber is a number of a policy, with the default if it is not set.
type policyNumber[T cmp.Ordered] struct {
	key string
	v   T
	at  diag.Span // no place for a default
}

func numberOf[T cmp.Ordered](key string, v spec.Val[T], def T) policyNumber[T] {
	return policyNumber[T]{key, v.Or(def), v.Span}
}

func (n policyNumber[T]) String() string {
	v := strings.TrimSuffix(fmt.Sprint(n.v), "m0s")
	if v != fmt.Sprint(n.v) {
		v += "m"
	}
	if !n.at.Valid() {
		v += " by default"
	}
	return n.key + " (" + v + ")"
}

// ordered reports that a number is above the one that bounds it, at the later of the two: that is
// mostly the one in a profile.
func ordered[T cmp.Ordered](c *checker, low, high policyNumber[T]) bool {
	if low.v <= high.v || !low.at.Valid() && !high.at.Valid() {
		return true
	}
	at, other := low.at, high
	if isLater(high.at, at) {
		at, other = high.at, low
	}
	c.report("E-policy-bounds", at, fmt.Sprintf("%s is above %s", low, high),
		fmt.Sprintf("lower %s, or raise %s", low.key, high.key), seeAlso(other.at, other.key))
	return false
}
