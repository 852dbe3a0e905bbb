package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

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
	ev := &o.evidence
	fs.StringVar(&ev.Op, "op", "", "the `operation` that failed")
	fs.StringVar(&ev.Type, "type", "", "the source's own `type` of failure")
	fs.StringVar(&ev.Code, "code", "", "the source's own `code`")
	fs.StringVar(&ev.Signal, "signal", "", "the `name` of the signal that ended the process: SIGKILL")
	fs.StringVar(&ev.Errno, "errno", "", "the `name` of the system's error: ECONNREFUSED")
	fs.Func("status", "the HTTP status, a `number` from 100 to 599", detectflag.Status(ev))
	fs.Func("exit-code", "the `number` that the process exited with", detectflag.ExitCode(ev))
	fs.Func("retry-after", "the `time` that the source asks to wait: seconds, or like 1m30s", detectflag.RetryAfter(ev))
	fs.Func("attr", "something else that is known, as `key=value`; may be given again", detectflag.Attribute(ev))
	fs.Func("source", "`who` reports it", func(name string) error {
		isNamed := func(s taxonomy.Named) bool { return s.Name == name }
		if ev.Source = name; !slices.ContainsFunc(errs.Table.Taxonomy.Sources, isNamed) {
			return errors.New("unknown source")
		}
		return nil
	})
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
