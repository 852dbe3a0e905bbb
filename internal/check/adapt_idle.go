package check

import (
	"fmt"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/spec"
)

// idleAdapt finds bounds of adapt within which nothing moves. A profile may narrow bounds so, to
// have numbers stay as they are.
func idleAdapt(p *pass) {
	for i := range p.t.Policies {
		p.idle(&p.t.Policies[i])
	}
	p.eachReaction(func(_ *view, _, r *spec.Reaction) {
		if r.Policy != nil && r.Policy.Inline != nil {
			p.idle(r.Policy.Inline)
		}
	})
}

func (p *pass) idle(policy *spec.Policy) {
	a := policy.Adapt
	if a == nil {
		return
	}
	calls := policy.MaxAttempts.Or(defaultMaxAttempts)
	if r := a.Attempts; r != nil && (r.Min.Set || r.Max.Set) && !p.reported(r.Span) {
		if r.Min.Or(calls) == calls && r.Max.Or(calls) == calls {
			p.report(r.Span, "attempts can move nothing: its bounds are both %d, as max_attempts is", calls).
				hint("say the other bound, as in attempts: {max: %d}", min(2*max(1, calls), 100))
		}
	}
	r := a.Delay
	if r == nil || !r.Min.Set && !r.Max.Set || p.reported(r.Span) {
		return
	}
	first := policy.InitialDelay.Or(defaultInitialDelay)
	switch {
	case r.Max.Or(first) == 0: // which is an error
	case r.Min.Or(first) == first && r.Max.Or(first) == first:
		p.report(r.Span, "delay can move nothing: its bounds are both %s, as initial_delay is", number(first)).
			hint("say the other bound, as in delay: {max: %s}", number(policy.MaxDelay.Or(defaultMaxDelay)))
	case calls == 1 && (a.Attempts == nil || a.Attempts.Max.Or(calls) <= 1):
		p.report(r.Span, "delay can move nothing: with max_attempts 1 there is no second call to wait for").
			hint("remove it, or allow more calls")
	}
}

// number writes a value as the language does: 1m and not 1m0s.
func number[T int | time.Duration](v T) string {
	s := fmt.Sprint(v)
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
