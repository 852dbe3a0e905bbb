package executor

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// head is what comes before an iteration: nobody has cancelled or paused the run, there is time,
// and its waits are over. An iteration that was begun when the run died has all that behind it, and
// must not be left as it is.
func (r *runner) head(ctx context.Context) {
	if r.past.open != nil {
		return
	}
	r.hold(ctx)
	if r.cancelled(ctx) || r.overdue() {
		return
	}
	r.enter(ctx)
	if r.cancelled(ctx) || r.overdue() || r.result.EndReason != "" {
		return
	}
	if !r.asked[r.state.Tier] && !r.reachable(ctx) {
		return
	}
	if !r.admitted() {
		r.enterAdmitted(ctx)
	}
}

// reachable asks a provider that was not asked yet whether it is there.
func (r *runner) reachable(ctx context.Context) bool {
	first := len(r.asked) == 0
	if r.available(ctx); first && r.result.EndReason != "" {
		r.begunWell = false // as if it had been asked in the setup
	}
	return r.result.EndReason == ""
}

// enterAdmitted has the next call let through as soon as the lane is open.
func (r *runner) enterAdmitted(ctx context.Context) {
	r.waitFor(ctx, func(now time.Time) (time.Time, string) {
		if until, why := r.opens(ctx, now); until.After(now) {
			return until, why
		}
		return r.admit(ctx, now)
	})
	if !r.cancelled(ctx) && r.result.EndReason == "" {
		r.overdue()
	}
}

// hold waits while the run is paused.
func (r *runner) hold(ctx context.Context) {
	held := r.handle.pause()
	if held == nil {
		return
	}
	r.emit(Event{Kind: Paused})
	for ; held != nil && ctx.Err() == nil; held = r.handle.pause() {
		select {
		case <-held:
		case <-ctx.Done():
		}
	}
	r.emit(Event{Kind: Unpaused})
}

func (r *runner) cancelled(ctx context.Context) bool {
	if ctx.Err() == nil {
		return false
	}
	r.end(EndCancelled, taxonomy.ExtentTask)
	return true
}

// overdue ends a run that has no time left.
func (r *runner) overdue() bool {
	if r.deadline.IsZero() || r.cfg.Clock.Now().Before(r.deadline) {
		return false
	}
	r.end(EndDeadline, taxonomy.ExtentTask)
	return true
}

// enter waits until the later of the run's own not-before and its lane's.
func (r *runner) enter(ctx context.Context) {
	r.waitFor(ctx, func(now time.Time) (time.Time, string) { return r.opens(ctx, now) })
}

// waitFor waits for what opens, until it has: what stays shut is waited for as long as the run may
// take. A wait that would pass the run's deadline is not begun. What was slept is over, whatever
// the clock says: one whose sleeps take no time would otherwise be asked for ever.
func (r *runner) waitFor(ctx context.Context, opens func(now time.Time) (until time.Time, why string)) {
	var slept time.Time
	for ctx.Err() == nil {
		now := later(r.cfg.Clock.Now(), slept)
		until, why := opens(now)
		if !until.After(now) {
			return
		}
		if !r.deadline.IsZero() && until.After(r.deadline) {
			r.end(EndDeadline, taxonomy.ExtentTask)
			return
		}
		if r.sleep(ctx, until.Sub(now), why) != nil {
			return
		}
		slept = until
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// opens returns when the run may go on, and what it waits for until then.
func (r *runner) opens(ctx context.Context, now time.Time) (until time.Time, why string) {
	until, why = r.state.NotBefore, "retry"
	if r.state.LastError != nil {
		why = cmp.Or(r.state.LastError.Code, why)
	}
	if lane, ok := r.laneOpens(ctx, "", now); ok && lane.After(until) {
		if isJitter(lane, until, now) {
			return lane, why
		}
		return lane, "lane"
	}
	return until, why
}

// isJitter reports whether a lane opens later than the run's own wait ends only because of the
// jitter of shared waits, which is at most a tenth of the wait.
func isJitter(lane, until, now time.Time) bool { return !lane.After(until.Add(until.Sub(now) / 10)) }

// laneOpens returns when the run's lane opens to it.
func (r *runner) laneOpens(ctx context.Context, credential string, now time.Time) (at time.Time, ok bool) {
	if r.cfg.Lanes == nil {
		return time.Time{}, false
	}
	err := contained(operation{name: opCall, source: sourceExecutor}, func() (err error) {
		at, err = r.cfg.Lanes.Until(ctx, r.lane(credential))
		return err
	})
	if err != nil {
		r.warn("ask when the lane opens", err)
	}
	return at, err == nil
}

// lane names the wait that everybody who uses the provider with the credential shares. Of a
// provider that does not know which credential it will use nobody could ask for one credential's
// lane, so all of its runs share one.
func (r *runner) lane(credential string) string {
	p := r.provider()
	c, ok := p.(Credentialed)
	if !ok {
		return nameOf(p) + "/"
	}
	if credential == "" {
		_ = contained(operation{}, func() error {
			credential = c.Credential()
			return nil
		})
	}
	return nameOf(p) + "/" + credential
}

// share tells a wait to everybody who uses the failure's credential.
func (r *runner) share(ctx context.Context, f *failure) {
	if r.cfg.Lanes == nil || f.decision.wait <= 0 || f.decision.reaction.Shared != taxonomy.SharedCredential {
		return
	}
	err := contained(operation{name: opCall, source: sourceExecutor}, func() error {
		return r.cfg.Lanes.Pause(ctx, f.lane, r.until(f))
	})
	if err != nil {
		r.warn("close the lane", err)
	}
}

// sleep waits, and notes it.
func (r *runner) sleep(ctx context.Context, d time.Duration, why string) error {
	began := r.cfg.Clock.Now()
	r.emit(Event{Kind: Waiting, Until: began.Add(d), Text: why})
	err := r.cfg.Clock.Sleep(ctx, d)
	took := r.cfg.Clock.Now().Sub(began)
	r.emit(Event{Kind: Waited, Took: took})
	r.noteWait(Wait{Iteration: r.number, For: why, Took: Duration(took)})
	return err
}

func (r *runner) noteWait(w Wait) {
	r.waits = joined(r.waits, w)
	r.countWait(w)
}

// joined appends a wait to a bounded list: once it is full, a wait is added to the last one for the
// same, so that the sums stay right.
func joined(waits []Wait, w Wait) []Wait {
	if len(waits) < maxListed {
		return append(waits, w)
	}
	at := len(waits) - 1
	for i, other := range slices.Backward(waits) {
		if other.For == w.For {
			at = i
			break
		}
	}
	waits[at].Took += w.Took
	return waits
}
