package escalate

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// ask is what a tier is to be called for.
type ask struct {
	// number is the call's within the run, from 1; it names the run of the executor that the call
	// is.
	number  int
	rung    int
	role    Role
	purpose taxonomy.Purpose
	step    string
	prompt  string
	// reduced asks for a short conversation.
	reduced bool
	// resumed reports that the call was begun by a process that died.
	resumed bool
	// time is how long it may take; 0 is what any call may.
	time time.Duration
}

// turned is what came of a call. At most one of answered, cancelled, interrupted and own is set.
// With none of them it is the step that failed, with err: the tier's time was over, which timedOut
// says, it touched what it must not, or the tree could not be judged.
type turned struct {
	// text is the answer; of one that an earlier process got, the end.
	text        string
	answered    bool
	cancelled   bool
	interrupted bool // a process died in it, or it cannot be gone on with: the tree is put back, and the call made anew
	own         bool // the tier itself has failed
	timedOut    bool
	// end is why the run of the executor ended. It is EndLadderUsedUp for a failure of the tier's
	// own whose reaction hands over.
	end executor.EndReason
	// err is nil for an answer. It is evidence where the escalation itself says what failed, and an
	// error of the taxonomy otherwise, if there is one.
	err error
	// changes are what was judged and may stay, files their paths. Nobody has judged anything else.
	changes []executor.Change
	files   []string
	// about are the files that err is about, where it does not say so itself.
	about []string
	// saved is what was put back already.
	saved []saved
	usage executor.Usage
	took  time.Duration
}

// saved is what was put back: the ref that has it, and the files.
type saved struct {
	ref   string
	files []string
}

// turn has a tier answer once. Its own failures are dealt with here, as far as trying again and
// waiting can; whatever it answers is judged by the guard and left in the tree.
func (r *run) turn(ctx context.Context, a ask) turned {
	if a.resumed && r.cfg.Calls.Journal == nil {
		return turned{interrupted: true, err: errUnknownCall}
	}
	c := newCalling(ctx, r, a)
	defer c.cancel(nil)
	e, err := executor.New(c.config())
	if err != nil {
		return turned{own: true, end: executor.EndFatal, err: err}
	}
	res := e.Run(c.ctx, executor.Task{
		Run: callName(r.result.Run, r.state.Began, a.number), ID: r.result.Run + "/" + a.step, Title: "Step " + a.step,
		Prompt: a.prompt,
	})
	if res.EndReason == executor.EndRefused && res.Resumed {
		c.mend(ctx, res)
	}
	return c.outcome(ctx, res)
}

// mend makes the tree fit for putting back what a call has left that the executor does not go on
// with, and has ended.
func (c *calling) mend(ctx context.Context, res *executor.Result) {
	if c.tree == nil {
		return
	}
	graced, release := withGrace(ctx)
	defer release()
	err := contained(opResume, func() error { return c.tree.Resume(graced, res.Run, c.tree.checked) })
	if err != nil {
		res.Err = errors.Join(res.Err, err)
	}
}

// Why calls end that do not end by themselves.
var (
	errUnknownCall = errors.New("the call was begun by a process that has died, and nothing is known of it")
	errOver        = errors.New("the call is over")
	errGone        = errors.New(
		"what the call had changed is not there any more: it was put back when the state could not be saved")
)

// The operations of the executor that are about whoever is called.
const (
	opAvailable = "available"
	opCall      = "call"
	opBudget    = "budget"
	opResume    = "resume"
)

// ofTier reports whether a failure befell the tier, or the way to it, and says nothing of the step.
func ofTier(rec executor.ErrorRecord) bool {
	return rec.Iteration == 0 || opOfTier(rec.Op)
}

func opOfTier(op string) bool { return op == opAvailable || op == opCall || op == opBudget }

// interrupts reports that a failure is that a process died in a call.
func interrupts(rec executor.ErrorRecord) bool { return rec.Iteration > 0 && rec.Op == opResume }

