package retry

import "github.com/errgen/errgen/runtime/taxonomy"

// MostCalls returns the most calls that a failure with this reaction causes, the failed one
// included: its retries and recoveries, and those of the reactions that follow. If a reaction has
// no policy that limits it, bounded is false, and only the limits of the run apply. An escalation
// starts the count again, because the other tier can make as many calls.
func MostCalls(profile *taxonomy.Profile, r *taxonomy.Reaction) (calls int, bounded bool) {
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
