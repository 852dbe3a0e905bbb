package cli

import (
	"fmt"
	"strconv"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// adapted says how experience moves a policy's numbers.
func adapted(a *taxonomy.Adapt) []string {
	if a == nil {
		return nil
	}
	var out []string
	if a.MaxAttempts > 0 {
		out = append(out, fmt.Sprintf("experience moves the calls between %d and %d", a.MinAttempts, a.MaxAttempts))
	}
	if a.MaxDelay > 0 {
		out = append(
			out, fmt.Sprintf("experience moves the first wait between %s and %s, so that %s of first retries succeed",
				short(a.MinDelay), short(a.MaxDelay), percent(a.Target)))
	}
	return append(out, "remembers the last "+count(a.Window, "outcome", "outcomes")+
		" of each code and number of the call")
}

// budgeted says what all callers of a provider may do together.
func budgeted(b *taxonomy.Budget) []string {
	if b == nil {
		return nil
	}
	var out []string
	if b.Retries >= 0 {
		out = append(
			out, fmt.Sprintf(
				"all callers of the provider together retry at most %s of their calls in %s, and %s in any case",
				percent(b.Retries), short(b.Window), count(b.Reserve, "time", "times")))
	}
	if c := b.Breaker; c != nil {
		out = append(out, fmt.Sprintf("after %s in %s no call is made but one in %s, until %s in a row",
			count(c.Failures, "failure", "failures"), count(c.Of, "call", "calls"), short(c.Probe),
			count(c.Successes, "success", "successes")))
	}
	return out
}

// prevented says what is done before a call that is likely to fail with a code.
func prevented(p *taxonomy.Prevention) []string {
	if p == nil {
		return nil
	}
	out := []string{"when it is " + percent(p.Likely) + " likely or more"}
	if p.Check != "" {
		out = append(out, "runs the check "+p.Check+" before the call")
	}
	if p.Throttle > 0 {
		out = append(out, "begins no two calls within "+short(p.Throttle))
	}
	if p.Concurrency > 0 {
		out = append(out, "runs at most "+count(p.Concurrency, "call", "calls")+" at once")
	}
	return out
}

func percent(share float64) string { return strconv.FormatFloat(share*100, 'g', 6, 64) + "%" }
