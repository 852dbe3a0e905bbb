package escalate

import (
	"math"
	"time"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// maxUnbounded bounds the tries under a policy that bounds only time, which waits of no length
	// never use up.
	maxUnbounded = 100
)

// policyDefault holds where neither reaction nor profile names a policy. The numbers are the
// language's.
var policyDefault = taxonomy.Policy{Name: "default", MaxAttempts: 3, InitialDelay: time.Second,
	MaxDelay: 30 * time.Second, Multiplier: 2}

// What follows a reaction that names nothing.
var (
	reactAbort = taxonomy.Reaction{Name: "abort"}
	reactBlock = taxonomy.Reaction{Name: "block", Action: taxonomy.Block}
)

// deed is what is done about a failure of a step.
type deed uint8

const (
	doAbort    deed = iota // the run fails; the zero deed, so that what was forgotten stops
	doBlock                // the run stops until somebody answers
	doAsk                  // the ladder has led to a person
	doGoOn                 // the step has failed, and the next one is carried out
	doAgain                // the tier that failed tries again
	doDiagnose             // another tier finds out first, then the one that failed tries again
	doRecover              // a strategy runs, then the one that failed tries again
	doHandOn               // a higher tier takes over
)

// standing is a rung as a decision sees it.
type standing struct {
	name   string
	person bool
	// able reports that it has a provider, and is not passed over.
	able    bool
	purpose taxonomy.Purpose
}

// trail is what happened so far to a step's failures with one code, for each reaction of a chain.
type trail [taxonomy.MaxChain]retry.State

// situation is all that a decision depends on.
type situation struct {
	reaction *taxonomy.Reaction
	profile  *taxonomy.Profile // nil when there is none
	ladder   []standing
	// rung is who has failed, or has found out that it cannot be mended on its rung.
	rung int
	// least is the lowest rung that may be asked about the failure: those below it were asked
	// already, and do not know better.
	least int
	trail trail
	// runs is how often the strategies of the chain have run.
	runs [taxonomy.MaxChain]int
	// same is how often something was done about the same error already, repeats how often that may
	// be.
	same, repeats int
	hint          retry.Hint
	random        retry.Random
	// strategies reports that there is somebody to run them.
	strategies bool
	// from is the place in the chain where the decision begins.
	from int
}

// decision is what is to be done about a failure.
type decision struct {
	do       deed
	reaction *taxonomy.Reaction
	// depth is the reaction's place in the chain.
	depth int
	// wait comes before the step is tried again.
	wait time.Duration
	// rung is who does it, purpose what it is asked for.
	rung    int
	purpose taxonomy.Purpose
	// end is why the run ends, when it does.
	end   EndReason
	trail trail
	// attempt counts the runs of a strategy.
	attempt int
	// repeated reports that the same error came back too often for what would have been done about
	// it.
	repeated bool
}

// triesAgain reports that whoever failed tries again, whatever comes before that.
func (d *decision) triesAgain() bool {
	return d.do == doAgain || d.do == doDiagnose || d.do == doRecover
}

// decide is pure but for the random source.
func decide(s *situation) decision {
	d := decision{reaction: s.reaction, rung: s.rung, trail: s.trail}
	exhausted := false
	for ; d.depth < taxonomy.MaxChain; d.depth++ {
		if d.depth >= s.from && s.takes(&d) {
			if d.do == doBlock && exhausted {
				d.end = EndLadder
			}
			return d
		}
		exhausted = exhausted || d.reaction.Action == taxonomy.Escalate
		d.reaction = follower(s.profile, d.reaction)
	}
	d.do, d.reaction, d.depth, d.end = doAbort, &reactAbort, 0, EndFailed
	return d
}

// follower returns the reaction after one that is exhausted.
func follower(p *taxonomy.Profile, r *taxonomy.Reaction) *taxonomy.Reaction {
	next := p.Next(r)
	switch {
	case next != nil:
		return next
	case r.Action == taxonomy.Retry, r.Action == taxonomy.Escalate:
		return &reactBlock
	}
	return &reactAbort
}

