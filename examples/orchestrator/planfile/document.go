// Package planfile reads plans from Markdown files.
//
//	# Describe the shop
//
//	## Prerequisites
//
//	- file: go.mod
//	- command: go, to run the tests
//
//	## Gate
//
//	- go vet ./...
//
//	## Step 2.3: Describe how agents work here
//
//	Read AGENTS.md and write a summary of it to reports/2.3.md.
//
//	### Prerequisites
//
//	- file: docs/orders.md (made by 2.1)
//
//	### Success criteria
//
//	- exists: reports/2.3.md
//	- sections: reports/2.3.md has "Purpose", "Rules"
//
// What stands between the title and the first section is for people. Headings of the first three
// levels are those of the plan; deeper ones belong to the instructions that they stand in. So does
// everything in a block of code. What stands in an HTML comment is no part of the plan; one that is
// never closed is a problem, since it would hide all below it.
package planfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/escalate/plan"
)

// MaxBytes is how long a plan's file may be.
const MaxBytes = 1 << 20

// maxProblems is how many problems are told of at once, and looked for.
const maxProblems = 50

// Document is a plan with the text that it was read from.
type Document struct {
	Plan plan.Plan
	// Notes are what somebody may have meant to be a part of the plan, and is none; see [Problem].
	Notes []Problem

	name   string
	source []byte
	// texts are where the instructions stand, by the steps' IDs.
	texts map[string]span
}

// span is a part of a text, in bytes.
type span struct{ from, to int }

// Problem is something in a plan's file that cannot be read.
type Problem struct {
	// Line and Column say where it is, in lines and characters from 1. A Column of 0 is the whole
	// line, and a Line of 0 the whole file.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Text says what is wrong, and what to write in its place.
	Text string `json:"text"`
}

// Error is all that is wrong with a file, in its order.
type Error struct {
	Name     string
	Problems []Problem
}

// Error says each problem on a line of its own, "plan.md:3:5: …".
func (e *Error) Error() string {
	var b strings.Builder
	for i, p := range e.Problems {
		if i == maxProblems {
			b.WriteString("\n" + e.Name + ": and more")
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Name)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d", p.Line)
		}
		if p.Line > 0 && p.Column > 0 {
			fmt.Fprintf(&b, ":%d", p.Column)
		}
		b.WriteString(": " + p.Text)
	}
	return b.String()
}

// Read reads a plan from a file. Its error is an *[Error] when the file is there and is no plan.
func Read(path string) (*Document, error) {
	source, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	return Parse(path, source)
}

// readFile does not wait for the other end of a pipe.
func readFile(path string) (source []byte, err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, MaxBytes+1))
}

// Parse reads a plan from the text of a file of that name. Whatever is wrong is said at once, by an
// *[Error]. Faults that leave the plan readable, such as a step without criteria, are none:
// [plan.Check] finds them.
func Parse(name string, source []byte) (*Document, error) {
	source = bytes.TrimPrefix(source, []byte("\uFEFF"))
	r := &reader{doc: &Document{name: name, source: source, texts: map[string]span{}}, seen: map[string]bool{}}
	if r.readable() {
		r.read()
	}
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b Problem) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		})
		return nil, &Error{Name: name, Problems: r.problems}
	}
	return r.doc, nil
}
