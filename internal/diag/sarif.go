package diag

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/errgen/errgen/internal/sarif"
)

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
		if !span.Valid() {
			return sarif.At(file, sarif.Region{}, message)
		}
		end := span.Col + max(span.Len, 1)
		return sarif.At(file, sarif.Region{Line: line, Column: span.Col, EndColumn: end}, message)
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
