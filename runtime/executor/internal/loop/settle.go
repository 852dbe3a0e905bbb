package loop

import (
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	maxFeedback = 50
	maxReports  = 8 // errors with a report in the state
)

// close ends an iteration: it updates the feedback, the counters and the checked tree.
func (l *Loop) close(s *State, it *Iteration) Step {
	l.cancelled(it)
	s.Unchecked = BadPaths(it.Bad) // a detection after each revert removed the reverted ones
	if it.Answered {
		s.Feedback = slices.Clone(s.Feedback[min(it.Sent, len(s.Feedback)):])
	}
	counts, unresolved := false, false
	for i := range it.Failures {
		f := &it.Failures[i]
		if !f.Retried && f.Decision.Reaction.Agent.FeedBack {
			s.Feedback = append(s.Feedback, Feedback{it.Number, f.Code, f.Feedback})
		}
		f.Counted = f.Decision.Counts && !f.Uncounted && !it.Interrupted && !it.Cancelled && !it.Completed
		counts = counts || f.Counted
		unresolved = unresolved || f.unresolved()
	}
	s.Feedback = s.Feedback[max(0, len(s.Feedback)-maxFeedback):]
	it.Clean = !counts && it.Answered && !it.Undetected && !it.Cancelled && (it.Completed || !unresolved)
	switch {
	case counts:
		s.Failures++
		s.Counted++
	case it.Clean:
		s.Failures, s.Streaks, s.LastError = 0, nil, nil
	}
	s.Checked = it.Checked
	return l.end(s, it)
}

// precedence returns the rank of an action. The greatest rank in an iteration wins.
func precedence(a taxonomy.Action) int {
	return [...]int{
		taxonomy.Abort: 7, taxonomy.Block: 6, taxonomy.Escalate: 5, taxonomy.Recover: 4,
		taxonomy.Retry: 3, taxonomy.RetryOperation: 2, taxonomy.Continue: 1,
	}[a]
}

// winner returns the index of the failure whose reaction is carried out, or -1. On a tie the
// earlier failure wins, unless its reaction caused the later one.
func (it *Iteration) winner() int {
	best := -1
	for i := range it.Failures {
		f := &it.Failures[i]
		if f.Retried {
			continue
		}
		if best >= 0 {
			a, b := precedence(f.Decision.Action), precedence(it.Failures[best].Decision.Action)
			if a < b || a == b && !slices.Contains(f.Causes, best) {
				continue
			}
		}
		best = i
	}
	return best
}

// end ends the run after an iteration, or carries out the winning reaction.
func (l *Loop) end(s *State, it *Iteration) Step {
	i := it.winner()
	var w *Failure
	action := taxonomy.Continue
	if i >= 0 {
		w = &it.Failures[i]
		action = w.Decision.Action
	}
	end := EndReason("")
	switch {
	case it.Completed:
		end = EndCompleted
	case l.cancelled(it):
		end = EndCancelled
	case action == taxonomy.Abort:
		end = EndFatal
	case reached(s.Failures, l.cfg.Limits.Failures):
		end = EndMaxFailures
	case reached(s.Counted, l.cfg.Limits.Attempts):
		end = EndAttemptsUsedUp
	case action == taxonomy.Block:
		end = w.Decision.End
	case it.Signal == SignalBlocked && (it.Answered || it.Blocked) && (w == nil || !w.unresolved()):
		end = EndBlockedSignal
	case l.iterationsExhausted(s):
		end = EndMaxIterations
	}
	if end == "" && action == taxonomy.Recover {
		return l.beginRecovery(s, w, i, StepEnd)
	}
	if end == "" {
		return l.nextIteration(s, it, w)
	}
	if end.Status() == StatusBlocked { // also if a failure ended the iteration of the question
		s.Question = it.Question
	}
	for j := range it.Failures {
		if f := &it.Failures[j]; f.unresolved() {
			l.pause(s, f)
		}
	}
	endsRun := w != nil && w.Decision.ends() && end != EndCancelled &&
		w.Decision.Reaction.Agent.Extent == taxonomy.ExtentRun
	l.finish(s, it, w)
	return l.endRun(s, end, endsRun)
}

