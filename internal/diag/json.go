package diag

import (
	"encoding/json"
	"io"
)

// JSONFinding is a finding as FormatJSON prints it. Fields may be added; those here keep their
// meaning.
type JSONFinding struct {
	File     string        `json:"file"`
	Line     int           `json:"line,omitempty"`   // 1-based; absent when the finding has no place
	Column   int           `json:"column,omitempty"` // 1-based, in characters
	Length   int           `json:"length,omitempty"` // of the token, in characters, at least 1
	Severity string        `json:"severity"`         // error or warning
	ID       string        `json:"id"`
	Message  string        `json:"message"`
	Hint     string        `json:"hint,omitempty"`
	Related  []JSONRelated `json:"related,omitempty"`
}

// JSONRelated is a second place that explains a finding.
type JSONRelated struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Length  int    `json:"length"`
	Message string `json:"message"`
}

func printJSON(w io.Writer, src *Source, f Finding) error {
	out := JSONFinding{File: src.display(), Severity: f.Severity.String(), ID: f.ID, Message: f.Message, Hint: f.Hint}
	if f.Span.Valid() {
		out.Line, out.Column, out.Length = f.Span.Line, f.Span.Col, max(f.Span.Len, 1)
	}
	for _, r := range f.Related {
		out.Related = append(
			out.Related,
			JSONRelated{Line: r.Span.Line, Column: r.Span.Col, Length: max(r.Span.Len, 1), Message: r.Message})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}
