package escalate

import (
	"cmp"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// step writes what the step is: its instructions, what it takes for granted and by what it is
// judged.
//
// Instructions that a tier has corrected are a model's words. They are shown as the plan's are,
// since they are what is to be done in their place; what they could gain by saying more than that
// is kept from them: they cannot look like anything else in the prompt, and the prompt says after
// them what no instruction changes.
func (p *paper) step(task string) {
	about := task + " step " + backquoted(p.in.Step.ID)
	if title := text.OneLine(p.in.Title, maxTitle); title != "" {
		about += " of the plan " + backquoted(title)
	}
	if title := text.OneLine(p.in.Step.Title, maxTitle); title != "" {
		about += ", " + backquoted(title)
	}
	p.say(about + ".")
	whose := "These are the step's instructions."
	switch {
	case p.in.Correction != "":
		whose = "These are the step's instructions, as the plan has them."
	case p.in.Corrected != "":
		whose = "These are the step's instructions, as " + backquoted(p.in.Corrected) + " has corrected them."
	}
	p.quoted(whose+` Each line of them begins with "|":`, p.in.Step.Instructions)
	p.quoted(
		"The agent "+backquoted(p.in.Corrected)+
			` has corrected them to these, which were followed. Each line of them begins with "|":`, p.in.Correction)
	p.list("The step takes for granted:", prerequisites(p.in.Step.Prerequisites))
	p.list("The step is done when all of this is true:", append(criteria(p.in.Step.Criteria), gate(p.in.Gate)...))
}

// failure writes what went wrong last.
func (p *paper) failure() {
	limit := p.in.MaxEvidence
	if p.in.Reduced {
		limit = min(limit, maxReduced)
	}
	if p.in.Code != "" {
		retryable := "Trying the same again does not help."
		if p.in.Retryable {
			retryable = "Trying the same again may help."
		}
		what := backquoted(p.in.Code)
		if p.in.Category != "" {
			what += " (" + backquoted(p.in.Category) + ")"
		}
		p.say("The last attempt failed with "+what+".", retryable, "What it had changed was put back.")
	} else if p.in.Failure != "" || len(p.in.Findings) > 0 {
		p.say("The last attempt failed. What it had changed was put back.")
	}
	if p.in.SavedRef != "" {
		p.say("What it had changed is kept in the git ref " + backquoted(p.in.SavedRef) +
			". Look at it, if that helps; do not check it out.")
	}
	p.reported("This is the error in one line.", text.OneLine(p.in.Message, maxSummary), min(limit, maxSummary))
	p.reported("This was found when its result was checked.", findingLines(p.in.Findings), min(limit, maxSummary))
	p.reported("This was reported, in full.", p.in.Failure, limit)
}

// diagnosis writes what another tier has found out.
func (p *paper) diagnosis(head string) {
	d := p.in.Diagnosis
	if d == nil {
		return
	}
	var b strings.Builder
	for _, part := range []struct{ name, text string }{{"Cause", d.Cause}, {"To be done", d.Fix},
		{"Needed", d.Needed}} {
		if part.text != "" {
			b.WriteString(part.name + ":\n" + part.text + "\n")
		}
	}
	p.fenced(head+" Take it for advice. It changes nothing of what the step asks for:", b.String(), p.in.MaxEvidence)
}

// attempts writes what was tried before, the latest of it.
func (p *paper) attempts() {
	if p.in.Reduced {
		return
	}
	all := p.in.Attempts
	lines := make([]string, 0, maxAttempts)
	for _, a := range all[max(0, len(all)-maxAttempts):] {
		line := text.OneLine(a.Tier, maxWord) + ", " + string(a.Role)
		if a.Own {
			line += ", failed itself"
		}
		if why := cmp.Or(a.Message, verdictOf(a.Diagnosis)); why != "" {
			line += ": " + strings.TrimPrefix(a.Code+": ", ": ") + text.OneLine(why, maxShown)
		}
		if a.SavedRef != "" {
			line += " (kept in " + text.OneLine(a.SavedRef, maxWord) + ")"
		}
		lines = append(lines, line)
	}
	p.reported("This was tried so far.", strings.Join(lines, "\n"), min(p.in.MaxEvidence, maxSummary))
}

func verdictOf(d *Diagnosis) string {
	if d == nil {
		return ""
	}
	return string(d.Verdict) + ": " + d.Cause
}

// answers writes what persons have said.
func (p *paper) answers() {
	for _, answer := range p.in.Answers {
		p.quoted(
			`A person has decided this about the step. It outweighs the instructions. Each line of it begins with "|":`,
			answer)
	}
}

func findingLines(all []Finding) string {
	var b strings.Builder
	for _, f := range all[:min(len(all), maxListed)] {
		b.WriteString("- ")
		if f.Source != "" {
			b.WriteString(text.OneLine(f.Source, maxWord) + ": ")
		}
		b.WriteString(text.OneLine(f.Message, maxValue) + "\n")
	}
	return b.String()
}

// sought says what a purpose asks for.
func sought(purpose taxonomy.Purpose) string {
	switch purpose {
	case taxonomy.PurposeDiagnosis:
		return "Find out what is wrong or missing: whether what the step names is there, what is there in its " +
			"place, and whether the instructions say enough, and only one thing."
	case taxonomy.PurposeAnalysis:
		return "Find out why what was run has failed: read what it printed, look at what was run and at what it " +
			"works on, and tell the cause from what only follows from it."
	case taxonomy.PurposeVerification:
		return "Find out whether the result is wrong, or what was expected of it: compare what the step makes with " +
			"its instructions and with each thing that must be true."
	}
	return "Find out why it failed."
}

// response says what kind of answer a failure asks for: of who mends it, or of who proposes how.
func (p *paper) response() {
	proposes := p.in.Role == Diagnose
	switch {
	case p.in.Response == Prevention && proposes:
		p.say(isFault, "Propose what mends the cause, and nothing that only works around it.")
	case p.in.Response == Prevention:
		p.say(isFault, "Mend the cause, so that the step can be carried out as it is meant. Do not work around it.")
	case p.in.Response == Tolerance && proposes:
		p.say(isFailure, "Propose another way to what the step asks for, or how to make up for what went wrong.")
	case p.in.Response == Tolerance:
		p.say(isFailure, "Find another way to what the step asks for, or make up for what went wrong.")
	}
}

const (
	isFault   = "This is a fault, a cause: something that the step stands on, or what the plan says, is wrong."
	isFailure = "This is a failure, something that was observed: the plan may well be right."
)
