package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// both returns the counts and the occurrences of the same moment.
func (r *Reporter) both() (Metrics, []Occurrence) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts.metrics(), r.store.last(r.store.order.n)
}

// WriteJSON writes an object with metrics and the occurrences that are kept as errors, indented by two spaces, on lines of
// its own, fit to stand in HTML.
func (r *Reporter) WriteJSON(w io.Writer) error {
	metrics, occurrences := r.both()
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	err := e.Encode(struct {
		Metrics Metrics      `json:"metrics"`
		Errors  []Occurrence `json:"errors"`
	}{metrics, occurrences})
	if err != nil {
		return fmt.Errorf("write report as JSON: %w", err)
	}
	return nil
}

// csvHeader are the columns.
var csvHeader = []string{
	"errorId", "timestamp", "category", "severity", "message", "sourceType", "sourceComponent", "recoveryAttempts",
	"recoverySuccessful",
}

// WriteCSV writes the occurrences that are kept as RFC 4180 has it, a header first. What is not known is empty. A text that
// a spreadsheet would take for a formula begins with an apostrophe, and all its line breaks are of one kind.
func (r *Reporter) WriteCSV(w io.Writer) error {
	_, occurrences := r.both()
	c := csv.NewWriter(w)
	c.UseCRLF = true
	_ = c.Write(csvHeader) // what goes wrong is said by Error
	for i := range occurrences {
		_ = c.Write(csvRow(&occurrences[i]))
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return fmt.Errorf("write report as CSV: %w", err)
	}
	return nil
}

func csvRow(o *Occurrence) []string {
	row := []string{
		cell(o.ID), "", cell(o.Category), cell(o.Severity), cell(o.Message), "", "", "", "",
	}
	if !o.At.IsZero() {
		row[1] = strconv.FormatInt(o.At.UnixMilli(), 10)
	}
	if o.Source != nil {
		row[5], row[6] = cell(o.Source.Type), cell(o.Source.Component)
	}
	if r := o.Recovery; r != nil {
		row[7] = strconv.Itoa(r.Attempts)
		if r.Successful != nil {
			row[8] = strconv.FormatBool(*r.Successful)
		}
	}
	return row
}

// formulas are characters that begin a formula for a spreadsheet, also in their wide form.
const formulas = "=+-@\uff1d\uff0b\uff0d\uff20"

// cell returns a text that a spreadsheet takes for nothing but text.
func cell(s string) string {
	s = plainLines(s)
	rest := strings.TrimLeftFunc(s, func(c rune) bool { return unicode.IsSpace(c) || !unicode.IsPrint(c) })
	first, _ := utf8.DecodeRuneInString(rest)
	if strings.ContainsAny(s[:len(s)-len(rest)], "\t\n") || rest != "" && strings.ContainsRune(formulas, first) {
		return "'" + s
	}
	return s
}

// plainLines returns s with all line breaks the same, since the writer changes them, and without what ends texts elsewhere.
func plainLines(s string) string {
	if !strings.ContainsAny(s, "\r\x00") {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r", "\n"), "\x00", "\uFFFD")
}
