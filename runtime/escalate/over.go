package escalate

import (
	"slices"

	"github.com/errgen/errgen/runtime/internal/text"
)

// A step that is over is read by people only. What all of them together keep of others' words is
// bounded, so that the state of a plan of thousands of steps can be kept, and is saved in little
// time.
const (
	// maxOver is how many bytes of texts the attempts of all steps that are over may have, about;
	// of one step at most maxOverStep, at least minOverStep.
	maxOver     = 8 << 20
	maxOverStep = 128 << 10
	minOverStep = 1 << 10
	// minOverAttempt is what an attempt has at least. Of a step that has more attempts than it has
	// room for, the first and the last stay.
	minOverAttempt = 512
)

// shorten leaves of a step that is over what its share has room for, of a plan of so many steps.
func (s *StepResult) shorten(steps int) {
	share := min(max(maxOver/max(1, steps), minOverStep), maxOverStep)
	if most := share / minOverAttempt; len(s.Attempts) > most {
		s.Attempts = slices.Delete(s.Attempts, most/2, len(s.Attempts)-(most-most/2))
	}
	for i := range s.Attempts {
		if a := &s.Attempts[i]; a.texts() > share/len(s.Attempts) {
			a.shorten(share / len(s.Attempts))
		}
	}
	if c := s.Correction; c != nil && len(c.Old)+len(c.New)+len(c.Why) > share {
		s.Correction = &Correction{By: c.By, Old: text.BothEnds(c.Old, share/4), New: text.BothEnds(c.New, share/4),
			Why: text.Beginning(c.Why, share/8)}
	}
}

// texts returns how many bytes an attempt has of what was said.
func (a *Attempt) texts() int {
	n := len(a.Said) + len(a.Message) + len(a.Refused)
	for _, f := range slices.Concat(a.Findings, a.Unreviewed) {
		n += len(f.Message)
	}
	for _, file := range a.Files {
		n += len(file)
	}
	if d := a.Diagnosis; d != nil {
		n += len(d.Cause) + len(d.Fix) + len(d.Needed) + len(d.Instructions)
	}
	return n
}

// shorten leaves about n bytes of an attempt's texts: most of what was said, and the beginnings of
// the rest.
func (a *Attempt) shorten(n int) {
	a.Said, a.Message, a.Refused = text.BothEnds(a.Said, n/3), text.Beginning(a.Message, n/8),
		text.Beginning(a.Refused, n/16)
	a.Findings, a.Unreviewed = firstFindings(a.Findings, n/8), firstFindings(a.Unreviewed, n/16)
	files := 0
	for i, file := range a.Files {
		if files += len(file); files > n/8 {
			a.Files = slices.Clone(a.Files[:i])
			break
		}
	}
	if d := a.Diagnosis; d != nil {
		a.Diagnosis = &Diagnosis{
			Verdict: d.Verdict, Cause: text.Beginning(d.Cause, n/8), Fix: text.Beginning(d.Fix, n/16),
			Needed:       text.Beginning(d.Needed, n/16),
			Instructions: text.BothEnds(d.Instructions, n/8),
		}
	}
}

// firstFindings returns the first findings, with at most n bytes of their messages.
func firstFindings(all []Finding, n int) []Finding {
	var out []Finding
	for _, f := range all {
		if n <= 0 {
			break
		}
		f.Message = text.Beginning(f.Message, n)
		n -= max(1, len(f.Message))
		out = append(out, f)
	}
	return out
}
