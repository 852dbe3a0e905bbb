package taxonomy

import (
	"math"
	"time"
)

// The shares of first retries that succeed which `adapt` may aim at: of what is nearer to none and
// all too little is ever seen.
const leastTarget, mostTarget = 0.01, 0.99

// What can be remembered for each code or lane, so that memory is bounded.
const (
	leastOutcomes = 10
	mostOutcomes  = 1000
	// mostMoved is the most attempts that `adapt` may move to, mostNumber the greatest of other
	// numbers.
	mostMoved  = 100
	mostNumber = 1_000_000
)

// layAdapt lays what top says of adapt over p, which has top's numbers already. A bound that was
// left out follows them.
func (v *overlay) layAdapt(p *Policy, top *PolicyOverride, at string) {
	if p.Adapt == nil && top.Adapt == nil {
		return
	}
	a := Adapt{Target: 0.8, Window: 50}
	if p.Adapt != nil {
		a = *p.Adapt
	}
	if top.Adapt != nil {
		v.layBounds(&a, top.Adapt, at)
	}
	a.follow(p)
	if r := top.Adapt; r != nil && r.Delay != nil && a.MaxDelay == 0 {
		v.problem(at+".delay", "the longest is 0s: nothing could move")
	}
	p.Adapt = &a
	if top.Adapt != nil || top.MaxAttempts != nil || top.InitialDelay != "" || top.MaxDelay != "" {
		v.checkAdapt(p, top.Adapt, at)
	}
}

// follow has the bounds that were left out be the policy's own numbers.
func (a *Adapt) follow(p *Policy) {
	if a.FollowsMinAttempts {
		a.MinAttempts = p.MaxAttempts
	}
	if a.FollowsMaxAttempts {
		a.MaxAttempts = p.MaxAttempts
	}
	if a.FollowsMinDelay {
		a.MinDelay = p.InitialDelay
	}
	if a.FollowsMaxDelay {
		a.MaxDelay = p.InitialDelay
	}
}

func (v *overlay) layBounds(a *Adapt, top *AdaptOverride, at string) {
	if r := top.Attempts; r != nil {
		if a.MinAttempts == 0 && a.MaxAttempts == 0 {
			a.FollowsMinAttempts, a.FollowsMaxAttempts = true, true
		}
		layNumber(&a.MinAttempts, r.Min)
		layNumber(&a.MaxAttempts, r.Max)
		a.FollowsMinAttempts, a.FollowsMaxAttempts = a.FollowsMinAttempts && r.Min == nil, a.FollowsMaxAttempts &&
			r.Max == nil
	}
	if r := top.Delay; r != nil {
		if a.MaxDelay == 0 {
			a.FollowsMinDelay, a.FollowsMaxDelay = true, true
		}
		v.duration(&a.MinDelay, r.Min, at+".delay.min")
		v.duration(&a.MaxDelay, r.Max, at+".delay.max")
		a.FollowsMinDelay, a.FollowsMaxDelay = a.FollowsMinDelay && r.Min == "", a.FollowsMaxDelay && r.Max == ""
	}
	layNumber(&a.Target, top.Target)
	layNumber(&a.Window, top.Window)
}

func layNumber[T any](dst, top *T) {
	if top != nil {
		*dst = *top
	}
}

