package breaker

import (
	"time"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const defaultWindow = 10 * time.Second

// rule is what a policy says, by which it is known: policies that share a name and have other
// numbers do not share a bound.
type rule struct {
	policy  string
	retries float64
	reserve int
	window  time.Duration
	breaks  bool
	breaker taxonomy.Breaker
}

func ruleOf(p *taxonomy.Policy) rule {
	b := p.Budget
	r := rule{policy: p.Name, retries: b.Retries, reserve: max(0, b.Reserve), window: b.Window}
	if r.retries != r.retries { // no number, and not equal to itself
		r.retries = 0
	}
	if r.window <= 0 {
		r.window = defaultWindow
	}
	if b.Breaker != nil {
		r.breaks, r.breaker = true, sound(*b.Breaker)
	}
	return r
}

// bound is what bounds a lane because of one policy.
type bound struct {
	rule    rule
	made    time.Time
	used    time.Time
	circuit *circuit // nil when there is none
	calls   counter
	retries counter
	refused int // retries, in all
}

func newBound(r rule, now time.Time) *bound {
	b := &bound{rule: r, made: now, calls: newCounter(r.window, now), retries: newCounter(r.window, now)}
	if r.breaks {
		b.circuit = newCircuit(r.breaker, now)
	}
	return b
}

func (b *bound) isClosed() bool { return b.circuit == nil || b.circuit.isClosed() }

func (b *bound) opens(now time.Time) time.Time {
	if b.circuit == nil {
		return now
	}
	return b.circuit.opens(now)
}

func (b *bound) begin(caller string, now time.Time) {
	b.calls.add(now)
	if b.circuit != nil {
		b.circuit.begin(caller, now)
	}
}

func (b *bound) end(caller string, end retry.CallEnd, own bool) {
	if b.circuit != nil {
		b.circuit.end(caller, end, own)
	}
}

// retry takes a retry out of the budget, and returns false when it is empty. What is a retry itself
// earns none.
func (b *bound) retry(now time.Time) bool {
	if b.rule.retries < 0 {
		return true
	}
	retries := b.retries.sum(now)
	first := max(0, b.calls.sum(now)-retries)
	if float64(retries) >= float64(b.rule.reserve)+b.rule.retries*float64(first) {
		b.refused++
		return false
	}
	b.retries.add(now)
	return true
}
