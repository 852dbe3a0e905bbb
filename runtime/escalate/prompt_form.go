package escalate

import (
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
)

// The blocks of JSON that a form shows begin with the mark, which [Mark] looks for.
const blockBegins, blockEnds = "```json\n", "\n```\n"

// report writes how a tier has to report.
func (p *paper) report() {
	if !p.in.Tier.Classifies {
		p.say("End your answer with one line of its own, and write nothing after it. If the step is done, it is:")
		p.WriteString(claimLine(lineDone, p.in.Mark) + "\n")
		p.say("Otherwise say first in full what failed: what you did, and the error, word for word. Do not judge " +
			"it. Then the line is:")
		p.WriteString(claimLine(lineFailed, p.in.Mark) + "\n")
		return
	}
	p.say("End your answer with one block, and write nothing after it. If the step is done, it is:")
	p.block(`"status":"done"`)
	p.say("Otherwise it is of this form:")
	p.block(
		`"status":"failed","code":"CODE","finding":"word","context":{"name":"word"},"retryable":false,"exit_code":1,` +
			`"details":"all that was said of the failure, word for word","files":["path"]`)
	p.list("In it:", []string{
		"code is which of the failures below it is. Leave it out if it is none of them.",
		"finding and context say more about it, in the words below.",
		"retryable is whether trying the same again may help.",
		"exit_code is what the command exited with that failed. Leave it out if there is none.",
		"files are what it is about, relative to the working tree.",
	})
	p.list("These are the failures:", p.failures())
}

// block writes a block of JSON as an answer holds it.
func (p *paper) block(keys string) {
	mark := ""
	if p.in.Mark != "" {
		mark = `"mark":"` + p.in.Mark + `",`
	}
	p.WriteString(blockBegins + "{" + mark + keys + "}" + blockEnds)
}

// failures returns a line for each code that an agent may name.
func (p *paper) failures() []string {
	var lines []string
	for _, c := range p.in.Claims {
		line := text.OneLine(c.Code, maxWord)
		if doc := text.OneLine(c.Doc, maxShown); doc != "" {
			line += ": " + strings.TrimSuffix(doc, ".") + "."
		}
		if len(c.Findings) > 0 {
			line += " finding: " + strings.Join(c.Findings, ", ") + "."
		}
		for _, choice := range c.Context {
			line += " context " + choice.Name + ": " + strings.Join(choice.Words, ", ") + "."
		}
		lines = append(lines, line)
	}
	return lines
}

// diagnosisForm writes how a tier has to say what it has found out.
func (p *paper) diagnosisForm() {
	p.say("End your answer with one block, and write nothing after it. If it is simple, it is of this form:")
	p.block(
		`"verdict":"simple","cause":"why it failed","fix":"what is to be done","instructions":"all instructions of ` +
			`the step, corrected"`)
	p.say("Leave instructions out unless they are mistaken. If it is complex, it is of this form:")
	p.block(`"verdict":"complex","cause":"why it failed","needed":"what has to be decided or provided, and by whom"`)
}