func (v *overlay) checkAdapt(p *Policy, top *AdaptOverride, at string) {
	a := p.Adapt
	said := top != nil && top.Attempts != nil
	attempts, delay := said || a.MinAttempts != 0 || a.MaxAttempts != 0, a.MinDelay != 0 || a.MaxDelay != 0
	if !attempts && !delay {
		v.problem(at, "needs attempts or delay: nothing may move")
	}
	switch {
	case !attempts:
	case a.MinAttempts < 1:
		v.problem(at+".attempts", "min is at least 1, not %d", a.MinAttempts)
	case a.MinAttempts > p.MaxAttempts:
		v.problem(at+".attempts", "min %d is above max_attempts %d", a.MinAttempts, p.MaxAttempts)
	case a.MaxAttempts > mostMoved:
		v.problem(at+".attempts", "max is at most %d, not %d", mostMoved, a.MaxAttempts)
	case a.MaxAttempts < p.MaxAttempts:
		v.problem(at+".attempts", "max %d is below max_attempts %d", a.MaxAttempts, p.MaxAttempts)
	}
	switch {
	case !delay:
	case a.MinDelay > p.InitialDelay:
		v.problem(at+".delay", "min %s is above initial_delay %s", a.MinDelay, p.InitialDelay)
	case a.MaxDelay < p.InitialDelay:
		v.problem(at+".delay", "max %s is below initial_delay %s", a.MaxDelay, p.InitialDelay)
	}
	if delay && a.MaxDelay > p.MaxDelay {
		v.problem(at+".delay", "max %s is above max_delay %s", a.MaxDelay, p.MaxDelay)
	}
	if !(a.Target >= leastTarget && a.Target <= mostTarget) {
		v.problem(at+".target", "from %v to %v, not %v", leastTarget, mostTarget, a.Target)
	}
	if a.Window < leastOutcomes || a.Window > mostOutcomes {
		v.problem(at+".window", "from %d to %d, not %d", leastOutcomes, mostOutcomes, a.Window)
	}
}

// layBudget lays top over the policy's budget.
func (v *overlay) layBudget(p *Policy, top *BudgetOverride, at string) {
	if top == nil {
		return
	}
	b := Budget{Retries: -1, Reserve: 3, Window: 10 * time.Second}
	if p.Budget != nil {
		b = *p.Budget
	}
	layNumber(&b.Retries, top.Retries)
	layNumber(&b.Reserve, top.Reserve)
	v.duration(&b.Window, top.Window, at+".window")
	v.layBreaker(&b, top.Breaker, at+".breaker")
	p.Budget = &b
	if top.Retries != nil && !(b.Retries >= 0 && !math.IsInf(b.Retries, 0)) {
		v.problem(at+".retries", "at least 0, not %v", b.Retries)
	}
	if top.Retries == nil && b.Retries < 0 {
		switch {
		case top.Reserve != nil || top.Window != "":
			v.problem(at, "reserve and window need retries: nothing else is counted")
		case b.Breaker == nil:
			v.problem(at, "needs retries or breaker: nothing is bounded")
		}
	}
	switch {
	case b.Reserve < 0:
		v.problem(at+".reserve", "at least 0, not %d", b.Reserve)
	case b.Reserve > mostNumber:
		v.problem(at+".reserve", "at most %d, not %d", mostNumber, b.Reserve)
	}
	if b.Window <= 0 {
		v.problem(at+".window", "more than 0s")
	}
}

// layBreaker lays top over the budget's breaker. An Of that was left out follows Failures.
func (v *overlay) layBreaker(b *Budget, top *BreakerOverride, at string) {
	if top == nil {
		return
	}
	c := Breaker{Probe: 5 * time.Second, Successes: 1, FollowsFailures: true}
	if b.Breaker != nil {
		c = *b.Breaker
	}
	layNumber(&c.Failures, top.Failures)
	layNumber(&c.Of, top.Of)
	if c.FollowsFailures = c.FollowsFailures && top.Of == nil; c.FollowsFailures {
		c.Of = c.Failures
	}
	v.duration(&c.Probe, top.Probe, at+".probe")
	layNumber(&c.Successes, top.Successes)
	b.Breaker = &c
	switch {
	case c.Failures == 0 && top.Failures == nil:
		v.problem(at, "needs failures: how many open it")
	case c.Failures < 1 || c.Failures > c.Of || c.Of > mostOutcomes:
		v.problem(at, "%d failures of %d calls: 1 or more, and no more than the calls, which are at most %d",
			c.Failures, c.Of, mostOutcomes)
	}
	if c.Probe <= 0 {
		v.problem(at+".probe", "more than 0s")
	}
	if c.Successes < 1 || c.Successes > mostOutcomes {
		v.problem(at+".successes", "from 1 to %d, not %d", mostOutcomes, c.Successes)
	}
}
