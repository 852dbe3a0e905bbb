package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor/terminal"
	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/planfile"
)

// checkup is what came of checking a plan.
type checkup struct {
	Title string `json:"title,omitempty"`
	// Steps are those that were read.
	Steps  []checkedStep `json:"steps"`
	Faults []plan.Fault  `json:"faults"`
	// Notes are what may have been meant as a part of the plan, and is none.
	Notes []planfile.Problem `json:"notes,omitempty"`
	// Prerequisites were verified, Later are those that steps make.
	Prerequisites []escalate.Verification `json:"prerequisites"`
	Later         []escalate.Verification `json:"later,omitempty"`
}

// checkedStep is a step as it was read.
type checkedStep struct {
	ID       string `json:"id"`
	Title    string `json:"title,omitempty"`
	Criteria int    `json:"criteria"`
}

// checkedSteps are the steps of a plan as they were read.
func checkedSteps(p plan.Plan) []checkedStep {
	all := make([]checkedStep, len(p.Steps))
	for i, s := range p.Steps {
		all[i] = checkedStep{s.ID, s.Title, len(s.Criteria)}
	}
	return all
}

// well reports whether nothing is wrong.
func (c *checkup) well() bool { return len(c.Faults) == 0 && c.unmet() == 0 }

func (c *checkup) unmet() int {
	n := 0
	for _, v := range c.Prerequisites {
		if v.Failed != nil {
			n++
		}
	}
	return n
}

// write writes a line for each step, for each prerequisite, and for each fault.
func (c *checkup) write(w io.Writer, name string) {
	for _, s := range c.Steps {
		say(w, "    %s  %s  %s", padded(fitted("step "+s.ID, 12), 12), padded(fitted(taxonomy.Redact(s.Title), 50), 50),
			countedAs(s.Criteria, "criterion", "criteria"))
	}
	if len(c.Steps) > 0 {
		fmt.Fprintln(w)
	}
	for _, v := range append(append([]escalate.Verification(nil), c.Prerequisites...), c.Later...) {
		p := v.Prerequisite
		mark, note := "[x]", v.How
		if v.Failed != nil {
			mark, note = "[!]", failedText(v)
		}
		if p.MadeBy != "" {
			mark = "[ ]"
		}
		where := "plan"
		if v.Step != "" {
			where = "step " + v.Step
		}
		say(w, "%s %s  %s  %s  %s", mark, padded(fitted(where, 12), 12), padded(string(p.Kind), 9),
			padded(fitted(taxonomy.Redact(p.Name), 28), 28), fitted(note, 42))
	}
	for _, f := range c.Faults {
		say(w, "%s:%d: %s", name, f.Line, taxonomy.Redact(f.Text))
	}
	for _, n := range c.Notes {
		say(w, "%s:%d: %s", name, n.Line, taxonomy.Redact(n.Text))
	}
	fmt.Fprintln(w)
	say(w, "%d of %d prerequisites are met, %s, %s", len(c.Prerequisites)-c.unmet(), len(c.Prerequisites),
		counted(len(c.Steps), "step"), counted(len(c.Faults), "fault"))
}

// failedText says why a prerequisite is not met.
func failedText(v escalate.Verification) string {
	return cmp.Or(taxonomy.Redact(v.Failed.Text), v.Failed.Type, v.Failed.Error())
}

func (c *checkup) writeJSON(w io.Writer) error {
	b, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	_, err = w.Write(append(terminal.PrintableJSON(b), '\n'))
	return err
}
