package explain

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// sentences collects sentences about a reaction.
type sentences []string

// add adds a sentence if a condition holds.
func (s *sentences) add(is bool, format string, args ...any) {
	if is {
		*s = append(*s, fmt.Sprintf(format, args...))
	}
}

// Does returns what a reaction does, without the reaction that follows it.
func Does(r *taxonomy.Reaction) []string {
	var s sentences
	s.add(r.Agent.Revert == taxonomy.RevertFiles, "reverts the files that the error names")
	s.add(r.Agent.Revert == taxonomy.RevertIteration, "reverts all changes of the iteration")
	s.add(r.Agent.AcceptCompletion, "the rest may count as done once it is validated")
	s.add(true, "%s", Action(r))
	longest := ""
	if p := r.Policy; p != nil {
		s.policy(p)
		if p.MaxRetryAfter > 0 {
			longest = " (at most " + Duration(p.MaxRetryAfter) + ")"
		}
	}
	s.add(r.HonorRetryAfter, "a hint from the source replaces the delay%s", longest)
	s.add(r.Shared == taxonomy.SharedCredential, "all users of the credential wait")
	tries := r.Retries() || r.Action == taxonomy.Recover
	s.add(tries && !r.CountFailure, "does not count as a failure")
	s.add(!tries && r.CountFailure, "counts as a failure")
	s.add(r.Agent.FeedBack, "the next prompt contains the error")
	s.add(r.LogLevel != taxonomy.LogNone && r.LogMessage == "", "logs the error (%s)", r.LogLevel)
	s.add(r.LogLevel != taxonomy.LogNone && r.LogMessage != "", "logs %q (%s)", r.LogMessage, r.LogLevel)
	return s
}

// MostCalls returns the most calls that a failure with a reaction causes under a profile, which may
// be nil: its retries and recoveries, and those of the reactions that follow. It is empty if there
// is no further call. If a reaction has no policy that limits it, only the limits of the run apply,
// because the default policy of retry.Do limits no run of the executor.
func MostCalls(p *taxonomy.Profile, r *taxonomy.Reaction) string {
	calls, bounded := mostCalls(p, r)
	switch {
	case !bounded:
		return fmt.Sprintf("limited by the run only, because a reaction has no policy; retry.Do stops after %s",
			Count(callsOfDo(p, r), "call", "calls"))
	case calls == 1:
		return ""
	}
	return fmt.Sprintf("%d, retries and recoveries together", calls)
}

// mostCalls counts the calls of [MostCalls], the failed one included. An escalation starts the count
// again, because the other tier can make as many calls.
func mostCalls(profile *taxonomy.Profile, r *taxonomy.Reaction) (calls int, bounded bool) {
	calls, bounded = 1, true
	for _, r := range profile.Chain(r) {
		more := 0
		p := profile.PolicyOf(r)
		if p != nil {
			more = p.MaxAttempts - 1
		}
		switch r.Action {
		case taxonomy.Recover:
			if profile != nil && profile.Recovery.MaxAttempts > 0 && (p == nil || profile.Recovery.MaxAttempts < more) {
				p, more = &taxonomy.Policy{}, profile.Recovery.MaxAttempts
			}
		case taxonomy.Retry, taxonomy.RetryOperation:
		default:
			continue
		}
		bounded = bounded && p != nil && more >= 0
		calls += max(0, more)
	}
	return calls, bounded
}

// callsOfDo returns the most calls of retry.Do for a failure with a reaction.
func callsOfDo(p *taxonomy.Profile, r *taxonomy.Reaction) int {
	const withoutPolicy = 3 // the calls of its default policy
	calls := 1
	for _, r := range p.Chain(r) {
		switch {
		case !r.Retries():
			return calls
		case r.Policy == nil:
			calls += withoutPolicy - 1
		default:
			calls += r.Policy.MaxAttempts - 1
		}
	}
	return calls
}

