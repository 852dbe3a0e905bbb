package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// event is a line of go test -json; see go doc test2json.
type event struct {
	Action     string
	Package    string
	ImportPath string // of build events
	Test       string
	Output     string
}

// tally counts tests: each test and each subtest once, and a package that fails without a failing
// test (it does not build, or panics outside of a test) as one that failed.
type tally struct {
	passed, failed, skipped, packages int
}

// String returns the last line.
func (t tally) String() string { return fmt.Sprintf("%d passed, %d failed", t.passed, t.failed) }

// read counts the events in r, and writes to w what go test says of packages and of failing tests.
func (t *tally) read(r io.Reader, w io.Writer) error {
	lines := bufio.NewReader(r)
	report := report{w: w, output: map[string]*strings.Builder{}, failed: map[string]bool{}}
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			t.line(line, &report)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (t *tally) line(line []byte, r *report) {
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		r.print(string(line)) // the go command itself speaks in plain text
		return
	}
	switch e.Action {
	case "output", "build-output":
		r.keep(e)
	case "pass", "fail", "skip":
		t.count(e, r)
		r.end(e)
	}
}

func (t *tally) count(e event, r *report) {
	if e.Test == "" {
		t.packages++
		if e.Action == "fail" && !r.failed[e.Package] {
			t.failed++
		}
		return
	}
	switch e.Action {
	case "pass":
		t.passed++
	case "skip":
		t.skipped++
	case "fail":
		t.failed++
		r.failed[e.Package] = true
	}
}

// report holds output back until it is known whether it is of interest.
type report struct {
	w      io.Writer
	output map[string]*strings.Builder // by package and test
	failed map[string]bool             // packages with a failing test
}

func (r *report) print(s string) { _, _ = io.WriteString(r.w, s) }

func (r *report) keep(e event) {
	if e.Action == "build-output" {
		r.print(e.Output)
		return
	}
	if e.Test == "" {
		if isResult(e.Output) {
			r.print(e.Output)
			return
		}
		if e.Output == "PASS\n" {
			return
		}
	}
	key := e.Package + "\x00" + e.Test
	if r.output[key] == nil {
		r.output[key] = &strings.Builder{}
	}
	r.output[key].WriteString(e.Output)
}

// end prints what a failing test or package has said, and forgets what others have.
func (r *report) end(e event) {
	key := e.Package + "\x00" + e.Test
	if said := r.output[key]; said != nil && e.Action == "fail" {
		r.print(said.String())
	}
	delete(r.output, key)
}

// isResult reports whether a line of output is go test's own about a package.
func isResult(line string) bool {
	for _, start := range []string{"ok  \t", "FAIL\t", "?   \t", "---\t"} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}
