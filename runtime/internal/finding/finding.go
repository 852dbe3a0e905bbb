// Package finding reads the findings of compilers and linters: code, file, line and column. Their
// text is untrusted; a file is only reported, never opened here.
package finding

import (
	"iter"
	"regexp"
	"strconv"
	"strings"
)

// Finding is one finding. Code is empty if the tool states none, and Column is 0.
type Finding struct {
	Code, File   string
	Line, Column int
}

// The attributes of evidence that hold a finding.
const (
	AttributeCode   = "finding"
	AttributeFile   = "file"
	AttributeLine   = "line"
	AttributeColumn = "column"
)

const (
	// maxText and maxLine bound the text that is read.
	maxText = 64 << 10
	maxLine = 2 << 10
)

// place is a file with its line and column: "file(12,5)", "file(12:5)", "file:12:5" and "file:12".
// The file begins the line, or follows a space, a quote or a bracket.
var place = regexp.MustCompile("(?:^|[ \\t'\"`(\\[<>])((?:[A-Za-z]:[\\\\/])?[A-Za-z0-9_./\\\\@+-]{1,512})" +
	`(?:\((\d{1,9})[,:](\d{1,9})\)|:(\d{1,9})(?::(\d{1,9}))?(?:[-: \t,;)\]'"]|$))`)

// Codes: "error TS2322:" and "error[E0308]:" of compilers, "(unused)" and "rule-name" of linters.
var (
	compilerCode = regexp.MustCompile(`\b(?:error|warning)[ \[]{1,2}([A-Z]{1,8}\d{1,6})\b`)
	leadingCode  = regexp.MustCompile(`^[: \t]*([A-Z]{1,4}\d{2,5})[: \t]`)
	trailingCode = regexp.MustCompile(`(?:\(([a-z][\w/-]{1,40})\)|[ \t]{2,}(@?[a-z][\w/-]{1,60}))$`)
)

// In returns the findings in a text, at most one per line.
func In(text string) iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		for line := range strings.SplitSeq(text[:min(len(text), maxText)], "\n") {
			if f, ok := read(strings.TrimRight(line[:min(len(line), maxLine)], " \t\r")); ok && !yield(f) {
				return
			}
		}
	}
}

// First returns the first finding in a text.
func First(text string) (f Finding, ok bool) {
	for f := range In(text) {
		return f, true
	}
	return f, false
}

func read(line string) (f Finding, ok bool) {
	m := place.FindStringSubmatchIndex(line)
	if m == nil {
		return f, false
	}
	number := func(group int) int {
		if m[2*group] < 0 {
			return 0
		}
		n, _ := strconv.Atoi(line[m[2*group]:m[2*group+1]])
		return n
	}
	f.File, f.Line, f.Column = line[m[2]:m[3]], number(2)+number(4), number(3)+number(5)
	rest := line[m[1]:]
	for _, code := range []*regexp.Regexp{compilerCode, leadingCode, trailingCode} {
		of := rest
		if code == compilerCode {
			of = line
		}
		if found := code.FindStringSubmatch(of); found != nil {
			f.Code = strings.Join(found[1:], "")
			break
		}
	}
	return f, f.Line > 0
}

// Add adds a finding to the attributes of evidence. Attributes that are set stay.
func Add(attributes map[string]string, f Finding) {
	for name, value := range map[string]string{AttributeCode: f.Code, AttributeFile: f.File,
		AttributeLine: positive(f.Line), AttributeColumn: positive(f.Column)} {
		if value != "" && attributes[name] == "" {
			attributes[name] = value
		}
	}
}

// Of returns the finding in the attributes of evidence.
func Of(attributes map[string]string) (f Finding, ok bool) {
	f = Finding{Code: attributes[AttributeCode], File: attributes[AttributeFile]}
	f.Line, _ = strconv.Atoi(attributes[AttributeLine])
	f.Column, _ = strconv.Atoi(attributes[AttributeColumn])
	return f, f.File != "" && f.Line > 0
}

func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}
