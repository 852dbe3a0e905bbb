package escalate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/internal/text"
)

// reviewPrompt asks a reviewer to look at what a tier has done for a step.
func reviewPrompt(in ReviewInput, o ReviewerOptions, mark string) string {
	p := &paper{in: promptInput{Step: in.Step, Corrected: in.CorrectedBy, Correction: in.Corrected,
		MaxEvidence: o.MaxEvidence, Mark: mark}}
	p.step("Review what an agent has done for")
	p.reported("The agent says this of it.", in.Report, o.MaxEvidence)
	p.reported("These files have changed.", fileLines(in.Files), min(o.MaxEvidence, maxSummary))
	p.say("Look at the working tree itself, and compare it with the instructions and with what the agent says.",
		"You look for one thing: whether the agent has departed from its instructions. It may have contradicted "+
			"them, left a part out, ended too early, done what nobody asked for, or said what is not so.",
		"Whether commands pass and files are as they must be was verified already.")
	if strings.TrimSpace(in.Corrected) != "" {
		p.say("Find out, too, whether the corrected instructions are within the intent of those that the plan has: "+
			"they may mend a name, a path or a mistake.",
			"If they ask for something else, or for less, that is a departure from the instructions, and so is "+
				"work that follows them there.")
	}
	p.quoted(`Look for this besides. Each line of it begins with "|":`, o.Look)
	p.list("Rules:", []string{
		"Look, and run what only looks. Change nothing.",
		"Report only what you can show in the files or in what the agent says. If you find nothing, report nothing.",
	})
	p.say("End your answer with one block, and write nothing after it. If you find nothing, it is:")
	p.block(`"findings":[]`)
	p.say("Otherwise it is of this form, with one entry for each finding:")
	p.block(`"findings":[{"finding":"word","text":"what is wrong, and where it shows","files":["path"]}]`)
	if len(o.Findings) > 0 {
		p.say("finding is one of: " + strings.Join(o.Findings, ", ") + ".")
	}
	return p.String()
}

// fileLines returns a line for each of the first files, and how many more there are.
func fileLines(files []string) string {
	var b strings.Builder
	for _, file := range files[:min(len(files), maxListed)] {
		b.WriteString("- " + text.OneLine(file, maxValue) + "\n")
	}
	if more := len(files) - maxListed; more > 0 {
		b.WriteString("and " + strconv.Itoa(more) + " more\n")
	}
	return b.String()
}

// faultKind is a kind of fault that a reviewer can find, and what it is.
type faultKind struct {
	kind plan.FaultKind
	doc  string
}

var faultKinds = [...]faultKind{
	{plan.Silent,
		"the plan does not say what is needed to go on, such as what to do when something that is likely goes wrong"},
	{plan.Unclear, "it cannot be told from the criteria whether the step is done"},
	{plan.Conflicting, "two things are asked for that cannot both be"},
	{plan.Several, "the instructions can be understood in several ways, and it matters which"},
}

// planReviewPrompt asks a reviewer to look at a plan.
func planReviewPrompt(in PlanReviewInput, o ReviewerOptions, mark string) (string, error) {
	text := planText(in.Plan)
	const lines = 64 // more than the fence's own lines have
	if len(text)+lines > o.MaxEvidence {
		return "", fmt.Errorf("the plan has more than %d bytes, which is what a review takes", o.MaxEvidence-lines)
	}
	p := &paper{in: promptInput{MaxEvidence: o.MaxEvidence, Mark: mark}}
	if in.AtEnd {
		p.say("Review a plan that agents have carried out, step by step. They knew nothing but what it says. "+
			"Instructions that had to be corrected stand in it as they were corrected.",
			"Whether each step is done was verified already. Find out whether the plan, read again, leaves open "+
				"what its result has to be.")
	} else {
		p.say("Review a plan before agents carry it out, step by step. They know nothing but what it says, and " +
			"stop where it does not say enough.")
	}
	p.reported("This is the plan.", text, o.MaxEvidence)
	for _, answer := range in.Answers {
		p.quoted(
			`A person has decided this. It outweighs the plan, and what it settles is no fault. Each line of it `+
				`begins with "|":`, answer)
	}
	kinds := make([]string, len(faultKinds))
	for i, k := range faultKinds {
		kinds[i] = string(k.kind) + ": " + k.doc
	}
	p.list("Look for these faults:", kinds)
	p.quoted(`Look for this besides. Each line of it begins with "|":`, o.Look)
	p.list("Rules:", []string{
		"Look at the working tree where that helps. Change nothing.",
		"Report only what would stop a careful agent, or lead it astray. What could merely be said better is no fault.",
		"Whether files, programs and addresses are there is verified by others.",
	})
	p.say("End your answer with one block, and write nothing after it. If you find nothing, it is:")
	p.block(`"faults":[]`)
	p.say("Otherwise it is of this form, with one entry for each fault. Without a step it is about the whole plan:")
	p.block(
		`"faults":[{"kind":"` + string(plan.Unclear) +
			`","step":"ID","text":"what is wrong, and what has to be settled"}]`)
	return p.String(), nil
}

// planText returns a plan as a reviewer reads it.
func planText(p plan.Plan) string {
	var b strings.Builder
	list := func(head string, lines []string) {
		for i, line := range lines {
			if i == 0 {
				b.WriteString(head + "\n")
			}
			b.WriteString("- " + line + "\n")
		}
	}
	b.WriteString("Plan: " + text.OneLine(p.Title, maxTitle) + "\n")
	list("All steps take for granted:", prerequisites(p.Prerequisites))
	list("After each step:", gate(p.Gate))
	for _, s := range p.Steps {
		b.WriteString("\n" + strings.TrimSpace("Step "+backquoted(s.ID)+" "+text.OneLine(s.Title, maxTitle)) + "\n")
		list("It takes for granted:", prerequisites(s.Prerequisites))
		b.WriteString("Instructions:\n" + indented("  ", "  ", s.Instructions))
		list("It is done when:", criteria(s.Criteria))
	}
	return b.String()
}
