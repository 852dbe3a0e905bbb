package main

import (
	"fmt"
	"io"

	"github.com/errgen/errgen/runtime/detect/detectflag"
	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

// classify classifies what args and in tell, and writes what it came to to out. Only wrong usage
// and failing input and output are errors; usage is written to hints.
func classify(args []string, in io.Reader, out, hints io.Writer) error {
	o, err := parseEvidence(args, hints)
	if err != nil {
		return err
	}
	text, err := detectflag.ReadTail(in)
	if err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	detectflag.SetText(&o.evidence, text)
	table, err := errs.Table.Profile(taxonomy.ProfileName(o.profile))
	if err != nil {
		return err
	}
	r := newAnswer(table, judge(&o.evidence, table))
	if o.json {
		return r.writeJSON(out)
	}
	return r.writeText(out)
}
