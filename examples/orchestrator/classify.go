package main

import (
	"fmt"
	"io"

	"github.com/errgen/errgen/runtime/detect/detectflag"
	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/errs"
)

// classify says what the failure is that args and in describe, and writes it to out. Only wrong
// usage and failing input and output are errors; usage is written to hints.
func classify(args []string, in io.Reader, out, hints io.Writer) error {
	o, err := parseEvidence(args, hints)
	if err != nil {
		return err
	}
	text, err := detectflag.ReadEnd(in)
	if err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	detectflag.Said(&o.evidence, text)
	table, err := errs.Table.Profile(taxonomy.ProfileName(o.profile))
	if err != nil {
		return err
	}
	r := newReport(table, judge(&o.evidence, table))
	if o.json {
		return r.writeJSON(out)
	}
	return r.writeText(out)
}
