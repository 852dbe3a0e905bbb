package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Warning is something in a file that a person should look at.
type Warning struct {
	// Path and Line say where it is; lines count from 1.
	Path string
	Line int
	// Field is the path of the key: "a.b[2]".
	Field string
	// Text says what it is. No secret is in it.
	Text string
}

// String returns "aidf.yml:3: retires: unknown key; did you mean "retries"?".
func (w Warning) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", w.Path, w.Line, w.Field, w.Text)
}

// Warnings are in the order of the file.
type Warnings []Warning

// String returns a line for each warning.
func (w Warnings) String() string {
	lines := make([]string, len(w))
	for i := range w {
		lines[i] = w[i].String()
	}
	return strings.Join(lines, "\n")
}

func (l *loader) warn(line int, at place, text string) {
	if len(l.warnings) < maxProblems {
		l.warnings = append(l.warnings, Warning{Path: l.path, Line: line, Field: at.String(), Text: text})
	}
}

func (l *loader) warned() Warnings {
	slices.SortStableFunc(l.warnings, func(a, b Warning) int { return cmp.Compare(a.Line, b.Line) })
	return l.warnings
}
