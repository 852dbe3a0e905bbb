package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

// report is what is said of one failure.
type report struct {
	Code           string             `json:"code"`
	Category       string             `json:"category"`
	Severity       string             `json:"severity,omitempty"`
	Recoverability string             `json:"recoverability,omitempty"`
	Retryable      bool               `json:"retryable"`
	Reaction       string             `json:"reaction"`
	Why            detect.Explanation `json:"why"`
}

// newReport says what the explained error is as the profile of table has it. A profile can leave out how bad an error is, and
// what can be done about it.
func newReport(table taxonomy.Table, why detect.Explanation) *report {
	traits := table.Traits(why.Err)
	r := &report{
		Code:           taxonomy.CodeOf(why.Err),
		Category:       string(errs.CategoryOf(why.Err)),
		Severity:       traits.Severity.String(),
		Recoverability: traits.Recoverability.String(),
		Retryable:      traits.Retryable,
		Reaction:       table.Reaction(why.Err).Name,
		Why:            why,
	}
	if o := table.Overlay; o != nil && !o.Detection.Severity {
		r.Severity = ""
	}
	if o := table.Overlay; o != nil && !o.Detection.Recoverability {
		r.Recoverability = ""
	}
	return r
}

func (r *report) json(w io.Writer) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(escaped(b), '\n'))
	return err
}

func (r *report) text(w io.Writer) error {
	var b strings.Builder
	say := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-14s  %s\n", label, text)
		}
	}
	say("code", r.Code)
	say("category", r.Category)
	say("severity", r.Severity)
	say("recoverability", r.Recoverability)
	say("reaction", r.Reaction)
	b.WriteByte('\n')
	for line := range strings.Lines(r.Why.String()) {
		b.WriteString(printable(strings.TrimSuffix(line, "\n")) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
