package recovery

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// waitForRateLimit waits as long as the failure asks for, and pauses all callers in its lane.
func waitForRateLimit(a *attempt) error {
	now := a.opts.Clock.Now()
	wait, from := a.askedWait(now)
	a.note(DataWait, milliseconds(wait))
	a.note(DataHint, from)
	longest := a.opts.MaxWait
	if p := a.failed.Reaction.Policy; p != nil && p.MaxRetryAfter > 0 {
		longest = min(longest, p.MaxRetryAfter)
	}
	if wait > longest {
		return &Error{Message: fmt.Sprintf("The rate limit is reset in %s, later than the longest wait of %s", wait,
			longest)}
	}
	if err := a.waitInLane(now.Add(wait)); err != nil {
		return fmt.Errorf("wait for rate limit: %w", err)
	}
	a.Message = fmt.Sprintf("Waited %dms for rate limit to reset", a.opts.Clock.Now().Sub(now).Milliseconds())
	return nil
}

// askedWait returns the wait that the failure asks for, and its origin: the error's own fields, its
// evidence, or its texts, if they may be searched.
func (a *attempt) askedWait(now time.Time) (wait time.Duration, from string) {
	all := []taxonomy.Hints{taxonomy.HintsOf(a.failed.Err)}
	found := detect.Of(a.failed.Err)
	for _, ev := range []*taxonomy.Evidence{a.failed.Evidence, &found} {
		if ev == nil || ev.RetryAfterDerived && a.failed.NoText {
			continue
		}
		h := taxonomy.Hints{RetryAfter: ev.RetryAfter}
		if !ev.ResetAt.IsZero() {
			h.ResetAt = taxonomy.Some(ev.ResetAt)
		}
		if after, ok := detect.RetryHint(ev.Text); ok && h.RetryAfter.IsZero() && !a.failed.NoText {
			h.RetryAfter = taxonomy.Some(after)
		}
		all = append(all, h)
	}
	for _, h := range all {
		if wait, ok := retry.HintOf(taxonomy.Hints{ResetAt: h.ResetAt}, now).Get(); ok {
			return wait, "reset_at"
		}
		if wait, ok := retry.HintOf(h, now).Get(); ok {
			return wait, "retry_after"
		}
	}
	return a.opts.RateLimitWait, "default"
}

// waitInLane waits until a time. If the lane is closed after that, it waits up to MaxWait longer.
func (a *attempt) waitInLane(until time.Time) error {
	lane := a.lane()
	if a.opts.Lanes == nil || lane == "" || a.opts.Lanes.Pause(a.ctx, lane, until) != nil {
		return a.sleep(until.Sub(a.opts.Clock.Now()))
	}
	a.note(DataLane, lane)
	for last := until.Add(a.opts.MaxWait); ; {
		now := a.opts.Clock.Now()
		at, err := a.opts.Lanes.Until(a.ctx, lane)
		switch {
		case a.ctx.Err() != nil:
			return context.Cause(a.ctx)
		case err != nil:
			at = until
		case at.After(last):
			return fmt.Errorf("other callers keep the lane closed for longer than %s", a.opts.MaxWait)
		}
		if !at.After(now) {
			return nil
		}
		if err := a.sleep(at.Sub(now)); err != nil {
			return err
		}
	}
}

// lane returns the lane of the failure's source and credential, as the executor names it.
func (a *attempt) lane() string {
	ev := a.failed.Evidence
	if ev == nil {
		found := detect.Of(a.failed.Err)
		ev = &found
	}
	credential := cmp.Or(taxonomy.HintsOf(a.failed.Err).Credential, ev.Credential)
	if ev.Source == "" && credential == "" {
		return ""
	}
	return ev.Source + "/" + credential
}

// sleep reports a wait and waits.
func (a *attempt) sleep(d time.Duration) error {
	if d > 0 && a.opts.Waiting != nil {
		a.opts.Waiting(a.Strategy, d)
	}
	return a.opts.Clock.Sleep(a.ctx, d)
}

// retryWithBackoff waits as long as the retry engine computes for this attempt.
func retryWithBackoff(a *attempt) error {
	policy := *a.opts.Backoff
	if p := a.failed.Reaction.Policy; p != nil {
		own := *p
		if own.InitialDelay <= 0 {
			own.InitialDelay, own.Multiplier, own.Backoff = policy.InitialDelay, policy.Multiplier, policy.Backoff
			own.Jitter, own.JitterKind = policy.Jitter, policy.JitterKind
			own.MaxDelay = cmp.Or(own.MaxDelay, policy.MaxDelay)
		}
		policy = own
	}
	limit := cmp.Or(policy.MaxAttempts, retry.Unlimited)
	policy.MaxAttempts = retry.Unlimited
	var state retry.State
	for range min(a.Attempts-1, 64) {
		state = state.Next(&policy, taxonomy.Opt[time.Duration]{}, nil).State
	}
	state.Calls, policy.MaxAttempts = a.Attempts-1, limit
	hint := taxonomy.Opt[time.Duration]{}
	if a.failed.Reaction.HonorRetryAfter {
		hint = retry.HintOf(taxonomy.HintsOf(a.failed.Err), a.opts.Clock.Now())
	}
	next := state.Next(&policy, hint, a.opts.Random)
	if next.Stop != retry.StoppedNot {
		return &Error{Message: fmt.Sprintf("%s of policy %q is exhausted (attempt %d)", next.Stop, policy.Name,
			a.Attempts)}
	}
	from := "policy"
	if next.Hinted {
		from = "retry_after"
	}
	a.note(DataWait, milliseconds(next.Wait))
	a.note(DataHint, from)
	if err := a.sleep(next.Wait); err != nil {
		return fmt.Errorf("retry with backoff: %w", err)
	}
	a.Message = fmt.Sprintf("Retrying after %dms (attempt %d)", next.Wait.Milliseconds(), a.Attempts)
	return nil
}
