package retry

import (
	"cmp"
	"context"
	"time"

	"github.com/errgen/errgen/runtime/internal/chain"
	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// states are the states of an operation and code: one for each reaction of the chain, because each
// reaction has a policy.
type states [taxonomy.MaxChain]State

var (
	again         = taxonomy.Reaction{Name: "retry", Action: taxonomy.Retry}
	defaultPolicy = taxonomy.DefaultPolicy("default")
	// underPolicy is the reaction to the errors that [ByPolicy] retries. It does not point to the
	// policy in the loop, so that the loop stays off the heap.
	underPolicy = taxonomy.Reaction{Action: taxonomy.Retry, HonorRetryAfter: true, Shared: taxonomy.SharedCredential,
		Then: &noReaction}
	// noReaction aborts. It has no name, because it is not from a table.
	noReaction taxonomy.Reaction
)

// decide returns the next call, or the reason for stopping and the reaction that applies then.
func (l *loop) decide(ctx context.Context, err error) (next Next, stop Stop, r *taxonomy.Reaction) {
	states, hint := l.history(err), l.hint(err)
	_, isPermanent := errtree.As[*permanent](err)
	stop = StoppedPermanent
	if errtree.Is(err, context.Canceled) {
		stop = StoppedCancelled
	}
	barred := l.barred()
	r = l.walk(err, func(depth int, r *taxonomy.Reaction) (exhausted bool) {
		switch {
		case barred != StoppedNot:
			stop = barred
		case !isPermanent:
			next, stop = l.try(ctx, err, r, &states[depth], hint)
		}
		return stop != StoppedNot
	})
	if stop != StoppedNot {
		next = Next{}
	}
	return next, stop, r
}

// walk visits the reactions to an error that retry, with their places in the chain, for as long as
// visit reports that they are exhausted. It returns the reaction that applies then: the last one
// visited, or the first one that does not retry.
func (l *loop) walk(err error, visit func(depth int, r *taxonomy.Reaction) (exhausted bool)) *taxonomy.Reaction {
	var last *taxonomy.Reaction
	_, r := chain.Choose(0, func(depth int) *taxonomy.Reaction {
		if depth == 0 {
			last = l.reaction(err)
		} else {
			last = l.table.Overlay.Next(last)
		}
		return last
	}, func(depth int, r *taxonomy.Reaction) bool { return r.Retries() && visit(depth, r) })
	return r
}

// try counts a failure under one reaction.
func (l *loop) try(ctx context.Context, err error, r *taxonomy.Reaction, s *State,
	hint taxonomy.Opt[time.Duration]) (Next, Stop) {
	p := l.policyOf(r)
	if !r.HonorRetryAfter {
		hint = taxonomy.Opt[time.Duration]{}
	}
	var next Next
	if l.adaptive != nil && p.Adapt != nil {
		l.failedCode, l.usedPolicy = learnedCode(err), p.Name
		adapted := l.adaptive.Policy(p, l.failedCode)
		next = s.Next(&adapted, hint, l.random)
	} else {
		next = s.Next(p, hint, l.random)
	}
	*s = next.State
	switch {
	case next.Stop != StoppedNot:
		return next, next.Stop
	case l.passesDeadline(ctx, next.Wait):
		return next, StoppedDeadline
	case l.breaker != nil && !l.breaker.Retry(l.lane, clone(p)):
		return next, StoppedBudget
	}
	return next, StoppedNot
}

// clone copies a policy for a breaker, which may retain it. Without the copy, the loop would move
// to the heap.
func clone(p *taxonomy.Policy) *taxonomy.Policy {
	c := *p
	return &c
}

// exhausted returns the reaction to an error after the last retry.
func (l *loop) exhausted(err error) *taxonomy.Reaction {
	return l.walk(err, func(int, *taxonomy.Reaction) bool { return true })
}

// reaction returns the first reaction to an error.
func (l *loop) reaction(err error) *taxonomy.Reaction {
	switch {
	case l.table.Taxonomy != nil && !errtree.Is(err, context.Canceled):
		r := l.table.Reaction(err)
		return &r
	case l.table.Taxonomy == nil && l.retryable(err):
		return &underPolicy
	}
	return &noReaction
}

// history returns the states for an error. With a table, each code has separate states.
func (l *loop) history(err error) *states {
	if l.table.Taxonomy == nil {
		return &l.states
	}
	code := learnedCode(err)
	s := l.codes[code]
	if s == nil {
		if l.codes == nil {
			l.codes = make(map[string]*states)
		}
		s = new(states)
		l.codes[code] = s
	}
	return s
}

// hint returns the wait in an error's hints, or nothing.
func (l *loop) hint(err error) taxonomy.Opt[time.Duration] {
	h, now := taxonomy.HintsOf(err), time.Time{}
	if !h.ResetAt.IsZero() {
		now = l.clock.Now()
	}
	return HintOf(h, now)
}

// policyOf returns the policy of a reaction that retries.
func (l *loop) policyOf(r *taxonomy.Reaction) *taxonomy.Policy {
	if l.table.Taxonomy == nil {
		return &l.policy
	}
	return cmp.Or(l.table.Overlay.PolicyOf(r), &defaultPolicy)
}

// budgetPolicy returns the policy under which the breaker counts a failure: the first one of the
// chain with a budget, or else the first one. If the error is not retried, it returns nil.
func (l *loop) budgetPolicy(err error) *taxonomy.Policy {
	if _, is := errtree.As[*permanent](err); is {
		return nil
	}
	var found *taxonomy.Policy
	l.walk(err, func(_ int, r *taxonomy.Reaction) bool {
		p := l.policyOf(r)
		if found == nil || p.Budget != nil {
			found = clone(p)
		}
		return p.Budget == nil
	})
	return found
}

// Decide returns the decision of [Do] after a failure, for a caller that stores its history between
// two calls, as a queue does. The options are those of Do; err is classified as they specify.
// earlier returns the failures before this one with a code, or with [Uncategorized]: their number
// and the sum of their waits.
//
// The *Error has the classified error and the reaction that applies now. If its Why is
// [StoppedNot], the next call follows after the wait in Next.
func Decide(err error, earlier func(code string) State, opts ...Option) (Next, *Error) {
	ctx := context.Background()
	l := loop{settings: settingsOf(opts)}
	l.last = l.classified(ctx, err)
	l.effect = observed(l.last, l.raw)
	before := earlier(learnedCode(l.last))
	l.calls, l.waited = before.Calls+1, before.Waited
	l.replay(l.last, before)
	next, why, reaction := l.decide(ctx, l.last)
	e := l.stopped(why, nil)
	e.Reaction = *reaction
	return next, e
}

// maxReplayed bounds the failures of a stored history that are replayed.
const maxReplayed = 1000

// replay counts earlier failures with the code of err. Their hints are unknown.
func (l *loop) replay(err error, earlier State) {
	states := l.history(err)
	for range min(earlier.Calls, maxReplayed) {
		l.walk(err, func(depth int, r *taxonomy.Reaction) bool {
			next := states[depth].Next(l.policyOf(r), taxonomy.Opt[time.Duration]{}, nil)
			states[depth] = next.State
			return next.Stop != StoppedNot
		})
	}
	states[0].Waited = max(0, earlier.Waited)
}
