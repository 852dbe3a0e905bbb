package executor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Uncategorized is the code in outcomes of failures without a code.
const Uncategorized = "uncategorized"

// Admitter admits calls: budgets, breakers, shared waits, and measures against likely failures.
type Admitter interface {
	// Admit returns nil if the call may be made. After a *[Closed] the run waits and calls Admit
	// again, unless no retry is left. Any other error is a failure. If the budget refuses the call,
	// it is evidence of source "budget".
	Admit(ctx context.Context, c Call) error
	// Done reports the end of the admitted call of a run: f is nil after success.
	Done(run string, f *Failure, cancelled bool)
	// Pause closes the lane of a provider's credential.
	Pause(ctx context.Context, provider, credential string, until time.Time) error
}

// Closed is an error of [Admitter].
type Closed struct {
	// Until is when to call Admit again, Why the reason.
	Until time.Time
	Why   string
	// Exhausted reports that the shared retry budget has no retry left.
	Exhausted bool
}

// Error describes the wait.
func (c *Closed) Error() string {
	if c.Exhausted {
		return "the shared retry budget is exhausted"
	}
	return "no call before " + c.Until.Format(time.RFC3339) + ": " + c.Why
}

// Admission limits calls. Each part may be nil.
type Admission struct {
	// Budget decides whether another call may be paid.
	Budget Budget
	// Lanes are the waits that runs with the same provider and credential share.
	Lanes retry.SharedWait
	// Breaker limits the calls and retries of all runs together, as policies with a budget specify.
	Breaker retry.Breaker
	// Adaptive adapts policies with `adapt`, and learns from each call.
	Adaptive *retry.Adaptive
	// Preventer takes measures against likely failures; Checker runs its checks.
	Preventer Preventer
	Checker   Checker
	// Learners learn the outcomes of calls.
	Learners []retry.Learner
	// Admitter replaces all of the above except Adaptive.
	Admitter Admitter
}

// Budget decides whether another call may be paid.
type Budget interface {
	// Allow returns nil if a further call is within the budget, and otherwise evidence of source
	// "budget", op "budget" and type "exceeded" or "unknown_cost". It is called before each call.
	Allow(ctx context.Context, c Call) error
}

// Preventer chooses measures before a call that is likely to fail. Package predict makes one from a
// taxonomy's `prevent` and a forecast. It is safe for concurrent use.
type Preventer interface {
	// Before is called before each call. If it returns a Wait, the executor waits and calls Before
	// again. Otherwise the call is made after the Check has passed, and Release is called after it.
	Before(ctx context.Context, c Call) (Precaution, error)
}

// Precaution is a measure before a call. The zero Precaution is no measure.
type Precaution struct {
	// Code is the likely failure. It is empty if none is likely.
	Code string
	// Check names the check that must pass. If it is empty, there is no check.
	Check string
	// Wait is how long to wait before calling Before again.
	Wait time.Duration
	// Release frees the place that the call takes. It is nil if the call takes no place.
	Release func()
}

// Checker runs the checks that `prevent` names. The generated function Check is one way to
// implement it. It is safe for concurrent use.
type Checker interface {
	// Check runs the named check. An error fails the call that it was made for, as if the provider
	// had returned it. It must return when ctx ends, after Limits.Check or with the iteration.
	Check(ctx context.Context, name string) error
}

// admission implements [Admitter] with the parts of an [Admission].
type admission struct {
	Admission
	clock        retry.Clock
	credential   func(tier int) string
	checkTimeout time.Duration

	mu      sync.Mutex
	places  map[string]place  // of the admitted calls, by run
	charged map[string]string // the retry that was last charged to the budget, by run
}

// place holds the resources of an admitted call.
type place struct {
	Call
	began      time.Time
	precaution Precaution
	release    func(retry.Result) // of the breaker
}

func newAdmission(c *Config, credential func(tier int) string) Admitter {
	if c.Admission.Admitter != nil {
		return c.Admission.Admitter
	}
	a := &admission{
		Admission: c.Admission, clock: c.Clock, credential: credential, checkTimeout: c.Limits.Check,
		places: map[string]place{}, charged: map[string]string{},
	}
	if a.Adaptive != nil {
		a.Learners = append([]retry.Learner{a.Adaptive}, a.Learners...)
	}
	return a
}

// Admit checks the retry budget, the budget, the lane, the breaker, the preventer and the check of
// a precaution, in this order. If one refuses, Admit releases the resources of the earlier ones.
func (a *admission) Admit(ctx context.Context, c Call) error {
	c.Lane = c.Provider + "/" + a.credential(c.Tier)
	if a.Breaker != nil && a.chargeRetry(c) && !a.Breaker.Retry(c.Lane, c.RetryOf.Policy) {
		return &Closed{Exhausted: true}
	}
	if a.Budget != nil && !c.OverBudget {
		if err := a.Budget.Allow(ctx, c); err != nil {
			return err
		}
	}
	if a.Lanes != nil {
		until, err := a.Lanes.Until(ctx, c.Lane)
		if err != nil {
			warn(ctx, "read the shared wait", err)
		} else if until.After(c.Now) {
			return &Closed{Until: until, Why: "lane"}
		}
	}
	p := place{Call: c}
	for _, part := range []func(context.Context, *place) error{a.acquire, a.prevent, a.check} {
		if err := part(ctx, &p); err != nil {
			p.leave(retry.Result{Cancelled: true})
			return err
		}
	}
	p.began = a.clock.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.places[c.Run] = p
	return nil
}

