package main

import (
	"errors"
	"fmt"

	"github.com/errgen/errgen/runtime/executor/terminal"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// exitError is why the program ends without having gone through the queue, and with which exit
// code.
type exitError struct {
	code int
	errs []error
}

func (e *exitError) Error() string   { return errors.Join(e.errs...).Error() }
func (e *exitError) Unwrap() []error { return e.errs }

// misused is what whoever called, configured or specified has got wrong.
func misused(all ...error) error { return &exitError{exitUsage, all} }

func misuse(format string, args ...any) error { return misused(fmt.Errorf(format, args...)) }

// broke is a fault of the instrument.
func broke(format string, args ...any) error {
	return &exitError{exitBroken, []error{fmt.Errorf(format, args...)}}
}

// unable is why nothing is done now, although work may be left.
func unable(format string, args ...any) error {
	return &exitError{exitLeft, []error{fmt.Errorf(format, args...)}}
}

// fail says why the program ends, and returns the exit code.
func (p *cli) fail(err error) int {
	code := exitBroken
	if e, ok := errors.AsType[*exitError](err); ok {
		code = e.code
	}
	for _, problem := range leaves(err) {
		fmt.Fprintln(p.hints, "specrunner:", shown(problem.Error()))
	}
	if code == exitUsage {
		fmt.Fprintln(p.hints, "specrunner -help says how it is used")
	}
	return code
}

// leaves returns the errors that were joined.
func leaves(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var out []error
	for _, e := range joined.Unwrap() {
		out = append(out, leaves(e)...)
	}
	return out
}

// shown returns a text, of whoever it is, as it can be shown to people: masked, on one line, and
// harmless on a terminal.
func shown(text string) string { return terminal.Printable(taxonomy.Redact(text)) }
