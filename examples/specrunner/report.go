package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/terminal"
	"github.com/errgen/errgen/runtime/state"
)

// outcome is what going through the queue came to.
type outcome struct {
	Exit int `json:"exit"`
	// Done are the tasks of the file that are done, of All.
	Done int `json:"done"`
	All  int `json:"all"`
	// Why is why tasks were left; empty when each had its turn.
	Why string `json:"why,omitempty"`
	// Errors are why nothing, or nothing more, could be done.
	Errors []string      `json:"errors,omitempty"`
	Tasks  []taskOutcome `json:"tasks"` // that were dealt with, in that order
}

// taskOutcome is what became of a task.
type taskOutcome struct {
	ID        string         `json:"id"`
	Status    string         `json:"status"`
	EndReason string         `json:"endReason,omitempty"`
	Why       string         `json:"why,omitempty"`
	Run       string         `json:"run,omitempty"`
	Attempts  int            `json:"attempts,omitempty"` // of the run
	Code      string         `json:"code,omitempty"`
	Error     string         `json:"error,omitempty"`
	Question  string         `json:"question,omitempty"`
	Usage     executor.Usage `json:"usage,omitzero"`
	Warnings  []string       `json:"warnings,omitempty"`
	// Resolution is what people can do about the error.
	Resolution string `json:"resolution,omitempty"`
}

func (o *outcome) add(t taskOutcome) { o.Tasks = append(o.Tasks, t) }

// conclude prints an outcome and returns the exit code.
func (s *setup) conclude(o *outcome) int {
	_ = s.screen.Close() // nothing is shown any more
	var err error
	if s.json {
		err = writeJSON(s.out, o)
	} else {
		err = s.writeReport(o)
	}
	if err != nil {
		fmt.Fprintln(s.hints, "specrunner: print the outcome:", shown(err.Error()))
		return exitBroken
	}
	return o.Exit
}

// writeReport says in the end what is left and what to do about it.
func (s *setup) writeReport(o *outcome) error {
	p := &printer{w: s.out}
	for _, t := range o.Tasks {
		p.leftOver(t)
	}
	if o.Why != "" {
		p.line("specrunner: %s", o.Why)
	}
	p.line("specrunner: %d of %d tasks are done", o.Done, o.All)
	for _, e := range o.Errors {
		fmt.Fprintln(s.hints, "specrunner:", e)
	}
	return p.err
}

// printer prints lines until one cannot be.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, shown(fmt.Sprintf(format, args...)))
	}
}

// leftOver says what is to be known of a task that is not done.
func (p *printer) leftOver(t taskOutcome) {
	if t.Status == string(state.TaskCompleted) {
		return
	}
	p.line("%s", t.summary())
	if t.Question != "" {
		p.line("  question: %s", t.Question)
	}
	if t.Resolution != "" {
		p.line("  what to do: %s", t.Resolution)
	}
	for _, w := range t.Warnings {
		p.line("  warning: %s", w)
	}
}

// summary returns "task TASK-002 is failed (TASK_FAILED): why".
func (t *taskOutcome) summary() string {
	text := "task " + t.ID + " is " + t.Status
	if t.Code != "" {
		text += " (" + t.Code + ")"
	}
	for _, more := range []string{t.Error, t.Why} {
		if more != "" {
			text += ": " + more
		}
	}
	return text
}

func writeJSON(w io.Writer, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(terminal.PrintableJSON(b), '\n'))
	return err
}
