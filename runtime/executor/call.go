package executor

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// errIterationDeadline is why the context of an iteration's calls ends when its time is over.
var errIterationDeadline = errors.New("the iteration's time is over")

// call calls the provider until it has answered, or until a reaction asks for more than another
// call. All calls of an iteration share its deadline.
func (r *runner) call(ctx context.Context, it *iteration) {
	limit := it.ends.Sub(r.cfg.Clock.Now())
	timed, release := context.WithTimeoutCause(ctx, limit, errIterationDeadline)
	defer release()
	defer r.withdraw(retry.Result{Cancelled: true})
	for again := true; again; {
		again = r.callOnce(ctx, timed, it)
	}
}

// callOnce makes one call. It reports whether another one follows in this iteration.
func (r *runner) callOnce(ctx, timed context.Context, it *iteration) (again bool) {
	if it.replay.interrupted(it.calls + 1) {
		r.interrupted(it)
		return false
	}
	answer, f, ok := it.replay.answer(r, it)
	if !ok {
		if ctx.Err() != nil {
			it.cancelled = true
			return false
		}
		if it.replay.hasJudged() || !r.affordable(ctx, it) || !r.admitInPlace(ctx, it) {
			return false
		}
		if f, ok = r.precheck(ctx, timed, it); ok {
			answer, f = r.invoke(ctx, timed, it)
		}
	} else if f != nil {
		r.decideFor(it, f, nil)
	}
	r.converse(answer)
	it.answer, r.state.RetryOf = answer, nil
	switch {
	case it.cancelled:
		return false
	case f == nil:
		r.answer(it, answer)
		return false
	}
	r.tell(f)
	it.failures = append(it.failures, f)
	if !f.known && r.asksForPerson(answer) {
		f.overcome, f.excused, it.blocked = true, true, true
		return false
	}
	return r.callsAgain(ctx, it, f)
}

// invoke calls the provider and writes down what came of it.
func (r *runner) invoke(ctx, timed context.Context, it *iteration) (Answer, *failure) {
	provider := r.provider()
	op := operation{name: opCall, source: nameOf(provider)}
	it.calls++
	it.session = r.state.Session
	r.callBegins(it)
	began := r.cfg.Clock.Now()
	started := &Started{
		Call: it.calls, Provider: op.source, Tier: r.state.Tier, Session: r.state.Session, Waits: r.takeWaits(),
		Lane: text.Beginning(r.lane(""), maxName), RetryOf: r.state.RetryOf,
	}
	r.record(ctx, Entry{Point: PointStarted, Started: started})
	r.emit(Event{Kind: CallStarted, Call: it.calls, Source: op.source, Tier: r.tierName(), Session: r.state.Session})
	var answer Answer
	var during during
	err := contained(op, func() (err error) {
		answer, err = provider.Call(timed, r.request(ctx, it, began, &during))
		return err
	})
	during.end()
	now := r.cfg.Clock.Now() // the one time at which the call has ended, whoever is told
	took := now.Sub(began)
	answer.Usage = r.believed(answer.Usage)
	answer.Session = keptSession(answer.Session)
	r.callEnds(it, answer.Usage)
	r.emit(Event{Kind: CallEnded, Call: it.calls, Source: op.source, Took: took, Usage: answer.Usage})
	if ctx.Err() != nil && (err != nil || answer.Failure != "") {
		it.cancelled = true
		r.withdraw(retry.Result{Cancelled: true})
		r.record(
			ctx, Entry{Point: PointAnswered,
				Answered: &Answered{Call: it.calls, Cancelled: true, Usage: answer.Usage, Took: Duration(took)}})
		return answer, nil
	}
	f := r.callFailure(timed, it, op, answer, err, took)
	if f == nil {
		r.withdraw(retry.Result{})
	} else {
		r.withdraw(retry.Result{Failed: true, Policy: r.budgetPolicy(f)})
		r.decideFor(it, f, nil)
	}
	answer.Signal, answer.Question = r.signal(answer, f)
	ended := r.answered(it, answer, f, took)
	r.recordAnswer(ctx, ended, now)
	r.learn(started, ended, now)
	return answer, f
}

// request is what the provider is asked.
func (r *runner) request(ctx context.Context, it *iteration, now time.Time, d *during) Request {
	return Request{
		Prompt:  r.prompt(it),
		Dir:     r.dir(),
		Session: r.state.Session, Reduced: r.state.Reduced,
		Iteration: it.number,
		Limit:     it.ends.Sub(now),
		Started:   r.tracking(ctx, "", d),
		Progress: func(s string) {
			d.do(func() { r.emit(Event{Kind: Progressed, Text: text.Beginning(s, maxMessage)}) })
		},
	}
}

// tracking returns what writes down the processes of an operation, as long as that is not over. A
// call has no name.
func (r *runner) tracking(ctx context.Context, op string, d *during) func(Process) error {
	return func(p Process) error {
		d.do(func() { r.record(ctx, Entry{Point: PointProcess, Process: &p, Op: op}) })
		return nil
	}
}

// during keeps out what is still said of a call or a check when it is over.
type during struct {
	mu   sync.Mutex
	over bool
}

func (d *during) do(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.over {
		f()
	}
}

