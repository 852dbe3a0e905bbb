package recovery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// WaitForRateLimit waits until the failure says that trying makes sense again: until its reset
// time, or else as long as it asks for, or else Options.RateLimitWait. A wait longer than
// Options.MaxWait fails at once. With Options.Lanes everybody in the failure's lane waits along;
// the lane's order can add to this wait, up to Options.MaxWait in all beside what the failure asked
// for.
func (s *Standard) WaitForRateLimit(ctx context.Context, failure taxonomy.RecoveryRequest) error {
	return s.carryOut(ctx, failure, NameWaitForRateLimit, ActionWait, (*try).waitForRateLimit)
}

func (t *try) waitForRateLimit() error {
	now := t.opts.Clock.Now()
	wait, from := t.asked(now)
	t.note(DataWait, milliseconds(wait))
	t.note(DataHint, from)
	if longest := t.longestWait(); wait > longest {
		if from == hintDefault {
			return failf(
				"Nobody says when the rate limit is reset, and the %s that are waited then are longer than the %s "+
					"that are waited at most", wait, longest)
		}
		return failf("The rate limit is reset in %s, which is longer than the %s that are waited at most", wait,
			longest)
	}
	if err := t.waitTogether(now, wait); err != nil {
		return fmt.Errorf("wait for rate limit: %w", err)
	}
	t.record.Message = fmt.Sprintf("Waited %dms for rate limit to reset", t.opts.Clock.Now().Sub(now).Milliseconds())
	return nil
}

// hintDefault says that nobody says how long to wait.
const hintDefault = "default"

// asked returns how long the failure asks to wait, and where that comes from.
func (t *try) asked(now time.Time) (wait time.Duration, from string) {
	hints := t.hints()
	if at, ok := hints.ResetAt.Get(); ok {
		return max(0, at.Sub(now)), "reset_at"
	}
	if after, ok := hints.RetryAfter.Get(); ok {
		return max(0, after), "retry_after"
	}
	return t.opts.RateLimitWait, hintDefault
}

// hints returns when to try again, by what says it best: the failure's own fields, its evidence,
// and then texts, if they may be searched.
func (t *try) hints() taxonomy.Hints {
	hints := taxonomy.HintsOf(t.failed.Err)
	if silent(hints) && t.failed.Evidence != nil && !t.failed.Evidence.RetryAfterDerived {
		hints = hintsIn(t.failed.Evidence)
	}
	if silent(hints) {
		ev := evidenceOf(t.failed.Err)
		hints = t.hintsOf(&ev)
	}
	if silent(hints) && t.failed.Evidence != nil {
		hints = t.hintsOf(t.failed.Evidence)
	}
	return hints
}

// hintsOf returns the hints of evidence. Those of its text count only if texts may be searched.
func (t *try) hintsOf(ev *taxonomy.Evidence) taxonomy.Hints {
	if ev.RetryAfterDerived && t.failed.NoText {
		return taxonomy.Hints{}
	}
	h := hintsIn(ev)
	if silent(h) && !t.failed.NoText {
		if wait, ok := detect.RetryHint(ev.Text); ok {
			h.RetryAfter = taxonomy.Some(wait)
		}
	}
	return h
}

func silent(h taxonomy.Hints) bool { return h.ResetAt.IsZero() && h.RetryAfter.IsZero() }

func hintsIn(ev *taxonomy.Evidence) taxonomy.Hints {
	h := taxonomy.Hints{RetryAfter: ev.RetryAfter}
	if !ev.ResetAt.IsZero() {
		h.ResetAt = taxonomy.Some(ev.ResetAt)
	}
	return h
}

// evidenceOf returns what is known of an error that does not say itself when to try again.
func evidenceOf(err error) taxonomy.Evidence {
	if err == nil {
		return taxonomy.Evidence{}
	}
	return detect.Of(err)
}

func (t *try) longestWait() time.Duration {
	longest := t.opts.MaxWait
	if p := t.failed.Reaction.Policy; p != nil && p.MaxRetryAfter > 0 {
		longest = min(longest, p.MaxRetryAfter)
	}
	return longest
}

// waitTogether waits, and has everybody in the lane wait along.
func (t *try) waitTogether(now time.Time, wait time.Duration) error {
	until := now.Add(wait)
	lane := t.lane()
	if lane == "" || wait <= 0 {
		return t.sleep(wait)
	}
	t.note(DataLane, lane)
	if err := t.opts.Lanes.Pause(t.ctx, lane, until); err != nil {
		if t.ctx.Err() != nil {
			return context.Cause(t.ctx)
		}
		return t.sleep(wait) // nobody waits along then
	}
	return t.enter(lane, until)
}

