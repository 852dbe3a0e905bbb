package escalate

import "fmt"

// guarded reports that the step has had all the calls that it may have; the run ends then, and a person is asked.
func (j *job) guarded() bool {
	if j.state.Turns < j.cfg.Guards.Turns {
		return false
	}
	j.emit(Event{Kind: GuardReached, Text: "turns"})
	j.work.End, j.work.Why = EndGuard, fmt.Sprintf("the step has had %d turns, which is all that a step may have", j.state.Turns)
	return true
}

// repeated returns how often something was done already about the error that the step has failed with.
func (j *job) repeated() int { return j.work.Same[j.work.Failed.fingerprint()] }

// noteDone counts that something is done about it.
func (j *job) noteDone() {
	if j.work.Same == nil {
		j.work.Same = map[string]int{}
	}
	j.work.Same[j.work.Failed.fingerprint()]++
}