// nextIteration ends the iteration and prepares the next one, with the longest wait that a failure
// requires. If any failure requires a new conversation, the next iteration begins one. W is the
// failure whose reaction won, or nil.
func (l *Loop) nextIteration(s *State, it *Iteration, w *Failure) Step {
	wait := time.Duration(0)
	for i := range it.Failures {
		f := &it.Failures[i]
		if !f.unresolved() {
			continue
		}
		l.pause(s, f)
		wait = max(wait, f.Decision.Wait)
		switch f.Decision.Reaction.Agent.Session {
		case taxonomy.SessionReduced:
			s.Session, s.Reduced = "", true
		case taxonomy.SessionFresh:
			s.Session = ""
		}
	}
	s.Retried = nil
	if w != nil && w.Op == OpCall && w.Decision.Action == taxonomy.Retry {
		retried := *w
		s.Retried = &retried
	}
	until := s.Now.Add(wait)
	l.finish(s, it, w)
	if w != nil && w.Decision.Action == taxonomy.Escalate {
		l.escalate(s, w.Decision.Tier)
	}
	why := "retry"
	if s.LastError != nil && s.LastError.Code != "" {
		why = s.LastError.Code
	}
	return l.waitUntil(s, until, why, StepHead)
}

// finish adds the iteration's failures to the state's errors, and reduces the iteration to its
// summary. W is the failure whose reaction won, or nil.
func (l *Loop) finish(s *State, it *Iteration, w *Failure) {
	for i := range it.Failures {
		f := &it.Failures[i]
		if rec := l.record(s, f, it.Number); f == w && !it.Clean {
			s.LastError = &rec
		}
	}
	l.emit(s, Event{Kind: IterationEnded, Took: s.Now.Sub(it.Began)})
	s.Iter = Iteration{
		Number: it.Number, Began: it.Began, Calls: it.Calls, Spent: it.Spent, Provider: it.Provider,
		Changed: it.Changed,
		Clean:   it.Clean, Completed: it.Completed, Interrupted: it.Interrupted, Cancelled: it.Cancelled,
		Blocked: it.Blocked,
	}
	s.Crashes = 0
}

// record adds a failure to the state's errors, and returns the complete record.
func (l *Loop) record(s *State, f *Failure, iteration int) ErrorRecord {
	rec, d := f.ErrorRecord, &f.Decision
	rec.Iteration, rec.Tier, rec.Reaction, rec.Action = iteration, s.Tier, d.Reaction.Name, d.Action.String()
	if p := d.Reaction.Agent.Purpose; p != taxonomy.PurposeNone {
		rec.Purpose = p.String()
	}
	if f.Op != OpCall && !strings.HasPrefix(f.Op, OpValidate) {
		rec.Files = rec.Files[:min(len(rec.Files), maxListed)]
	}
	stored := rec
	stored.Wire = nil
	if n := len(s.Errors) - maxReports + 1; n > 0 {
		s.Errors[n-1].Report = ""
	}
	s.Errors = push(s.Errors, stored)
	s.ErrorCount++
	if s.Reactions == nil {
		s.Reactions = map[string]int{}
	}
	s.Reactions[rec.Reaction]++
	return rec
}

// abandon ends a process whose setup failed: it files and notifies, and saves nothing.
func (l *Loop) abandon(s *State) {
	if s.End == "" {
		s.End = EndCancelled
	}
	for s.Step = StepFile; s.Step != StepOver; s.Step = l.step(s) {
	}
}

// endRun ends the run.
func (l *Loop) endRun(s *State, end EndReason, endsRun bool) Step {
	if s.End == "" {
		s.End, s.EndsRun, s.Ended = end, endsRun, l.now(s)
	}
	return StepInspectEnd
}

// inspectEnd finds and saves the changes that remain when the run is over.
func (l *Loop) inspectEnd(s *State, _ *Iteration) Operation {
	d := Detect{Trees: Trees{Checked: s.Checked, Committed: s.Committed}}
	return when(l.cfg.Workspace && s.Checked != "" && s.End != EndDryRun, d)
}

func (l *Loop) inspectedEnd(s *State, _ *Iteration, found *Changes, _ bool) Step {
	if found != nil {
		s.Uncommitted, s.Unchecked = found.Left, union(s.Unchecked, found.Paths)
	}
	return StepBranch
}

// forward forwards the person's branch to the delivered commits of a completed run.
func (l *Loop) forward(s *State, _ *Iteration) Operation {
	forwards := !l.cfg.KeepBranch && l.cfg.Deliver < DeliverPullRequest
	return when(forwards && s.End == EndCompleted && s.Branch != "", Forward{})
}

func (l *Loop) forwarded(s *State, _ *Iteration, f *Forwarding, _ bool) Step {
	switch {
	case f == nil:
	case f.Why != "":
		l.warn(s, "the result is "+s.Branch+", because "+f.Why+": "+f.Command)
	default:
		l.emit(s, Event{Kind: Delivered, Op: OpForward, Text: s.Branch})
		s.Branch = ""
	}
	return StepFile
}

func (l *Loop) file(s *State, _ *Iteration) Operation {
	return when(l.cfg.Filer && s.End != EndDryRun, File{s})
}

func (l *Loop) notify(s *State, _ *Iteration) Operation {
	return when(l.cfg.Notifier && s.End != EndDryRun, Notify{s})
}
