package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// options is what the command line says.
type options struct {
	evidence taxonomy.Evidence
	profile  string
	json     bool
}

// parse reads the command line. What is wrong with it is the error; how it is used is written to hints.
func parse(args []string, hints io.Writer) (*options, error) {
	o := &options{}
	ev := &o.evidence
	fs := flag.NewFlagSet("duyetbot", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.BoolVar(&o.json, "json", false, "answer in JSON")
	fs.StringVar(&o.profile, "profile", "", "classify by the profile of this `name`")
	fs.StringVar(&ev.Source, "source", "", "`who` reports it: llm, github, tool, …")
	fs.StringVar(&ev.Op, "op", "", "the `operation` that failed")
	fs.IntVar(&ev.Status, "status", 0, "the HTTP status")
	fs.StringVar(&ev.Type, "type", "", "the source's own `type` of error")
	fs.StringVar(&ev.Code, "code", "", "the source's own `code`")
	fs.StringVar(&ev.Signal, "signal", "", "the `name` of the signal that ended the process")
	fs.StringVar(&ev.Errno, "errno", "", "the `name` of the system's error")
	fs.Func("exit-code", "the `number` that the process exited with", exitCode(ev))
	fs.Func("attr", "something else that is known, as `key=value`; may be given again", attribute(ev))
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

func exitCode(ev *taxonomy.Evidence) func(string) error {
	return func(s string) error {
		code, err := strconv.Atoi(s)
		if err != nil {
			return errors.New("not a number")
		}
		ev.ExitCode = taxonomy.Some(code)
		return nil
	}
}

func attribute(ev *taxonomy.Evidence) func(string) error {
	return func(s string) error {
		key, value, ok := strings.Cut(s, "=")
		if !ok || key == "" {
			return errors.New("not key=value")
		}
		if ev.Attributes == nil {
			ev.Attributes = make(map[string]string)
		}
		ev.Attributes[key] = value
		return nil
	}
}
