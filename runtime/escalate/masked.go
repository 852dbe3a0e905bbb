package escalate

import (
	"slices"

	"github.com/errgen/errgen/runtime/escalate/plan"
)

// maxMessage bounds a text in an event, a finding and the like, in bytes; maxSaid what is kept of
// what a tier said, but for the last one to speak.
const (
	maxMessage = 4 << 10
	maxSaid    = 4 << 10
)

// bounded returns a text as it is kept and shown.
func bounded(s string) string { return beginning(s, maxMessage) }

// maskedFiles returns names of files as they are kept and shown: they are chosen by agents.
func maskedFiles(files []string) []string {
	var all []string
	for _, file := range files[:min(len(files), maxListed)] {
		all = append(all, beginning(file, maxValue))
	}
	return all
}

// maskedEvent returns an event as it is kept and shown.
func maskedEvent(e Event) Event {
	e.Step, e.Tier, e.From = beginning(e.Step, maxWord), beginning(e.Tier, maxWord), beginning(e.From, maxWord)
	e.Code = beginning(e.Code, maxWord)
	e.Text, e.Message = bounded(e.Text), bounded(e.Message)
	e.Files = maskedFiles(e.Files)
	return e
}

// maskedAttempt returns an attempt as it is kept and shown, with at most limit bytes of what was
// said.
func maskedAttempt(a Attempt, limit int) Attempt {
	a.Tier, a.Claimed = beginning(a.Tier, maxWord), beginning(a.Claimed, maxWord)
	a.Refused, a.Disagrees, a.Message = bounded(a.Refused), bounded(a.Disagrees), bounded(a.Message)
	a.Findings, a.Unreviewed = maskedFindings(a.Findings), maskedFindings(a.Unreviewed)
	a.Diagnosis = maskedDiagnosis(a.Diagnosis)
	a.Said = bothEnds(a.Said, limit)
	a.Files = maskedFiles(a.Files)
	return a
}

// maxKeptAttempts is how many attempts of a step are kept: the first half of them, and the last.
const maxKeptAttempts = 200

// noted returns the attempts of a step with one more. Of what was said before only the ends stay:
// the last report is the one that is passed on unchanged, and a step may have many.
func noted(all []Attempt, a Attempt, limit int) []Attempt {
	if n := len(all); n > 0 {
		all[n-1].Said = bothEnds(all[n-1].Said, maxSaid)
	}
	if len(all) >= maxKeptAttempts {
		all = slices.Delete(all, maxKeptAttempts/2, maxKeptAttempts/2+1)
	}
	return append(all, maskedAttempt(a, limit))
}

// maskedPrerequisite returns a prerequisite as it is kept and shown: an address may hold a key.
func maskedPrerequisite(p plan.Prerequisite) plan.Prerequisite {
	p.Name, p.Doc, p.MadeBy = bounded(p.Name), bounded(p.Doc), bounded(p.MadeBy)
	return p
}

func maskedFindings(all []Finding) []Finding {
	var out []Finding
	for _, f := range all[:min(len(all), maxListed)] {
		out = append(
			out, Finding{Source: beginning(f.Source, maxWord), Code: beginning(f.Code, maxWord),
				Message: bounded(f.Message)})
	}
	return out
}

func maskedDiagnosis(d *Diagnosis) *Diagnosis {
	if d == nil {
		return nil
	}
	return &Diagnosis{
		Verdict: d.Verdict,
		Cause:   beginning(d.Cause, maxWords), Fix: beginning(d.Fix, maxWords), Needed: beginning(d.Needed, maxWords),
		Instructions: beginning(d.Instructions, maxInstructions),
	}
}
