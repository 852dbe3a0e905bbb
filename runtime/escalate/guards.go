package escalate

import (
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/executor"
)

// guarded reports that the step has had all the calls, or all the time, that it may have; the run
// ends then, and a person is asked.
func (j *job) guarded() bool {
	if j.state.Turns < j.cfg.Guards.Turns {
		return j.outlasted(0)
	}
	j.emit(Event{Kind: GuardReached, Text: "turns"})
	j.work.End, j.work.Why = EndGuard,
		fmt.Sprintf("the step has had %d turns, which is all that a step may have", j.state.Turns)
	return true
}

// outlasted reports that, after a wait, the step would have had all the time that it may have; the
// run ends then, and a person is asked.
func (j *job) outlasted(wait time.Duration) bool {
	if !j.outlasts(wait) {
		return false
	}
	spent, all := shortly(time.Duration(j.state.Spent)), j.cfg.Guards.StepTime
	j.work.End, j.work.Why = EndGuard,
		fmt.Sprintf("the step has taken %s, and %s is all that a step may take", spent, all)
	if wait > 0 {
		j.work.Why = fmt.Sprintf(
			"the step has taken %s of the %s that a step may take, and the next try would be in %s", spent, all,
			shortly(wait))
	}
	return true
}

// outlasts reports whether, after a wait, nothing is left of the time that the step may take, and
// notes that the guard is reached.
func (j *job) outlasts(wait time.Duration) bool {
	if j.cfg.Guards.StepTime == 0 || j.timeLeft() > wait {
		return false
	}
	j.emit(Event{Kind: GuardReached, Text: "step time"})
	return true
}

// timeLeft returns what is left of the time that the step may take, if that is bounded.
func (j *job) timeLeft() time.Duration {
	j.noteTime()
	return j.cfg.Guards.StepTime - time.Duration(j.state.Spent)
}

// noteTime counts the time that has passed as the step's. A clock that was put back takes none
// away.
func (j *job) noteTime() {
	now := j.now()
	j.state.Spent += executor.Duration(max(0, now.Sub(j.since)))
	j.since = now
}

// leastTime is what a call has at least: one that a dead process has begun may be over already,
// which is found out by going on with it.
const leastTime = time.Second

// timeOfCall returns how long the next call may take.
func (j *job) timeOfCall() time.Duration {
	if j.cfg.Guards.StepTime == 0 {
		return j.cfg.Guards.Time
	}
	return min(j.cfg.Guards.Time, max(j.timeLeft(), leastTime))
}

// shortly returns a duration for people: without what is less than a thousandth of it.
func shortly(d time.Duration) string {
	unit := time.Millisecond
	if d >= 10*time.Second {
		unit = time.Second
	}
	return d.Round(unit).String()
}

// repeated returns how often something was done already about the error that the step has failed
// with.
func (j *job) repeated() int { return j.work.Same[j.work.Failed.fingerprint()] }

// noteDone counts that something is done about it.
func (j *job) noteDone() {
	if j.work.Same == nil {
		j.work.Same = map[string]int{}
	}
	j.work.Same[j.work.Failed.fingerprint()]++
}
