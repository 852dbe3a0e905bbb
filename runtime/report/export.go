package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// WriteJSON writes an object with the metrics and the kept occurrences as errors, indented by two
// spaces, safe within HTML.
func (r *Reporter) WriteJSON(w io.Writer) error {
	r.mu.Lock()
	content := struct {
		Metrics Metrics      `json:"metrics"`
		Errors  []Occurrence `json:"errors"`
	}{r.counts.copied(), latest(r.kept, len(r.kept))}
	r.mu.Unlock()
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(content); err != nil {
		return fmt.Errorf("write report as JSON: %w", err)
	}
	return nil
}

var csvHeader = []string{
	"errorId", "timestamp", "category", "severity", "message", "sourceType", "sourceComponent", "recoveryAttempts",
	"recoverySuccessful",
}

// WriteCSV writes the kept occurrences as CSV (RFC 4180) with a header. Unknown values are empty. A
// text that a spreadsheet could read as a formula begins with an apostrophe.
func (r *Reporter) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	_ = out.Write(csvHeader) // Flush keeps the error
	for _, o := range r.Errors(Query{}) {
		row := []string{cell(o.ID), "", cell(o.Category), cell(o.Severity), cell(o.Message), "", "", "", ""}
		if !o.At.IsZero() {
			row[1] = strconv.FormatInt(o.At.UnixMilli(), 10)
		}
		if o.Source != nil {
			row[5], row[6] = cell(o.Source.Type), cell(o.Source.Component)
		}
		if o.Recovery != nil {
			row[7] = strconv.Itoa(o.Recovery.Attempts)
			if o.Recovery.Successful != nil {
				row[8] = strconv.FormatBool(*o.Recovery.Successful)
			}
		}
		_ = out.Write(row)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write report as CSV: %w", err)
	}
	return nil
}

// formula matches the beginning of a formula, also in its wide form. A semicolon, a tab and a line
// break begin another cell in some spreadsheets.
var formula = regexp.MustCompile(`(^|[;\t\n])((?:"|[^\pL\pM\pN\pP\pS\t\n])*[=+\-@\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}])`)

// cell returns a text that a spreadsheet reads as text: an apostrophe is before each formula.
func cell(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\uFFFD").Replace(s)
	s = formula.ReplaceAllString(s, "$1'$2")
	if strings.HasPrefix(s, "\t") || strings.HasPrefix(s, "\n") {
		return "'" + s
	}
	return s
}
