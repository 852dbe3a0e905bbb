package executor

import (
	"context"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// What is waited for besides lanes and the run's own waits.
const (
	whyGate    = "breaker"
	whyPrevent = "prevent"
)

// admission is what the next call has been let through, and what is owed for that.
type admission struct {
	// granted reports that the next call in the lane has nothing to wait for.
	granted bool
	lane    string
	// release reports to the gate how the call ended; nil without a gate.
	release    func(retry.Result)
	precaution Precaution
}

// admitted reports that the next call has been let through, or that nobody is to be asked.
func (r *runner) admitted() bool {
	if r.cfg.Gate == nil && r.cfg.Preventer == nil {
		return true
	}
	return r.admission.granted && r.admission.lane == r.lane("")
}

// admit asks whether the next call may be made, and returns until when to wait before asking again,
// and what for. Nothing is taken while somebody waits: what the preventer gave is taken back when
// the gate is shut.
func (r *runner) admit(ctx context.Context, now time.Time) (until time.Time, why string) {
	if r.admitted() {
		return now, ""
	}
	r.withdraw(retry.Result{Cancelled: true})
	a := admission{granted: true, lane: r.lane("")}
	if opens := r.gateOpens(a.lane, now); opens.After(now) {
		return opens, whyGate
	}
	a.precaution = r.precaution(ctx, a.lane, now)
	if wait := a.precaution.Wait; wait > 0 {
		r.giveBack(a.precaution)
		code := text.Beginning(a.precaution.Code, maxName)
		r.emit(Event{Kind: Prevented, Code: code, Text: "wait " + wait.String()})
		return now.Add(wait), strings.TrimSuffix(whyPrevent+": "+code, ": ")
	}
	opens := now
	if opens, a.release = r.acquire(ctx, a.lane, now); opens.After(now) {
		r.takeBack(a.precaution)
		return opens, whyGate
	}
	r.admission = a
	return now, ""
}

// admitInPlace is admit for a call within an iteration, with its waits. It reports whether the call
// may be made, and not only whether there is time for it.
func (r *runner) admitInPlace(ctx context.Context, it *iteration) bool {
	var slept time.Time
	for ctx.Err() == nil {
		now := later(r.cfg.Clock.Now(), slept)
		until, why := r.admit(ctx, now)
		if !until.After(now) {
			break
		}
		if r.late(it, until) {
			return false
		}
		if r.sleep(ctx, until.Sub(now), why) != nil {
			it.cancelled = true
			return false
		}
		slept = until
	}
	it.cancelled = ctx.Err() != nil
	return !it.cancelled
}

// gateOpens looks at the gate, so that nobody queues for what prevents failures while no call can
// be made.
func (r *runner) gateOpens(lane string, now time.Time) time.Time {
	gate, ok := r.cfg.Gate.(interface {
		OpensIn(lane string) time.Duration
	})
	if !ok || r.cfg.Preventer == nil {
		return now
	}
	opens := now
	_ = contained(operation{}, func() error { // what it does wrong is said when it is entered
		opens = now.Add(gate.OpensIn(lane))
		return nil
	})
	return opens
}

// acquire asks the gate for a call, and returns when to ask again if it refuses. If the gate fails,
// the call is permitted.
func (r *runner) acquire(ctx context.Context, lane string, now time.Time) (time.Time, func(retry.Result)) {
	if r.cfg.Gate == nil {
		return now, nil
	}
	var release func(retry.Result)
	var refusal error
	err := contained(operation{name: opCall, source: sourceExecutor}, func() (err error) {
		release, err = r.cfg.Gate.Acquire(ctx, lane)
		if _, refused := retry.RefusedFor(err); refused {
			refusal, err = err, nil
		}
		return err
	})
	if refusal != nil {
		wait, _ := retry.RefusedFor(refusal)
		return now.Add(wait), nil
	}
	if err != nil {
		if ctx.Err() == nil {
			r.warn("ask the gate", err)
		}
		return now, nil
	}
	return now, release
}

// withdraw settles what is owed for a call: it has ended, or is not made.
func (r *runner) withdraw(end retry.Result) {
	a := r.admission
	r.admission = admission{}
	if a.release != nil {
		err := contained(operation{name: opCall, source: sourceExecutor}, func() error {
			a.release(end)
			return nil
		})
		if err != nil {
			r.warn("tell the gate how a call ended", err)
		}
	}
	r.giveBack(a.precaution)
}

// mayRetry asks the gate whether the budget of the decision's policy leaves another try.
func (r *runner) mayRetry(f *failure) (may bool) {
	err := contained(operation{name: f.op.name, source: sourceExecutor}, func() error {
		may = r.cfg.Gate.Retry(r.retryLane(f), f.decision.policy)
		return nil
	})
	if err != nil {
		r.warn("ask the gate for another try", err)
		return true
	}
	return may
}

// retryLane names whose retries a retry is one of: the provider's if that is called again, and
// otherwise those of whoever failed.
func (r *runner) retryLane(f *failure) string {
	if f.op.name == opCall || f.op.name == opAvailable || !f.runsAgain() {
		return r.lane("")
	}
	return f.op.source + "/"
}

// budgetPolicy returns the policy by which the gate is told of a failure: the first of its
// reactions that has a budget, or else the first.
func (r *runner) budgetPolicy(f *failure) *taxonomy.Policy {
	reaction := r.cfg.Table.Reaction(f.err)
	s := situation{reaction: &reaction, op: f.op, known: f.known, profile: r.cfg.Table.Overlay,
		strategies: r.cfg.Recoverer != nil}
	var first *taxonomy.Policy
	for _, next := range s.profile.Chain(s.first()) {
		if s.retries(next) {
			p := s.declared(next)
			if p != nil && p.Budget != nil {
				return p
			}
			if first == nil {
				first = p
			}
		}
	}
	return first
}
