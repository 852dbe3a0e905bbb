package escalate

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// maxTried is how many attempts a question lists: the first quarter, and the last ones.
const maxTried = 40

// newQuestion returns the question about a step, or about the plan where that is empty: why nobody
// below could do it, what was tried, what is needed, the diagnoses' own words of that included, and
// what was reported last, of at most limit bytes.
func newQuestion(step, why string, attempts []Attempt, needed []string, evidence string, limit int) *Question {
	q := &Question{Step: text.Beginning(step, maxWord), Why: text.OneLine(why, maxMessage),
		Evidence: text.BothEnds(evidence, limit)}
	for i, a := range attempts {
		if a.Counts {
			continue
		}
		q.Tried = append(q.Tried, triedBy(a))
		if d := a.Diagnosis; d != nil && i >= len(attempts)-maxTried {
			needed = append(slices.Clip(needed), d.Needed)
		}
	}
	if n := len(q.Tried); n > maxTried {
		q.Tried = slices.Delete(q.Tried, maxTried/4, n-maxTried+maxTried/4)
	}
	for _, s := range needed {
		s = text.Beginning(strings.TrimSpace(s), maxMessage)
		if s != "" && len(q.Needed) < maxListed && !slices.Contains(q.Needed, s) {
			q.Needed = append(q.Needed, s)
		}
	}
	return q
}

// triedBy returns an attempt as a person reads it.
func triedBy(a Attempt) Tried {
	t := Tried{By: text.Beginning(a.Tier, maxWord), Code: text.Beginning(a.Code, maxWord), SavedRef: a.SavedRef}
	t.What = deedOf(a.Role, a.Purpose)
	why := a.Message
	switch {
	case a.Own:
		why = "it failed itself: " + cmp.Or(why, "no more is known")
	case why == "" && a.Diagnosis != nil:
		why = "it found it " + string(a.Diagnosis.Verdict)
		if a.Diagnosis.Cause != "" {
			why += ": " + a.Diagnosis.Cause
		}
	case why == "" && len(a.Findings) > 0:
		why = a.Findings[0].Message
	}
	t.Why = text.OneLine(why, maxValue)
	return t
}

// deedOf says what a tier was asked to do.
func deedOf(role Role, purpose taxonomy.Purpose) string {
	switch role {
	case Diagnose:
		if purpose != taxonomy.PurposeNone {
			return "looked for the cause (" + purpose.String() + ")"
		}
		return "looked for the cause"
	case Fix:
		return "mended it and carried the step out"
	}
	return "carried the step out"
}

// Text returns the question as a person reads it at a terminal: nothing in it commands the
// terminal, and no line of what others have written looks like one of the question's own. Of a nil
// question it is empty.
func (q *Question) Text() string {
	if q == nil {
		return ""
	}
	var b strings.Builder
	about := "The plan"
	if q.Step != "" {
		about = "Step " + backquoted(q.Step)
	}
	b.WriteString(about + " needs a person: " + text.OneLine(q.Why, maxMessage) + "\n")
	if len(q.Tried) > 0 {
		b.WriteString("\nTried so far:\n")
	}
	for i, t := range q.Tried {
		b.WriteString("  " + strconv.Itoa(i+1) + ". " + t.line() + "\n")
	}
	if len(q.Needed) > 0 {
		b.WriteString("\nNeeded:\n")
	}
	for _, need := range q.Needed {
		b.WriteString(indented("  - ", "    ", need))
	}
	if q.Evidence != "" {
		b.WriteString("\nReported last:\n" + indented("  | ", "  | ", q.Evidence))
	}
	return b.String()
}

func (t Tried) line() string {
	line := text.OneLine(t.By, maxWord) + " " + text.OneLine(t.What, maxWord)
	switch why := text.OneLine(t.Why, maxMessage); {
	case t.Code != "" && why != "":
		line += ": " + text.OneLine(t.Code, maxWord) + ": " + why
	case t.Code != "" || why != "":
		line += ": " + text.OneLine(t.Code, maxWord) + why
	}
	if t.SavedRef != "" {
		line += " (kept in " + text.OneLine(t.SavedRef, maxWord) + ")"
	}
	return line
}

// indented returns a text with something before its first line, and before the others.
func indented(first, others, s string) string {
	var b strings.Builder
	before := first
	for line := range strings.SplitSeq(strings.TrimRightFunc(text.Printable(text.Masked(s), "\n\t"), unicode.IsSpace),
		"\n") {
		b.WriteString(strings.TrimRight(before+line, " \t") + "\n")
		before = others
	}
	return b.String()
}
