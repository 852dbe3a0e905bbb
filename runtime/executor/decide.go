package executor

import (
	"math"
	"time"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// maxInPlace bounds the tries in place under a policy that bounds only time, which waits of no
	// length never use up.
	maxInPlace = 100
)

// trail is what happened so far to an operation and code, for each reaction of a chain: what
// follows by `then` has a policy of its own, and so a count of its own.
type trail [taxonomy.MaxChain]retry.State

// situation is all that a decision depends on.
type situation struct {
	reaction *taxonomy.Reaction
	op       operation
	// known reports that the failure has a place in the taxonomy.
	known   bool
	hint    retry.Hint
	now     time.Time
	profile *taxonomy.Profile // nil when there is none
	// deadline is when the run must be over, inPlace when what is tried again at once must be; zero
	// is no limit.
	deadline, inPlace time.Time
	ladder            ladder
	tier              int
	random            retry.Random
	// strategies reports that there is somebody to run them.
	strategies bool
	// adapted are the numbers that policies of the chain have in place of their own; nil changes
	// none.
	adapted *adapted
	// runs is how often the strategies of the chain have run for the operation and code, in the
	// whole run.
	runs [taxonomy.MaxChain]int
	// failed is the reaction whose strategy has failed, or that was refused, or nil; depth is its
	// place in the chain.
	failed *taxonomy.Reaction
	depth  int
}

// decision is what is to be done about a failure.
type decision struct {
	// reaction is the one that is carried out.
	reaction *taxonomy.Reaction
	// action is what the reaction comes to, after limits and the rules of the operation's class.
	action taxonomy.Action
	// wait comes before the next try.
	wait time.Duration
	// usedUp reports that limits led to another reaction than the first.
	usedUp bool
	// counts reports that a reaction on the way counts the failure.
	counts bool
	// end is why the run ends, when it does.
	end EndReason
	// tier is where an escalation leads.
	tier int
	// attempt counts the tries of what is repeated, or of a strategy; most is how many there may
	// be, 0 is no bound.
	attempt, most int
	// policy is the taxonomy's that was asked last; nil is none.
	policy *taxonomy.Policy
	// depth is the reaction's place in the chain, trail the updated counts.
	depth int
	trail trail
}

// What is done about failures without any category.
var (
	reactAbort    = taxonomy.Reaction{Name: "abort"}
	reactBlock    = taxonomy.Reaction{Name: "block", Action: taxonomy.Block}
	reactContinue = taxonomy.Reaction{Name: "continue", Action: taxonomy.Continue, LogLevel: taxonomy.LogWarn}
	reactOnce     = taxonomy.Reaction{Name: "retry_operation", Action: taxonomy.RetryOperation, Policy: &policyOnce,
		Then: &reactContinue, LogLevel: taxonomy.LogWarn}
	policyOnce = taxonomy.Policy{Name: "once", MaxAttempts: 2, InitialDelay: time.Second, Backoff: taxonomy.Constant}
	// policyInPlace bounds what is tried again in place by a reaction without a policy. The numbers
	// are the language's.
	policyInPlace = taxonomy.Policy{Name: "default", MaxAttempts: 3, InitialDelay: time.Second,
		MaxDelay: 30 * time.Second, Multiplier: 2}
	// policyFree is that of an iteration without one: only the limits of the run end it, and hints
	// are obeyed as by default.
	policyFree = taxonomy.Policy{Name: "none", MaxAttempts: math.MaxInt, MaxRetryAfter: 30 * time.Second}
)

// decide decides into d, whose trail is what happened so far, and is brought up to date. It is pure
// but for the random source, and allocates nothing.
func decide(s *situation, d *decision) {
	d.reaction, d.depth, d.usedUp, d.counts, d.end = s.first(), 0, false, false, ""
	d.policy, d.attempt, d.most = nil, 0, 0
	if s.failed != nil {
		d.reaction, d.depth, d.usedUp, d.end = s.follower(s.failed), s.depth+1, true, EndRetriesUsedUp
	}
	for ; d.depth < taxonomy.MaxChain; d.depth++ {
		d.counts = d.counts || d.reaction.CountFailure
		d.action, d.wait = d.reaction.Action, 0
		used := s.limit(d)
		if used == "" {
			s.classed(d)
			return
		}
		d.usedUp, d.end = true, used
		d.reaction = s.follower(d.reaction)
	}
	d.depth, d.reaction, d.action, d.end = 0, &reactAbort, taxonomy.Abort, EndFatal
}

// first returns the reaction that the chain begins with. What has no category has one by its class.
func (s *situation) first() *taxonomy.Reaction {
	switch {
	case s.op.class == classSide:
		return &reactContinue
	case s.known:
		return s.reaction
	case s.op.class == classSetup, s.op.class == classGuard:
		return &reactAbort
	case s.op.class == classDeliver:
		return &reactOnce
	}
	return s.reaction
}

// follower returns the reaction after one that is exhausted.
func (s *situation) follower(r *taxonomy.Reaction) *taxonomy.Reaction {
	next := s.profile.Next(r)
	switch {
	case next != nil:
		return next
	case r.Action == taxonomy.Retry, r.Action == taxonomy.Escalate:
		return &reactBlock
	}
	return &reactAbort
}