func (d *during) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
}

// callFailure returns what failed in a call, or nil.
func (r *runner) callFailure(timed context.Context, it *iteration, op operation, answer Answer, err error,
	took time.Duration) *failure {
	switch {
	case err == nil && answer.Failure == "":
		return nil
	case context.Cause(timed) == errIterationDeadline && !r.ours(err):
		return r.classify(it, op, it.timedOut(op, answer, err, took))
	case err != nil:
		return r.classify(it, op, err)
	}
	text := errors.New(text.Beginning(answer.Failure, maxMessage))
	return r.failureOf(it, op, text, "the provider says no more than a text")
}

// timedOut is the evidence of a call that the iteration's deadline has ended.
func (it *iteration) timedOut(op operation, answer Answer, err error, took time.Duration) *taxonomy.Evidence {
	ev := &taxonomy.Evidence{Source: op.source, Op: op.name, Type: typeTimeout, Text: answer.Failure, Err: err,
		Attributes: map[string]string{}}
	if said, ok := err.(*taxonomy.Evidence); ok && said != nil {
		ev.Text, ev.Output, ev.Credential, ev.Files = said.Text, said.Output, said.Credential, said.Files
		for name, value := range said.Attributes {
			ev.Attributes[name] = value
		}
	}
	ev.Attributes["iteration"] = strconv.Itoa(it.number)
	ev.Attributes["timeout_ms"] = strconv.FormatInt(it.ends.Sub(it.began).Milliseconds(), 10)
	ev.Attributes["elapsed_ms"] = strconv.FormatInt(took.Milliseconds(), 10)
	return ev
}

// interrupted is what becomes of a call that was begun by a process which died.
func (r *runner) interrupted(it *iteration) {
	it.interrupted = true
	it.calls++
	name := it.replay.started[it.calls].Provider
	op := operation{name: opResume, source: sourceExecutor, single: true}
	f := r.fail(it, op, &taxonomy.Evidence{
		Source: op.source, Op: op.name, Type: typeInterrupted, Text: "the executor ended during a call",
		Attributes: map[string]string{"provider": name},
	})
	it.failures = append(it.failures, f)
}

// keptSession returns a conversation that can be written down. One whose name looks like a secret
// cannot, and masked it names none: it is not continued.
func keptSession(session string) string {
	if taxonomy.Redact(session) != session {
		return ""
	}
	return session
}

// converse keeps the conversation, if it is to be continued.
func (r *runner) converse(a Answer) {
	switch {
	case !r.cfg.Continue:
		r.state.Session = ""
	case a.Session != "":
		r.state.Session = a.Session
	}
}

// answer notes that the provider has answered.
func (r *runner) answer(it *iteration, a Answer) {
	it.answered = true
	r.state.Reduced = false
	if a.Session == "" {
		r.state.Session = ""
	}
	r.result.Text = text.Ending(a.Text, maxAnswer)
}

// callsAgain reports whether the reaction to a failed call is another call at once, and waits for
// it.
func (r *runner) callsAgain(ctx context.Context, it *iteration, f *failure) bool {
	if it.replay.hasJudged() && !it.replay.began(f.op, it.calls+1) {
		f.overcome = it.replay.overcame(it.calls)
		f.excused = f.overcome && !f.runsAgain()
		return false
	}
	if !r.refreshes(ctx, it, f) && !r.again(ctx, it, f) {
		return false
	}
	if r.state.RetryOf = f.retryOf(); r.state.RetryOf == nil {
		r.state.RetryOf = &RetryOf{Code: f.record.learned(), Attempt: 2}
	}
	return f.decision.reaction.Revert == taxonomy.RevertNone || it.replay.began(f.op, it.calls+1) || r.undo(ctx, it, f)
}

// undo takes back, before another call, what the one that failed has done. It reports whether that
// went well.
func (r *runner) undo(ctx context.Context, it *iteration, f *failure) bool {
	graced, release := withGrace(ctx, r.cfg.Limits.Grace)
	defer release()
	before := len(it.failures)
	if j := it.replay.undoing(it.calls); j != nil {
		it.changes = j.Changes
		r.revert(graced, it, j.Revert, []*failure{f})
	} else if r.detect(graced, it); !it.undetected {
		r.saveAndRevert(graced, it, []*failure{f}, it.calls)
	}
	it.judged, it.changes, it.reverted = false, nil, map[string]bool{}
	return len(it.failures) == before && !it.cancelled
}

// refreshes reports that a continued conversation is given up for a new one at once: it failed
// without a category, or the reaction says so.
func (r *runner) refreshes(ctx context.Context, it *iteration, f *failure) bool {
	d := &f.decision
	switch {
	case it.fresh || it.session == "" || r.result.EndReason != "":
		return false
	case !f.known:
		d.wait = 0
	case d.reaction.Session != taxonomy.SessionFresh || d.action == taxonomy.Abort || d.action == taxonomy.Block:
		return false
	}
	if !it.ends.After(r.cfg.Clock.Now().Add(d.wait)) || !r.waitInPlace(ctx, it, f) {
		return false
	}
	it.fresh, f.overcome, f.excused, r.state.Session = true, true, true, ""
	return true
}