// chargeRetry reports whether the call is a retry that is not yet charged to the budget. A retry
// that waits is admitted several times, but charged once.
func (a *admission) chargeRetry(c Call) bool {
	if c.RetryOf == nil || c.RetryOf.Policy == nil {
		return false
	}
	key := fmt.Sprint(c.Iteration, c.RetryOf.Attempt, c.RetryOf.Code)
	a.mu.Lock()
	defer a.mu.Unlock()
	charged := a.charged[c.Run] == key
	a.charged[c.Run] = key
	return !charged
}

// prevent takes the measures against a likely failure. If the preventer fails, it takes none.
func (a *admission) prevent(ctx context.Context, p *place) error {
	if a.Preventer == nil {
		return nil
	}
	precaution, err := a.Preventer.Before(ctx, p.Call)
	if err != nil {
		warn(ctx, "choose measures before a call", err)
		return nil
	}
	p.precaution = precaution
	if precaution.Wait <= 0 {
		return nil
	}
	why := strings.TrimSuffix("prevent: "+text.Beginning(precaution.Code, maxMessage), ": ")
	return &Closed{Until: p.Now.Add(precaution.Wait), Why: why}
}

// acquire gets permission from the breaker. If the breaker fails, the call is permitted.
func (a *admission) acquire(ctx context.Context, p *place) error {
	if a.Breaker == nil {
		return nil
	}
	release, err := a.Breaker.Acquire(ctx, p.Lane)
	if wait, refused := retry.RefusedFor(err); refused {
		return &Closed{Until: p.Now.Add(wait), Why: "breaker"}
	}
	if err != nil {
		warn(ctx, "acquire the breaker", err)
		return nil
	}
	p.release = release
	return nil
}

var errCheckLimit = errors.New("the time limit of the check passed")

// check runs the check of a precaution. Its failure fails the call.
func (a *admission) check(ctx context.Context, p *place) error {
	name := text.Beginning(p.precaution.Check, maxMessage)
	switch {
	case name == "":
		return nil
	case a.Checker == nil:
		warn(ctx, "skip check "+name+": the configuration has no Checker", nil)
		return nil
	}
	began := a.clock.Now()
	limited, stop := context.WithTimeoutCause(ctx, a.checkTimeout, errCheckLimit)
	defer stop()
	err := contain(p.Provider, OpCall, func() error { return a.Checker.Check(limited, p.precaution.Check) })
	if err == nil || ctx.Err() != nil {
		return err
	}
	if context.Cause(limited) == errCheckLimit {
		e := Effect{Op: OpCall, Source: p.Provider, Iteration: p.Iteration, Limit: a.checkTimeout}
		err = timeoutEvidence(&e, err, a.clock.Now().Sub(began))
	}
	return &checkError{err}
}

// checkError is the failure of a check before a call.
type checkError struct{ err error }

func (c *checkError) Error() string { return c.err.Error() }

// Done releases the resources of the call and passes its outcome to the learners.
func (a *admission) Done(run string, f *Failure, cancelled bool) {
	a.mu.Lock()
	p, ok := a.places[run]
	delete(a.places, run)
	a.mu.Unlock()
	if !ok {
		return
	}
	end := retry.Result{Failed: f != nil, Cancelled: cancelled}
	if f != nil {
		end.Policy = f.budgetPolicy()
	}
	p.leave(end)
	if cancelled {
		return
	}
	now := a.clock.Now()
	o := retry.Outcome{At: now, Took: now.Sub(p.began), Provider: p.Provider, Lane: p.Lane, Attempt: 1}
	if of := p.RetryOf; of != nil {
		o.After, o.Attempt, o.Wait = cmp.Or(of.Code, Uncategorized), of.Attempt, of.Wait
		if of.Policy != nil {
			o.Policy = of.Policy.Name
		}
	}
	if f != nil {
		o.Code = cmp.Or(f.Code, Uncategorized)
	}
	for _, l := range a.Learners {
		ignorePanic(func() { l.Learn(o) })
	}
}

// budgetPolicy returns the policy by which a breaker judges the failure: the first of the chain
// with a budget, or the first.
func (f *Failure) budgetPolicy() *taxonomy.Policy {
	var first *taxonomy.Policy
	for i := range f.Chain {
		p := f.Chain[i].Policy
		if p != nil && p.Budget != nil {
			return p
		}
		if first == nil {
			first = p
		}
	}
	return first
}

// leave releases the resources of a call.
func (p *place) leave(end retry.Result) {
	if p.release != nil {
		p.release(end)
	}
	if p.precaution.Release != nil {
		p.precaution.Release()
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
	if err != nil {
		s += ": " + text.Error(err, maxMessage)
	}
	if h := hooksOf(ctx); h.emit != nil {
		h.emit(Event{Kind: Warned, Text: s})
	}
}
