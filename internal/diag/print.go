package diag

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/sarif"
)

// Format is a format in which findings are printed.
type Format string

// The formats.
const (
	// FormatText is for people: the position, the message, and the source line with a caret under
	// the token.
	FormatText Format = "text"
	// FormatJSON is one object a line, with the fields of [JSONFinding].
	FormatJSON Format = "json"
	// FormatGitHub is workflow commands, which GitHub shows as annotations.
	FormatGitHub Format = "github"
	// FormatSARIF is a log of the version 2.1.0 for services that scan code.
	FormatSARIF Format = "sarif"
)

// FileFindings are the findings of one file, in the order in which they are printed.
type FileFindings struct {
	Source   *Source
	Findings []Finding
}

// maxRepeated is how often a warning is printed as text. Then it is counted.
const maxRepeated = 10

// Print writes the findings of files in a format. Text of the source cannot control the terminal or
// the workflow that reads it.
func Print(w io.Writer, format Format, files ...FileFindings) error {
	if format == FormatSARIF {
		return PrintSARIF(w, sarif.Driver{Name: "errgen"}, files...)
	}
	one := map[Format]func(io.Writer, *Source, Finding) error{
		FormatText: printText, FormatJSON: printJSON, FormatGitHub: printGitHub,
	}[format]
	if one == nil {
		return fmt.Errorf("unknown format %q", string(format))
	}
	b := bufio.NewWriter(w)
	for _, file := range files {
		seen := make(map[string]int) // warnings by id
		for _, f := range file.Findings {
			if f.Severity == Warning && format == FormatText {
				if seen[f.ID]++; seen[f.ID] > maxRepeated {
					continue
				}
			}
			if err := one(b, file.Source, f); err != nil {
				return fmt.Errorf("print findings: %w", err)
			}
		}
		for _, id := range slices.Sorted(maps.Keys(seen)) {
			if more := seen[id] - maxRepeated; more > 0 {
				fmt.Fprintf(b, "%s: %d more warnings [%s]\n  hint: -format json has all of them; "+
					"\"# errgen:ignore-file %[3]s -- reason\" ignores them\n", file.Source.Display(), more, id)
			}
		}
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("print findings: %w", err)
	}
	return nil
}

// JSONFinding is a finding as FormatJSON prints it. Fields may be added; these keep their meaning.
type JSONFinding struct {
	File     string        `json:"file"`
	Line     int           `json:"line,omitempty"`   // 1-based; absent if the finding has no position
	Column   int           `json:"column,omitempty"` // 1-based, in characters
	Length   int           `json:"length,omitempty"` // of the token, in characters, at least 1
	Severity string        `json:"severity"`         // error or warning
	ID       string        `json:"id"`
	Message  string        `json:"message"`
	Hint     string        `json:"hint,omitempty"`
	Related  []JSONRelated `json:"related,omitempty"`
}

// JSONRelated is a second position that explains a finding.
type JSONRelated struct {
	File    string `json:"file,omitempty"` // if it is not the finding's
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Length  int    `json:"length"`
	Message string `json:"message"`
}

func printJSON(w io.Writer, src *Source, f Finding) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(NewJSON(src, f))
}

// NewJSON returns a finding as FormatJSON prints it.
func NewJSON(src *Source, f Finding) JSONFinding {
	file, line := src.Place(f.Span.Line)
	out := JSONFinding{File: file, Severity: f.Severity.String(), ID: f.ID, Message: f.Message, Hint: f.Hint}
	if f.Span.Valid() {
		out.Line, out.Column, out.Length = line, f.Span.Col, max(f.Span.Len, 1)
	}
	for _, r := range f.Related {
		other, line := src.Place(r.Span.Line)
		if other == file {
			other = ""
		}
		out.Related = append(out.Related, JSONRelated{other, line, r.Span.Col, max(r.Span.Len, 1), r.Message})
	}
	return out
}

// The escapes of workflow commands, in messages and in properties.
var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// Annotation returns the command by which a workflow of GitHub shows a message. An empty file, line
// or column is absent.
func Annotation(severity Severity, file string, at sarif.Region, title, message string) string {
	place := ""
	if file != "" {
		place = "file=" + escapeProperty.Replace(file) + ","
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"line", at.Line}, {"col", at.Column}, {"endColumn", at.EndColumn}} {
		if n.value > 0 {
			place += fmt.Sprintf("%s=%d,", n.name, n.value)
		}
	}
	return fmt.Sprintf("::%s %stitle=%s::%s\n", severity, place, escapeProperty.Replace(title),
		escapeData.Replace(message))
}

func printGitHub(w io.Writer, src *Source, f Finding) error {
	file, line := src.Place(f.Span.Line)
	message := Printable(f.Message)
	if f.Hint != "" {
		message += "\n" + Printable(f.Hint)
	}
	for _, r := range f.Related {
		other, line := src.Place(r.Span.Line)
		in := ""
		if other != file {
			in = Printable(other) + ", "
		}
		message += fmt.Sprintf("\n%sline %d: %s", in, line, Printable(r.Message))
	}
	_, err := io.WriteString(w, Annotation(f.Severity, file, region(line, f.Span), f.ID, message))
	return err
}

// region returns the place of a span in a line of its file. It is empty if the span is not valid.
func region(line int, span Span) sarif.Region {
	if !span.Valid() {
		return sarif.Region{}
	}
	return sarif.Region{Line: line, Column: span.Col, EndColumn: span.Col + max(span.Len, 1)}
}

// PrintSARIF writes the findings of files as a log of a command.
func PrintSARIF(w io.Writer, driver sarif.Driver, files ...FileFindings) error {
	var results []sarif.Result
	for _, file := range files {
		for _, f := range file.Findings {
			results = append(results, sarifResult(file.Source, f))
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(sarif.New(driver, results...)); err != nil {
		return fmt.Errorf("print findings: %w", err)
	}
	return nil
}

func sarifResult(src *Source, f Finding) sarif.Result {
	at := func(span Span, message string) sarif.Location {
		file, line := src.Place(span.Line)
		return sarif.At(file, region(line, span), message)
	}
	r := sarif.Result{
		RuleID: f.ID, Level: f.Severity.String(), Message: sarif.Message{Text: Printable(f.Message)},
		Locations: []sarif.Location{at(f.Span, "")},
	}
	if f.Hint != "" {
		r.Message.Text += "\n" + Printable(f.Hint)
	}
	for _, other := range f.Related {
		r.RelatedLocations = append(r.RelatedLocations, at(other.Span, Printable(other.Message)))
	}
	return r
}
