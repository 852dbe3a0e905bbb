package executor

import "context"

// Spending is what calls have cost: the sum of what is known, and of how many calls it is not
// known. The zero Spending is that of no call.
type Spending struct {
	// Calls counts the calls that were begun.
	Calls int `json:"calls"`
	// Usage is the sum of what is known.
	Usage Usage `json:"usage,omitzero"`
	// UnknownTokens counts the calls of which not both the tokens in and the tokens out are known,
	// UnknownCost those of which the cost is not. A call that is under way is one of them, and so
	// is one whose end nobody saw.
	UnknownTokens int `json:"unknownTokens,omitempty"`
	UnknownCost   int `json:"unknownCost,omitempty"`
}

// Bill is what a [Budget] decides on.
type Bill struct {
	Run  string
	Task string
	// Iteration is the one in which the call would be made; it counts from 1.
	Iteration int
	// Provider is the name of whoever would be called.
	Provider string
	// Attempt is what the iteration has cost so far, Total what the run has, iteration included.
	// Both hold the calls that processes have made from which the run was gone on with.
	Attempt, Total Spending
}

// Budget says whether another call may be paid.
type Budget interface {
	// Allow returns nil when a further call is within the budget, and otherwise evidence of source
	// "budget", op "budget" and type "exceeded" or "unknown_cost". It is asked before each call,
	// also before the second one of an iteration.
	Allow(ctx context.Context, b Bill) error
}

// begin adds a call of which nothing is known yet.
func (s *Spending) begin() {
	s.Calls++
	s.UnknownTokens++
	s.UnknownCost++
}

// end adds what a call cost that was begun. What cannot be counted is not known; then ok is false.
func (s *Spending) end(u Usage) (ok bool) {
	total, ok := s.Usage.plus(u)
	s.Usage = total
	if !ok {
		return false
	}
	if !u.InputTokens.IsZero() && !u.OutputTokens.IsZero() {
		s.UnknownTokens--
	}
	if !u.CostUSD.IsZero() {
		s.UnknownCost--
	}
	return true
}

// callBegins notes a call that begins.
func (r *runner) callBegins(it *iteration) {
	r.spent.begin()
	it.spent.begin()
	r.result.bear(r.spent)
}

// callEnds notes what a call cost.
func (r *runner) callEnds(it *iteration, u Usage) {
	it.spent.end(u)
	if !r.spent.end(u) {
		r.warn("the calls have cost more than can be counted", nil)
	}
	r.result.bear(r.spent)
}

// bear has the result say what the run has cost.
func (r *Result) bear(s Spending) {
	r.Calls, r.Usage, r.UnknownTokens, r.UnknownCost = s.Calls, s.Usage, s.UnknownTokens, s.UnknownCost
}

// Spending returns what the run has cost.
func (r *Result) Spending() Spending {
	return Spending{Calls: r.Calls, Usage: r.Usage, UnknownTokens: r.UnknownTokens, UnknownCost: r.UnknownCost}
}

// affordable asks the budget whether another call may be paid.
func (r *runner) affordable(ctx context.Context, it *iteration) bool {
	if r.cfg.Budget == nil {
		return true
	}
	op := operation{name: opBudget, source: sourceBudget, class: classWork}
	_, on := r.attempt(ctx, it, op, func() error {
		return r.cfg.Budget.Allow(ctx, Bill{
			Run: r.task.Run, Task: r.task.ID, Iteration: it.number, Provider: nameOf(r.provider()), Attempt: it.spent,
			Total: r.spent,
		})
	})
	return on
}