// Action returns what a reaction does first, in a phrase.
func Action(r *taxonomy.Reaction) string {
	extent, again, session, purpose := "this task", "repeats the iteration", "", r.Agent.Purpose.String()
	if r.Agent.Extent == taxonomy.ExtentRun {
		extent = "the whole run"
	}
	if r.Action == taxonomy.RetryOperation || r.Agent.Resume == taxonomy.ResumeOperation {
		again = "repeats the failed operation"
	}
	switch r.Agent.Session {
	case taxonomy.SessionFresh:
		session = ", in a new conversation"
	case taxonomy.SessionReduced:
		session = ", in a new and shorter conversation"
	}
	if strings.HasPrefix(purpose, "a") {
		purpose = "an " + purpose
	} else {
		purpose = "a " + purpose
	}
	switch r.Action {
	case taxonomy.Block:
		return "stops " + extent + " until a person intervenes"
	case taxonomy.Continue:
		return "continues"
	case taxonomy.Retry, taxonomy.RetryOperation:
		if r.Agent.Purpose != taxonomy.PurposeNone {
			again = "asks tier " + r.Agent.To + " for " + purpose + ", then " + again
		}
		return again + session
	case taxonomy.Escalate:
		to := "escalates to the next tier"
		if r.Agent.To != "" {
			to = "escalates to tier " + r.Agent.To + ", or from there to the next one"
		}
		if r.Agent.Purpose != taxonomy.PurposeNone {
			session += ", and asks it for " + purpose + " first"
		}
		return to + session
	case taxonomy.Recover:
		return "runs the strategy " + r.Strategy + ", then " + again + session
	default:
		return "ends " + extent + " as failed"
	}
}

// Policy describes the attempts and the waits of a policy.
func Policy(p *taxonomy.Policy) []string {
	var s sentences
	s.policy(p)
	return s
}

// policy adds the attempts and the waits of a policy.
func (s *sentences) policy(p *taxonomy.Policy) {
	s.add(true, "at most %s in total", Count(p.MaxAttempts, "call", "calls"))
	delay := map[taxonomy.Backoff]string{
		taxonomy.Constant:    "%[1]s each time",
		taxonomy.Linear:      "%[1]s, then %[1]s more each time, up to %[2]s",
		taxonomy.Exponential: "%[1]s, then %[3]s times as long each time, up to %[2]s",
	}[p.Backoff]
	delay = fmt.Sprintf(delay+"%.0[1]s%.0[2]s%.0[3]s", Duration(p.InitialDelay), Duration(p.MaxDelay),
		strconv.FormatFloat(p.Multiplier, 'g', -1, 64))
	jitter := map[taxonomy.JitterKind]string{
		taxonomy.JitterProportional: ", plus or minus " + percent(p.Jitter),
		taxonomy.JitterFull:         ", or any shorter time at random",
		taxonomy.JitterDecorrelated: ", at random around the previous one",
	}[p.JitterKind]
	s.add(p.MaxAttempts > 1 && p.InitialDelay > 0, "waits %s%s", delay, jitter)
	s.add(p.MaxElapsed > 0, "waits at most %s in a row", Duration(p.MaxElapsed))
	if a := p.Adapt; a != nil {
		s.add(a.MaxAttempts > 0, "experience moves the calls between %d and %d", a.MinAttempts, a.MaxAttempts)
		s.add(a.MaxDelay > 0, "experience moves the first wait between %s and %s, so that %s of first retries succeed",
			Duration(a.MinDelay), Duration(a.MaxDelay), percent(a.Target))
		s.add(true, "remembers the last %s of each code and number of the call", Count(a.Window, "outcome", "outcomes"))
	}
	if b := p.Budget; b != nil {
		s.add(b.Retries >= 0,
			"all callers of the provider together retry at most %s of their calls in %s, and at least %s",
			percent(b.Retries), Duration(b.Window), Count(b.Reserve, "time", "times"))
		if c := b.Breaker; c != nil {
			s.add(true, "after %s in %s only one call in %s is made, until %s in a row",
				Count(c.Failures, "failure", "failures"), Count(c.Of, "call", "calls"), Duration(c.Probe),
				Count(c.Successes, "success", "successes"))
		}
	}
}

// Prevention describes the measures before a call that is likely to fail with a code.
func Prevention(p *taxonomy.Prevention) []string {
	if p == nil {
		return nil
	}
	var s sentences
	s.add(true, "when it is at least %s likely", percent(p.Likely))
	s.add(p.Check != "", "runs the check %s before the call", p.Check)
	s.add(p.Throttle > 0, "begins at most one call within %s", Duration(p.Throttle))
	s.add(p.Concurrency > 0, "runs at most %s simultaneously", Count(p.Concurrency, "call", "calls"))
	return s
}

func percent(share float64) string { return strconv.FormatFloat(share*100, 'g', 6, 64) + "%" }

// Duration returns a duration without the units at its end that are zero.
func Duration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Count returns a number with its noun: one is the singular, many the plural.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Conditions returns the tests of a `when` branch.
func Conditions(b *model.Branch) []string {
	var out []string
	for _, c := range b.Conds {
		out = append(out, c.String())
	}
	return out
}
