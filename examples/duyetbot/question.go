package main

import (
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/errgen/errgen/runtime/detect/detectflag"
	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

// question is the command line of -classify: a failure, and the form of the answer.
type question struct {
	evidence taxonomy.Evidence
	profile  string
	json     bool
}

// parseEvidence reads the command line after -classify. For -help, it writes the usage to hints.
func parseEvidence(args []string, hints io.Writer) (*question, error) {
	o := &question{}
	fs := flag.NewFlagSet("duyetbot -classify", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.BoolVar(&o.json, "json", false, "answer in JSON")
	fs.StringVar(&o.profile, "profile", "", "classify and react as the profile of this `name` does")
	detectflag.Define(fs, &o.evidence, errs.Table.Taxonomy)
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fs.SetOutput(hints)
		fs.Usage()
		return nil, err
	}
	if err == nil && fs.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q; what was said is read from standard input", fs.Arg(0))
	}
	return o, err
}
