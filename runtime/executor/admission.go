package executor

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/retry"
)

// Admission limits calls. Each part may be nil.
type Admission struct {
	// Budget decides whether another call may be paid for.
	Budget Budget
	// Lanes are the waits that runs with the same provider and credential share.
	Lanes retry.SharedWait
	// Breaker limits the calls and retries of all runs together, as policies with a budget specify.
	Breaker retry.Breaker
	// Adaptive adapts policies with `adapt`, and learns from each call.
	Adaptive *retry.Adaptive
	// Preventer takes measures against likely failures.
	Preventer Preventer
	// Learners learn the outcomes of calls.
	Learners []retry.Learner
}

// Budget decides whether another call may be paid for.
type Budget interface {
	// Allow returns nil if a further call is within the budget, and otherwise evidence of source
	// "budget", op "budget" and type "exceeded" or "unknown_cost". It is called before each call.
	//
	//errgen:errors foreign
	Allow(ctx context.Context, c Call) error
}

// Preventer takes measures before a call that is likely to fail. Package prevent makes one from a
// taxonomy's `prevent` and a forecast. It is safe for concurrent use.
type Preventer interface {
	// Before is called before each call, and may wait. Release, unless nil, is called after the call.
	// An error fails the call, as if the provider had returned it. Only after the refusal of package
	// prevent does the run wait and call Before again. Before must return when ctx ends.
	Before(ctx context.Context, c Call) (release func(), err error)
}

// admission admits calls with the parts of an [Admission].
type admission struct {
	Admission
	clock      retry.Clock
	credential func(tier int) string

	mu    sync.Mutex
	calls map[string]admittedCall // by run
}

// admittedCall is a call with the resources that it holds until it ends.
type admittedCall struct {
	Call
	began    time.Time
	releases []func(retry.Result)
}

func newAdmission(c *Config, credential func(tier int) string) *admission {
	a := &admission{
		Admission: c.Admission, clock: c.Clock, credential: credential,
		calls: map[string]admittedCall{},
	}
	if a.Adaptive != nil {
		a.Learners = append([]retry.Learner{a.Adaptive}, a.Learners...)
	}
	return a
}

// Admit returns nil if the call may be made. After a *[loop.Admission] the run waits and asks again, unless
// no retry is left. Any other error is a failure. Admit passes the call through the parts in their
// order. If one refuses, Admit releases the resources of the earlier ones.
func (a *admission) Admit(ctx context.Context, c Call) error {
	c.Lane = c.Provider + "/" + a.credential(c.Tier)
	p := admittedCall{Call: c}
	for _, part := range []func(context.Context, *admittedCall) error{
		a.charge, a.checkBudget, a.checkLane, a.acquire, a.prevent,
	} {
		if err := part(ctx, &p); err != nil {
			p.release(retry.Result{Cancelled: true})
			return err
		}
	}
	p.began = a.clock.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls[c.Run] = p
	return nil
}

// charge charges a retry to the shared retry budget, when it asks for admission first.
func (a *admission) charge(_ context.Context, p *admittedCall) error {
	of := p.RetryOf
	if a.Breaker == nil || of == nil || of.Policy == nil || of.Charged || a.Breaker.Retry(p.Lane, of.Policy) {
		return nil
	}
	return &loop.Admission{Exhausted: true}
}

func (a *admission) checkBudget(ctx context.Context, p *admittedCall) error {
	if a.Budget == nil || p.OverBudget {
		return nil
	}
	return a.Budget.Allow(ctx, p.Call)
}

// checkLane permits the call if the shared wait cannot be read.
func (a *admission) checkLane(ctx context.Context, p *admittedCall) error {
	if a.Lanes == nil {
		return nil
	}
	until, err := a.Lanes.Until(ctx, p.Lane)
	if err != nil {
		warn(ctx, "read the shared wait", err)
	} else if until.After(p.Now) {
		return &loop.Admission{Until: until, Why: "lane"}
	}
	return nil
}

// acquire permits the call if the breaker fails.
func (a *admission) acquire(ctx context.Context, p *admittedCall) error {
	if a.Breaker == nil {
		return nil
	}
	release, err := a.Breaker.Acquire(ctx, p.Lane)
	if wait, refused := retry.RefusedFor(err); refused {
		return &loop.Admission{Until: p.Now.Add(wait), Why: "breaker"}
	}
	if err != nil {
		warn(ctx, "acquire the breaker", err)
		return nil
	}
	p.releases = append(p.releases, release)
	return nil
}

func (a *admission) prevent(ctx context.Context, p *admittedCall) error {
	if a.Preventer == nil {
		return nil
	}
	release, err := a.Preventer.Before(ctx, p.Call)
	if _, waits := errors.AsType[*loop.Admission](err); err != nil && !waits && ctx.Err() == nil {
		return &partError{source: p.Provider, op: loop.OpCall, err: err}
	}
	if err == nil && release != nil {
		p.releases = append(p.releases, func(retry.Result) { release() })
	}
	return err
}

// Done releases the resources of the call and passes its outcome to the learners.
func (a *admission) Done(run string, f *loop.Failure, cancelled bool) {
	a.mu.Lock()
	p, ok := a.calls[run]
	delete(a.calls, run)
	a.mu.Unlock()
	if !ok {
		return
	}
	end := retry.Result{Failed: f != nil, Cancelled: cancelled}
	if f != nil {
		end.Policy = f.BudgetPolicy()
	}
	p.release(end)
	if cancelled {
		return
	}
	now := a.clock.Now()
	o := retry.Outcome{At: now, Took: now.Sub(p.began), Provider: p.Provider, Lane: p.Lane, Attempt: 1}
	if of := p.RetryOf; of != nil {
		o.After, o.Attempt, o.Wait = cmp.Or(of.Code, retry.Uncategorized), of.Attempt, of.Wait
		if of.Policy != nil {
			o.Policy = of.Policy.Name
		}
	}
	if f != nil {
		o.Code = cmp.Or(f.Code, retry.Uncategorized)
	}
	for _, l := range a.Learners {
		ignorePanic(func() { l.Learn(o) })
	}
}

func (p *admittedCall) release(end retry.Result) {
	for _, release := range p.releases {
		release(end)
	}
}

// Pause closes the lane of a provider's credential. If credential is empty, it closes the lane of
// the provider.
func (a *admission) Pause(ctx context.Context, provider, credential string, until time.Time) error {
	if a.Lanes == nil {
		return nil
	}
	return a.Lanes.Pause(ctx, provider+"/"+credential, until)
}

// warn sends a warning to the run that an effect belongs to.
func warn(ctx context.Context, s string, err error) {
	if h := loop.HooksOf(ctx); h.Emit != nil {
		h.Emit(Event{Kind: Warned, Text: s + ": " + text.Error(err, maxMessage)})
	}
}
