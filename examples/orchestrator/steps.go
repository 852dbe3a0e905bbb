package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/executor/terminal"
)

// mark is how a state looks in a list. It is no more than that: states have names.
func mark(s escalate.StepState) string {
	switch s {
	case escalate.StepDone:
		return "[x]"
	case escalate.StepBlocked:
		return "[!]"
	case escalate.StepFailed:
		return "[✗]"
	case escalate.StepCancelled:
		return "[-]"
	}
	return "[ ]"
}

// writeSteps writes how the steps stand, and what a person is asked.
func writeSteps(w io.Writer, r *escalate.Result) {
	fmt.Fprintln(w)
	for _, s := range r.Steps {
		line := mark(s.State) + " " + s.ID + about(" ", s.Title)
		say(w, "%s", fitted(line, lineWidth))
		for _, detail := range details(s) {
			say(w, "      %s", fitted(detail, lineWidth-len("      ")))
		}
	}
	if r.Question == nil && r.Error != "" {
		fmt.Fprintln(w)
		for line := range strings.Lines(r.Error) {
			say(w, "%s", strings.TrimRight(line, "\n"))
		}
	}
	if r.Question != nil {
		fmt.Fprintln(w)
		for line := range strings.SplitSeq(strings.TrimRight(r.Question.Text(), "\n"), "\n") {
			say(w, "%s", line)
		}
	}
	for _, warning := range r.Warnings {
		say(w, "warning: %s", warning)
	}
}

// details say who did a step, and what came of it.
func details(s escalate.StepResult) []string {
	var all []string
	if s.By != "" {
		all = append(all, string(s.State)+" by "+s.By+about(", commit ", s.Commit[:min(len(s.Commit), 12)]))
	}
	if len(s.Files) > 0 {
		all = append(all, "changed "+strings.Join(s.Files, ", "))
	}
	if c := s.Correction; c != nil {
		all = append(all, "instructions corrected by "+c.By+about(": ", c.Why))
	}
	if n := len(s.Attempts); n > 0 && s.State != escalate.StepDone {
		last := s.Attempts[n-1]
		if last.Code != "" {
			all = append(all, last.Code+about(": ", last.Message))
		}
	}
	return all
}

func encode(r *escalate.Result) ([]byte, error) {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	return terminal.PrintableJSON(b), nil
}