// outcome returns what a run of the executor says of the call that it is.
func (c *calling) outcome(ctx context.Context, res *executor.Result) turned {
	t := turned{end: res.EndReason, err: res.Err, usage: res.Usage, took: max(0, res.EndedAt.Sub(res.StartedAt)),
		saved: c.savedBy(res)}
	rec, known := deciding(res)
	switch {
	case res.EndReason == executor.EndCompleted:
		return c.answeredWith(ctx, t, res)
	case ctx.Err() != nil && res.EndReason == executor.EndCancelled:
		t.cancelled, t.err = true, context.Cause(ctx)
	case known && rec.Op == opCall && c.late():
		t.timedOut, t.err = true, c.timedOut(t)
	case known && interrupts(rec), res.EndReason == executor.EndRefused && res.Resumed:
		t.interrupted = true
	case res.EndReason == executor.EndCancelled && (!known || ofTier(rec)):
		t.interrupted = true
	case !known || ofTier(rec):
		t.own = true
		c.own(&t, res)
	}
	if known && rec.Source == sourceScope {
		t.about = rec.Files
	}
	if t.err == nil {
		t.err = errors.New(textOr(res.Error, "the call ended without an answer: "+string(res.EndReason)))
	}
	return t
}

func textOr(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// answeredWith completes what came of a call that was answered.
func (c *calling) answeredWith(ctx context.Context, t turned, res *executor.Result) turned {
	changes, err := c.judged(ctx)
	if err != nil {
		t.interrupted, t.err = true, err
		return t
	}
	if c.ask.resumed && len(changes) == 0 && len(res.UncommittedFiles) > 0 {
		t.interrupted, t.err = true, errGone
		return t
	}
	t.answered, t.err, t.changes, t.files = true, nil, changes, paths(changes)
	if t.text = res.Text; c.heard {
		t.text = c.text
	}
	return t
}

// savedBy returns what was put back in the call. Of what an earlier process has put back, only the
// refs are known.
func (c *calling) savedBy(res *executor.Result) []saved {
	var all []saved
	for _, ref := range res.SavedRefs {
		s := saved{ref: ref}
		if c.tree != nil {
			s.files = c.tree.saved[ref]
		}
		all = append(all, s)
	}
	return all
}

// deciding returns the error that a run of the executor ended with.
func deciding(res *executor.Result) (executor.ErrorRecord, bool) {
	for i := len(res.Errors) - 1; i >= 0; i-- {
		if rec := res.Errors[i]; rec.Message == res.Error && rec.Code == res.ErrorCode {
			return rec, true
		}
	}
	return executor.ErrorRecord{}, false
}

// own completes what came of a tier that has failed itself.
func (c *calling) own(t *turned, res *executor.Result) {
	if t.err == nil && res.Error == "" && res.EndReason == executor.EndDeadline {
		t.err = c.run.classified(&taxonomy.Evidence{
			Source: c.name, Op: opCall, Type: "timeout",
			Text:       "nothing could be asked in time: the wait before the call was too long",
			Attributes: map[string]string{"timeout_ms": milliseconds(c.time())},
		})
	}
	if t.err != nil && handsOver(c.run.cfg.Calls.Table.Reaction(t.err)) {
		t.end = executor.EndLadderUsedUp
	}
}

// handsOver reports that, once trying again is used up, a reaction leads to a higher tier. A run of
// one tier has none, or a person's at most, and so ends in another way.
func handsOver(r taxonomy.Reaction) bool {
	for next := range r.Chain() {
		switch next.Action {
		case taxonomy.Escalate:
			return true
		case taxonomy.Retry, taxonomy.RetryOperation, taxonomy.Recover:
		default:
			return false
		}
	}
	return false
}

// timedOut is the evidence of a tier that did not answer in its time. The call's own error is not
// in it: that has a code already, the tier's.
func (c *calling) timedOut(t turned) *taxonomy.Evidence {
	return &taxonomy.Evidence{
		Source: "agent", Op: string(c.ask.role), Type: "timeout", Err: context.DeadlineExceeded,
		Text: "there was no answer within " + c.time().String(),
		Attributes: map[string]string{
			"tier": c.run.ladder[c.ask.rung].tier.Name, "step": c.ask.step,
			"timeout_ms": milliseconds(c.time()), "elapsed_ms": milliseconds(t.took),
		},
	}
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// classified returns evidence as an error of the taxonomy, or as it is where that fails.
func (r *run) classified(ev *taxonomy.Evidence) error {
	err, _ := r.cfg.Calls.Classify(ev, ev.Source, ev.Op)
	if err == nil {
		return ev
	}
	return err
}
