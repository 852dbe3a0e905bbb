package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// both returns the counts and the occurrences of the same moment.
func (r *Reporter) both() (Metrics, []Occurrence) {
	r.mu.Lock()
	metrics, all := r.counts.metrics(), r.store.last(r.store.order.n)
	r.mu.Unlock()
	return metrics, allShown(all)
}

// WriteJSON writes an object with metrics and the occurrences that are kept as errors, indented by
// two spaces, on lines of its own, fit to stand in HTML.
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

// WriteCSV writes the occurrences that are kept as RFC 4180 has it, a header first. What is not
// known is empty; each other text is in quotes. A text that a spreadsheet would take for a formula
// begins with an apostrophe, and so does what in a text follows a semicolon, a tab or a line break,
// where some spreadsheets begin another cell. All line breaks are of one kind.
func (r *Reporter) WriteCSV(w io.Writer) error {
	_, occurrences := r.both()
	b := bufio.NewWriter(w)
	writeRow(b, csvHeader) // what goes wrong is said by Flush
	for i := range occurrences {
		writeRow(b, csvRow(&occurrences[i]))
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write report as CSV: %w", err)
	}
	return nil
}

func writeRow(b *bufio.Writer, cells []string) {
	_, _ = b.WriteString(strings.Join(cells, ",") + "\r\n")
}

func csvRow(o *Occurrence) []string {
	row := []string{
		quoted(o.ID), "", quoted(o.Category), quoted(o.Severity), quoted(o.Message), "", "", "", "",
	}
	if !o.At.IsZero() {
		row[1] = strconv.FormatInt(wireTime(o.At).milliseconds(), 10)
	}
	if o.Source != nil {
		row[5], row[6] = quoted(o.Source.Type), quoted(o.Source.Component)
	}
	if r := o.Recovery; r != nil {
		row[7] = strconv.Itoa(r.Attempts)
		if r.Successful != nil {
			row[8] = strconv.FormatBool(*r.Successful)
		}
	}
	return row
}
