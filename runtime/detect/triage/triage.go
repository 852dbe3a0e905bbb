// Package triage finds the line of a job's log that is the cause of its failure. It reads the log
// once, in bounded memory. [github.com/errgen/errgen/runtime/detect.Log] adds the marks and the
// rules of a taxonomy; programs call that.
//
// A log is a sequence of segments: the steps of a job, or the commands of a step. Marks say which
// segment failed. Of its lines, a bounded number are candidates, and only those are classified.
package triage

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Kind is the meaning of a line for the structure of a log.
type Kind uint8

// The kinds. Word and Place are lines that may be about a failure, and None is every other line.
const (
	None      Kind = iota
	Exit           // a command or the job failed
	Success        // a command succeeded
	Passed         // the job succeeded
	Abort          // a person or a limit ended the job; the mark has the class
	Retry          // a failed operation is repeated
	Step           // a step or a command begins
	Teardown       // a step begins that runs whatever the outcome is
	End            // the job is over, and only cleaning up follows
	Report         // the report of one failed test
	Detail         // a line inside such a report
	Summary        // the number of failures, or the name of the failed checks
	Diagnosis      // the report of a compiler or a linter
	Package        // a package cannot be resolved, unless a rule has a better class
	Stage          // a stage failed; the line has no reason
	Problem        // a line that reports an error
	Noise          // a line that only looks like a failure: a name, a heading, an expected error
	Word
	Place
)

var kinds = [...]string{"none", "exit", "success", "passed", "abort", "retry", "step", "teardown", "end", "report",
	"detail", "summary", "diagnosis", "package", "stage", "problem", "noise", "word", "place"}

// String returns the name of the kind, as in the data of the marks.
func (k Kind) String() string {
	if int(k) >= len(kinds) {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return kinds[k]
}

// KindNamed returns the kind with a name.
func KindNamed(name string) (Kind, bool) {
	for i, s := range kinds {
		if s == name {
			return Kind(i), true
		}
	}
	return None, false
}

// Mark is what a line says about the job.
type Mark struct {
	Kind Kind
	// Class is the signature of the failure that the line reports, or "".
	Class string
}

// Class is the kind of failure that a text reports. The zero Class is unknown.
type Class struct {
	// Name is a signature, or the code of a rule without a signature.
	Name string
	// Rule identifies the rule for the caller. It is only valid with a Name.
	Rule int
	// Marked reports that a mark has the class, and no rule was tried.
	Marked bool
	// Weak reports that the text only mentions the failure. The class of another line comes first.
	Weak bool
}

// weight orders classes: none, a weak one, another one.
func (c Class) weight() int {
	switch {
	case c.Name == "":
		return 0
	case c.Weak:
		return 1
	}
	return 2
}

// Matcher recognises lines. Its methods are called by one goroutine.
type Matcher interface {
	// Mark returns the mark of a line, without colours, times and tags of runners.
	Mark(line string) Mark
	// Classify returns the class of a text of one to three lines.
	Classify(text string) Class
}

// Outcome is the outcome of the job.
type Outcome uint8

// The outcomes.
const (
	Unknown Outcome = iota
	Succeeded
	Failed
)

// String returns "unknown", "passed" or "failed".
func (o Outcome) String() string { return [...]string{"unknown", "passed", "failed"}[o%3] }

// MarshalText returns the word of the outcome.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Finding is a line that reports a failure.
type Finding struct {
	Line int // from 1, counted by line feeds
	// Text is the line without the colours of terminals. Secrets are not masked.
	Text string
	// Searched is the text that has the class: the line without times and tags of runners, and up
	// to two lines that follow it.
	Searched string
	Class    Class
	Kind     Kind
}

// Result is the result of a triage.
type Result struct {
	Outcome Outcome
	Lines   int
	// Cause is nil if nothing was found. A job that succeeded has no cause.
	Cause *Finding
	// Side are other failures in the order of the lines: of steps after the failed one, and those
	// that a tool has survived.
	Side []Finding
}

const (
	maxLine = 8 << 10 // the bytes of a line that are read; the rest is ignored
	maxText = 1 << 10 // the bytes of a line that are kept
)

// Log reads a log to its end. The outcome is Unknown unless the caller knows it, for example from
// the exit status of the job.
func Log(r io.Reader, m Matcher, outcome Outcome) (Result, error) {
	t := &reader{matcher: m, stated: outcome, segment: &segment{start: 1}}
	in := bufio.NewReaderSize(r, 64<<10)
	var lines [3]entry // a line is added together with the two lines after it
	read := 0
	next := func(e entry) {
		lines[0], lines[1], lines[2] = lines[1], lines[2], e
		if read++; read >= len(lines) {
			t.add(&lines)
		}
	}
	for {
		raw, err := in.ReadSlice('\n')
		if len(raw) > 0 {
			line := string(raw[:min(len(raw), maxLine)])
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = in.ReadSlice('\n')
			}
			next(clean(line))
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Result{}, fmt.Errorf("read log: %w", err)
		}
	}
	for range len(lines) - 1 {
		next(entry{})
	}
	t.endSegment()
	return t.result(), nil
}

// Surroundings returns the lines of a text around a line, for example around a cause.
func Surroundings(text string, line, before, after int) string {
	lines := strings.SplitAfter(text, "\n")
	from, to := max(line-1-before, 0), min(line+after, len(lines))
	return strings.Join(lines[min(from, to):to], "")
}
