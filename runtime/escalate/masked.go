package escalate

import (
	"slices"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/internal/text"
)

// maxMessage bounds a text in an event, a finding and the like, in bytes; maxSaid what is kept of
// what a tier said, but for the last one to speak.
const (
	maxMessage = 4 << 10
	maxSaid    = 4 << 10
)

// bounded returns a text as it is kept and shown.
func bounded(s string) string { return text.Beginning(s, maxMessage) }

// maskedFiles returns names of files as they are kept and shown: they are chosen by agents.
func maskedFiles(files []string) []string {
	var all []string
	for _, file := range files[:min(len(files), maxListed)] {
		all = append(all, text.Beginning(file, maxValue))
	}
	return all
}

// maskedEvent returns an event as it is kept and shown.
func maskedEvent(e Event) Event {
	e.Step, e.Tier, e.From = text.Beginning(e.Step, maxWord), text.Beginning(e.Tier, maxWord),
		text.Beginning(e.From, maxWord)
	e.Code = text.Beginning(e.Code, maxWord)
	e.Text, e.Message = bounded(e.Text), bounded(e.Message)
	e.Files = maskedFiles(e.Files)
	return e
}

// maskedAttempt returns an attempt as it is kept and shown, with at most limit bytes of what was
// said.
func maskedAttempt(a Attempt, limit int) Attempt {
	a.Tier, a.Claimed = text.Beginning(a.Tier, maxWord), text.Beginning(a.Claimed, maxWord)
	a.Refused, a.Disagrees, a.Message = bounded(a.Refused), bounded(a.Disagrees), bounded(a.Message)
	a.Findings, a.Unreviewed = maskedFindings(a.Findings), maskedFindings(a.Unreviewed)
	a.Diagnosis = maskedDiagnosis(a.Diagnosis)
	a.Said = text.BothEnds(a.Said, limit)
	a.Files = maskedFiles(a.Files)
	return a
}

// maxKeptAttempts is how many attempts of a step are kept: the first half of them, and the last.
const maxKeptAttempts = 200

// noted returns the attempts of a step with one more. Of what was said before only the ends stay:
// the last report is the one that is passed on unchanged, and a step may have many.
func noted(all []Attempt, a Attempt, limit int) []Attempt {
	if n := len(all); n > 0 {
		all[n-1].Said = text.BothEnds(all[n-1].Said, maxSaid)
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
			out, Finding{Source: text.Beginning(f.Source, maxWord), Code: text.Beginning(f.Code, maxWord),
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
		Cause:   text.Beginning(d.Cause, maxWords), Fix: text.Beginning(d.Fix, maxWords),
		Needed:       text.Beginning(d.Needed, maxWords),
		Instructions: text.Beginning(d.Instructions, maxInstructions),
	}
}
