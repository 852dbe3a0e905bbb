package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"

	"specrunner.example.com/runner/errs"
)

// options is what the command line says.
type options struct {
	evidence taxonomy.Evidence
	output   string // a file
	profile  string
	json     bool
}

// parse reads the command line. What is wrong with it is the error; how it is used is written to hints.
func parse(args []string, hints io.Writer) (*options, error) {
	o := &options{}
	ev := &o.evidence
	fs := flag.NewFlagSet("specrunner", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.BoolVar(&o.json, "json", false, "answer in JSON")
	fs.StringVar(&o.profile, "profile", "", "react as the profile of this `name` does")
	fs.StringVar(&o.output, "output", "", "the `file` with what the agent answered, or with what the hook printed")
	fs.StringVar(&ev.Source, "source", "agent", "`who` reports it: agent, pre_start or post_done")
	fs.StringVar(&ev.Op, "op", "", "the `operation` that failed")
	fs.IntVar(&ev.Status, "status", 0, "the HTTP `status`")
	fs.StringVar(&ev.Type, "type", "", "the `type` of the failure: timeout; tests or lint of post_done; …")
	fs.StringVar(&ev.Code, "code", "", "the source's own `code`")
	fs.StringVar(&ev.Signal, "signal", "", "the `name` of the signal that ended the process")
	fs.StringVar(&ev.Errno, "errno", "", "the `name` of the system's error")
	fs.Func("exit-code", "the `number` that the process exited with", exitCode(ev))
	fs.Func("attr", "something else that is known, as `key=value`; may be given again", attribute(ev))
	err := fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fs.SetOutput(hints)
		fs.Usage()
	case err != nil:
	case fs.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q; what was said is read from standard input", fs.Arg(0))
	default:
		err = declared(ev.Source)
	}
	return o, err
}

// declared refuses a source that no rule can name, so that a typing mistake does not look like an unknown failure.
func declared(source string) error {
	var names []string
	for _, s := range errs.Table.Taxonomy.Sources {
		if s.Name == source {
			return nil
		}
		names = append(names, s.Name)
	}
	return fmt.Errorf("unknown source %q; there are %s", source, strings.Join(names, ", "))
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
		ev.Attributes[strings.ToLower(key)] = value
		return nil
	}
}