// takes completes d for its reaction; false when that is used up.
func (s *situation) takes(d *decision) bool {
	switch d.reaction.Action {
	case taxonomy.Retry, taxonomy.RetryOperation:
		return s.again(d)
	case taxonomy.Recover:
		return s.recover(d)
	case taxonomy.Escalate:
		return s.climb(d)
	case taxonomy.Continue:
		d.do = doGoOn
	case taxonomy.Block:
		d.do, d.end = doBlock, EndBlocked
	default:
		d.do, d.end = doAbort, EndFailed
	}
	return true
}

// again counts the failure, and says who looks at it first.
func (s *situation) again(d *decision) bool {
	if d.reaction.Purpose == taxonomy.PurposeNone {
		d.do = doAgain
		return s.try(d)
	}
	if s.tooOften(d) || !s.try(d) {
		return false
	}
	d.do, d.purpose = doDiagnose, d.reaction.Purpose
	if d.rung = s.asked(d.reaction.To); d.rung < 0 {
		// Nobody is there to ask; trying again may still help.
		d.do, d.rung, d.purpose = doAgain, s.rung, taxonomy.PurposeNone
	}
	return true
}

// asked returns who diagnoses before a retry: the named tier, or the one that failed if that is
// higher, or who is able above; -1 is nobody. Whoever was asked about the failure already is not
// asked the same again.
func (s *situation) asked(to string) int {
	from := max(s.rung, s.least)
	for i := from; i < len(s.ladder); i++ {
		if to != "" && s.ladder[i].name == to {
			from = i
			break
		}
	}
	for i := from; i < len(s.ladder); i++ {
		if s.ladder[i].able && !s.ladder[i].person {
			return i
		}
	}
	return -1
}

// recover counts the runs of a strategy.
func (s *situation) recover(d *decision) bool {
	most := math.MaxInt
	if s.profile != nil && s.profile.Recovery.MaxAttempts > 0 {
		most = s.profile.Recovery.MaxAttempts
	}
	if !s.strategies || s.runs[d.depth] >= most || s.tooOften(d) || !s.try(d) {
		return false
	}
	d.do, d.attempt = doRecover, s.runs[d.depth]+1
	return true
}

// tooOften reports that doing something about the error has not helped as often as may be.
func (s *situation) tooOften(d *decision) bool {
	if s.same < s.repeats {
		return false
	}
	d.repeated = true
	return true
}

// try counts a failure against the policy.
func (s *situation) try(d *decision) bool {
	p := s.policy(d.reaction)
	hint := retry.Hint{}
	if d.reaction.HonorRetryAfter {
		hint = s.hint
	}
	next := d.trail[d.depth].Next(p, hint, s.random)
	d.trail[d.depth] = next.State
	if next.Stop != retry.StoppedNot || p.MaxAttempts <= 0 && next.State.Calls >= maxUnbounded {
		return false
	}
	d.wait = next.Wait
	return true
}

func (s *situation) policy(r *taxonomy.Reaction) *taxonomy.Policy {
	if r.Policy != nil {
		return r.Policy
	}
	if s.profile != nil && s.profile.Retry.Policy != nil {
		return s.profile.Retry.Policy
	}
	return &policyDefault
}

// climb finds who an escalation leads to.
func (s *situation) climb(d *decision) bool {
	next := above(s.ladder, max(s.rung, s.least-1), d.reaction.To)
	if next < 0 {
		return false
	}
	d.rung = next
	if s.ladder[next].person {
		d.do, d.end = doAsk, EndQuestion
		return true
	}
	d.do, d.purpose = doHandOn, d.reaction.Purpose
	if d.purpose == taxonomy.PurposeNone {
		d.purpose = s.ladder[next].purpose
	}
	return true
}

// above returns the rung up to the named one, or one up if that is not above: a person's, or the
// next that is able; -1 is none.
func above(ladder []standing, from int, to string) int {
	next := from + 1
	for i := next; i < len(ladder); i++ {
		if to != "" && ladder[i].name == to {
			next = i
			break
		}
	}
	for i := next; i < len(ladder); i++ {
		if ladder[i].person || ladder[i].able {
			return i
		}
	}
	return -1
}
