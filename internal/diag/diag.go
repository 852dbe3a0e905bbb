// Package diag contains findings about a taxonomy: their positions, and the formats in which they
// are printed.
package diag

import (
	"cmp"
	"slices"
	"strings"
)

// Severity decides whether a finding stops generation.
type Severity uint8

// The severities. An error stops generation; a warning does so only under -strict.
const (
	Error Severity = iota
	Warning
)

// String returns "error" or "warning".
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// SeverityOf returns the severity of the findings with an id, which its first letter states. Without
// an id, as the notes of `errgen diff` are, it is Warning.
func SeverityOf(id string) Severity {
	if strings.HasPrefix(id, "E-") {
		return Error
	}
	return Warning
}

// Span is a run of characters on one line of a source. The zero Span is no position.
type Span struct {
	Line int // 1-based; 0 if there is no position
	Col  int // 1-based, counted in characters (runes), not bytes
	Len  int // in characters; 0 counts as 1
}

// Valid reports whether s is a position.
func (s Span) Valid() bool { return s.Line > 0 }

// Related is a second position that explains a finding.
type Related struct {
	Span    Span
	Message string // "first declared here"
}

// Finding is one fault of a taxonomy.
type Finding struct {
	ID       string // stable: "E-unknown-key", "W-unsorted"
	Severity Severity
	Span     Span
	Message  string    // lower case, without a full stop
	Hint     string    // the fix: `did you mean "retryable"?`; may be empty
	Related  []Related // positions that explain it
}

// Sort orders findings by position, then errors before warnings, then by id and message.
func Sort(fs []Finding) {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Span.Line, b.Span.Line), cmp.Compare(a.Span.Col, b.Span.Col),
			cmp.Compare(a.Severity, b.Severity), strings.Compare(a.ID, b.ID), strings.Compare(a.Message, b.Message))
	})
}

// HasErrors reports whether any finding is an error.
func HasErrors(fs []Finding) bool {
	return slices.ContainsFunc(fs, func(f Finding) bool { return f.Severity == Error })
}