// errLaneClosed says that a lane stays closed.
var errLaneClosed = errors.New("others keep the lane closed for longer than is waited at most")

// enter waits until the lane opens.
func (t *try) enter(lane string, until time.Time) error {
	last := until.Add(t.opts.MaxWait)
	for {
		now := t.opts.Clock.Now()
		at, err := t.opts.Lanes.Until(t.ctx, lane)
		if err != nil {
			if t.ctx.Err() != nil {
				return context.Cause(t.ctx)
			}
			at = until
		}
		switch {
		case !at.After(now):
			return nil
		case at.After(last):
			return errLaneClosed
		}
		if err := t.sleep(at.Sub(now)); err != nil {
			return err
		}
	}
}

// lane returns the name of the failure's lane; empty when nobody waits along.
func (t *try) lane() string {
	if t.opts.Lanes == nil {
		return ""
	}
	return t.opts.Lane(t.failed)
}

// laneOf names a lane as the executor does.
func laneOf(failure taxonomy.RecoveryRequest) string {
	ev := failure.Evidence // what it was classified as need not say whose it is
	if ev == nil {
		found := evidenceOf(failure.Err)
		ev = &found
	}
	credential := cmp.Or(taxonomy.HintsOf(failure.Err).Credential, ev.Credential)
	if ev.Source == "" && credential == "" {
		return ""
	}
	return ev.Source + "/" + credential
}

// RetryWithBackoff waits as long as the retry engine says for this try under the reaction's policy,
// or under Options.Backoff where the policy has no delay. A failure whose reaction obeys hints is
// waited for as its hint says. Under a policy that is used up it fails at once.
func (s *Standard) RetryWithBackoff(ctx context.Context, failure taxonomy.RecoveryRequest) error {
	return s.carryOut(ctx, failure, NameRetryWithBackoff, ActionRetry, (*try).retryWithBackoff)
}

func (t *try) retryWithBackoff() error {
	policy := t.policy()
	if policy.MaxAttempts == 0 {
		unlimited := *policy // the reaction's own limits end it
		unlimited.MaxAttempts = retry.Unlimited
		policy = &unlimited
	}
	hint := retry.Hint{}
	if t.failed.Reaction.HonorRetryAfter {
		hint = retry.HintOf(taxonomy.HintsOf(t.failed.Err), t.opts.Clock.Now())
	}
	next := t.before(policy).Next(policy, hint, t.draw())
	if next.Stop != retry.StoppedNot {
		return failf("Gave up: %s of policy %q is used up (attempt %d)", next.Stop, policy.Name, t.record.Attempts)
	}
	from := "policy"
	if next.Hinted {
		from = "retry_after"
	}
	t.note(DataWait, milliseconds(next.Wait))
	t.note(DataHint, from)
	if err := t.sleep(next.Wait); err != nil {
		return fmt.Errorf("retry with backoff: %w", err)
	}
	t.record.Message = fmt.Sprintf("Retrying after %dms (attempt %d)", next.Wait.Milliseconds(), t.record.Attempts)
	return nil
}

// policy returns what spaces the tries.
func (t *try) policy() *taxonomy.Policy {
	p := t.failed.Reaction.Policy
	if p == nil {
		return t.opts.Backoff
	}
	if p.InitialDelay > 0 {
		return p
	}
	spaced, by := *p, t.opts.Backoff
	spaced.InitialDelay, spaced.Multiplier, spaced.Backoff = by.InitialDelay, by.Multiplier, by.Backoff
	spaced.Jitter, spaced.JitterKind = by.Jitter, by.JitterKind
	if spaced.MaxDelay <= 0 {
		spaced.MaxDelay = by.MaxDelay
	}
	return &spaced
}

// maxReplayed bounds the tries whose waits are computed once more.
const maxReplayed = 64

// before returns the tries before this one, as the policy has spaced them but for chance.
func (t *try) before(p *taxonomy.Policy) retry.State {
	unbounded := *p
	unbounded.MaxAttempts = retry.Unlimited
	var s retry.State
	for range min(t.record.Attempts-1, maxReplayed) {
		s = s.Next(&unbounded, retry.Hint{}, nil).State
	}
	s.Calls = t.record.Attempts - 1
	return s
}

// draw returns a source of chance that one try has at a time.
func (t *try) draw() retry.Random {
	if t.opts.Random == nil {
		return nil
	}
	return func() float64 {
		t.random <- struct{}{}
		defer func() { <-t.random }()
		return t.opts.Random()
	}
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