// classed applies what the operation's class makes of an action.
func (s *situation) classed(d *decision) {
	switch {
	case d.action == taxonomy.Continue && s.op.fixed:
		d.action, d.end = taxonomy.Block, EndBlocked
	case d.action == taxonomy.RetryOperation && s.op.single:
		d.action = taxonomy.Retry
	case d.action == taxonomy.Escalate && s.op.class == classSetup && s.op.fixed:
		d.action, d.end = taxonomy.Block, EndBlocked // it is no provider's fault
	case d.action > taxonomy.Recover:
		d.action = taxonomy.Abort // no action of the language
	}
	switch {
	case d.action == taxonomy.Abort:
		d.end = EndFatal
	case d.action != taxonomy.Block:
		d.end = ""
	case d.end == "":
		d.end = EndBlocked
	}
}

// limit completes d for its reaction, or returns why the reaction is used up.
func (s *situation) limit(d *decision) EndReason {
	switch d.reaction.Action {
	case taxonomy.Retry, taxonomy.RetryOperation:
		return s.try(d, s.policy(d.reaction))
	case taxonomy.Recover:
		return s.recovery(d)
	case taxonomy.Escalate:
		return s.climb(d)
	}
	return ""
}

// try counts a failure against the policy.
func (s *situation) try(d *decision, p *taxonomy.Policy) EndReason {
	d.policy = p
	if s.adapted == nil || !s.adapted[d.depth].set {
		return s.tryBy(d, p)
	}
	moved := s.adapted[d.depth].of(p)
	return s.tryBy(d, &moved)
}

// tryBy is try with the numbers that hold now.
func (s *situation) tryBy(d *decision, p *taxonomy.Policy) EndReason {
	series := &d.trail[d.depth]
	var next retry.Next
	if d.reaction.HonorRetryAfter {
		next = series.Next(p, s.hint, s.random)
	} else {
		next = series.Next(p, retry.Hint{}, s.random)
	}
	*series = next.State
	d.attempt, d.most = next.State.Calls, bound(p.MaxAttempts)
	if next.Stop != retry.StoppedNot || p.MaxAttempts <= 0 && s.here(d.reaction) && next.State.Calls >= maxInPlace {
		return EndRetriesUsedUp
	}
	if next.Wait > 0 {
		if used := s.tooLate(d.reaction, next.Wait); used != "" {
			return used
		}
	}
	d.wait = next.Wait
	return ""
}

// tooLate returns what has no time left after the wait: the run, or the iteration that something is
// to be run again in. The second says nothing of the run's time.
func (s *situation) tooLate(r *taxonomy.Reaction, wait time.Duration) EndReason {
	past := func(t time.Time) bool { return !t.IsZero() && s.now.Add(wait).After(t) }
	switch {
	case past(s.deadline):
		return EndDeadline
	case inPlace(r) && past(s.inPlace):
		return EndRetriesUsedUp
	}
	return ""
}

// inPlace reports that the reaction runs again only what failed.
func inPlace(r *taxonomy.Reaction) bool {
	return r.Action == taxonomy.RetryOperation || r.Action == taxonomy.Recover && r.Resume == taxonomy.ResumeOperation
}

// policy returns what bounds and spaces the tries of a reaction.
func (s *situation) policy(r *taxonomy.Reaction) *taxonomy.Policy {
	p := s.declared(r)
	switch {
	case p != nil:
		return p
	case s.here(r):
		return &policyInPlace
	}
	return &policyFree
}

// declared returns the policy that reaction or profile names, or nil.
func (s *situation) declared(r *taxonomy.Reaction) *taxonomy.Policy {
	if r.Policy == nil && s.profile != nil {
		return s.profile.Retry.Policy
	}
	return r.Policy
}

// retries reports whether the reaction tries again.
func (s *situation) retries(r *taxonomy.Reaction) bool {
	switch r.Action {
	case taxonomy.Retry, taxonomy.RetryOperation:
		return true
	case taxonomy.Recover:
		return s.strategies
	}
	return false
}

// here reports that what failed is tried again without an iteration of its own, so that no limit of
// the run bounds it.
func (s *situation) here(r *taxonomy.Reaction) bool { return inPlace(r) || s.op.class == classSetup }

// recovery counts the tries of a strategy.
func (s *situation) recovery(d *decision) EndReason {
	most := 0
	if s.profile != nil {
		most = s.profile.Recovery.MaxAttempts
	}
	if !s.strategies || most > 0 && s.runs[d.depth] >= most {
		return EndRetriesUsedUp
	}
	used := s.try(d, s.policy(d.reaction))
	d.most = max(0, d.most-1) // the first call has no strategy before it
	if most > 0 && (d.most == 0 || most < d.most) {
		d.most = most
	}
	return used
}

// climb finds the tier that an escalation leads to. A person's blocks.
func (s *situation) climb(d *decision) EndReason {
	next := s.ladder.above(s.tier, d.reaction.To)
	if next < 0 {
		return EndLadderUsedUp
	}
	if s.ladder[next].person {
		d.action, d.end = taxonomy.Block, EndBlocked
	}
	d.tier = next
	return ""
}
