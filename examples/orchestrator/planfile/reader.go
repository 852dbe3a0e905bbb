package planfile

import (
	"bytes"
	"fmt"
	"regexp"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/escalate/plan"
)

// reader reads a document, and collects what is wrong with it.
type reader struct {
	doc      *Document
	problems []Problem
	// seen are the sections that there were, inStep whether the last one belongs to a step.
	seen   map[string]bool
	inStep bool
}

// readable reports whether the file is a text that can be looked at.
func (r *reader) readable() bool {
	source := r.doc.source
	switch {
	case len(source) > MaxBytes:
		r.problems = append(
			r.problems, Problem{Text: fmt.Sprintf("the file is longer than %d bytes; split the plan", MaxBytes)})
	case !utf8.Valid(source):
		r.wrong(firstInvalid(source), "the file is no UTF-8 from here on")
	case bytes.IndexByte(source, 0) >= 0:
		r.wrong(bytes.IndexByte(source, 0), "there is a NUL character here; remove it")
	case deep(source) >= 0:
		r.wrong(deep(source), "this is nested more than %d times; write it in fewer levels", maxDepth)
	}
	return len(r.problems) == 0
}

// maxDepth is how many lists and quotes may begin in one line. The time to read a line grows with
// the square of it.
const maxDepth = 50

// marks are what lists and quotes begin with.
var marks = regexp.MustCompile(`^[ \t]*(?:>|(?:[-+*]|[0-9]{1,9}[.)])[ \t])`)

// deep returns where a line begins that is nested too deep, or -1.
func deep(source []byte) int {
	at := 0
	for line := range bytes.Lines(source) {
		rest := line
		for range maxDepth {
			mark := marks.Find(rest)
			if mark == nil {
				rest = nil
				break
			}
			rest = rest[len(mark):]
		}
		if marks.Match(rest) {
			return at
		}
		at += len(line)
	}
	return -1
}

// firstInvalid returns where a text stops to be UTF-8.
func firstInvalid(source []byte) int {
	at := 0
	for at < len(source) {
		c, size := utf8.DecodeRune(source[at:])
		if c == utf8.RuneError && size <= 1 {
			break
		}
		at += size
	}
	return at
}

// read fills the document.
func (r *reader) read() {
	for _, s := range r.sections() {
		r.section(s)
	}
	if len(r.problems) > 0 {
		return // of what could not be read nothing more can be said
	}
	for _, f := range plan.Check(r.doc.Plan) {
		if f.Kind == plan.Invalid {
			r.problems = append(r.problems, Problem{Line: f.Line, Text: f.Text})
		}
	}
}

// wrong adds a problem at an offset.
func (r *reader) wrong(at int, format string, args ...any) {
	if len(r.problems) > maxProblems {
		return
	}
	line, column := r.place(at)
	r.problems = append(r.problems, Problem{Line: line, Column: column, Text: fmt.Sprintf(format, args...)})
}

// place returns the line and the column of an offset.
func (r *reader) place(at int) (line, column int) {
	before := r.doc.source[:min(max(at, 0), len(r.doc.source))]
	begin := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[begin:]) + 1
}

// lineStart returns where the line of an offset begins, lineEnd where the next one does.
func (r *reader) lineStart(at int) int {
	return bytes.LastIndexByte(r.doc.source[:at], '\n') + 1
}

func (r *reader) lineEnd(at int) int {
	if i := bytes.IndexByte(r.doc.source[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(r.doc.source)
}
