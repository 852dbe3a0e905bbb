package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/errgen/errgen/runtime/executor/terminal"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// options are the flags and arguments of the command line.
type options struct {
	skills  []string
	profile string
	report  string
	dry     bool
	stop    bool
	verbose bool
}

// parse reads the command line. For -help, it writes the usage to help.
func parse(args []string, help io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("duyetbot", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Func("skill", "run the skill in this `file`; may be given more than once, and files may follow without it",
		func(name string) error {
			o.skills = append(o.skills, name)
			return nil
		})
	fs.StringVar(
		&o.profile, "profile", "",
		"handle failures as the profile of this `name` does, in place of all that the skills say under error-handling")
	fs.StringVar(&o.report, "report", "", "write a report to this `file`: .html, .csv, .json or .txt")
	fs.BoolVar(&o.dry, "dry", false, "say what would be run, and how failures would be handled, and run nothing")
	fs.BoolVar(&o.stop, "stop", false, "stop after the first skill that fails")
	fs.BoolVar(&o.verbose, "v", false, "log to standard error, at the level of the profile")
	err := o.read(fs, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(help, "duyetbot runs skills, and does about their failures what its taxonomy says.\n\n"+
			"  duyetbot [-profile NAME] [-report FILE] [-dry] [-stop] [-v] SKILL.yaml...\n  duyetbot -classify "+
			"[flags] <what was said")
		fs.SetOutput(help)
		fs.PrintDefaults()
		return nil, err
	}
	switch {
	case err != nil:
	case len(o.skills) == 0:
		err = errors.New("no skill; name the file of one")
	case o.profile != "":
		err = checkProfile(o.profile)
	case given(fs, "profile"):
		err = errors.New("-profile names no profile; leave it out to have the skills' own")
	}
	return o, errors.Join(err, checkReport(o.report))
}

// given reports whether a flag is on the command line.
func given(fs *flag.FlagSet, name string) (is bool) {
	fs.Visit(func(f *flag.Flag) { is = is || f.Name == name })
	return is
}

// read reads flags and files, in any order. After "--" there are only files.
func (o *options) read(fs *flag.FlagSet, args []string) error {
	for {
		if err := fs.Parse(args); err != nil {
			return err
		}
		rest := fs.Args()
		if len(rest) == 0 {
			return nil
		}
		if read := len(args) - len(rest); read > 0 && args[read-1] == "--" {
			o.skills = append(o.skills, rest...)
			return nil
		}
		o.skills, args = append(o.skills, rest[0]), rest[1:]
	}
}

// load reads the skills. The error joins those of all skills.
func (o *options) load() ([]*skill, error) {
	var all []*skill
	var wrong []error
	for _, path := range o.skills {
		s, err := loadSkill(path)
		if err == nil {
			_, err = s.table("")
		}
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		all = append(all, s)
	}
	return all, errors.Join(wrong...)
}

// plan prints the commands that would run, and the limits. An error means that a skill cannot run.
func (o *options) plan(ctx context.Context, skills []*skill, w io.Writer) error {
	var b strings.Builder
	var wrong []error
	for _, s := range skills {
		table, err := s.table(o.profile)
		if err != nil {
			return err
		}
		_, err = s.tools(ctx)
		wrong = append(wrong, err)
		what := fmt.Sprintf("%q in %s, at most %s a call", s.Command, s.dir(), s.Timeout)
		fmt.Fprintf(&b, "%s: %s\n", s.Name, terminal.Printable(taxonomy.Redact(s.secrets.mask(what))))
		if o.profile != "" {
			fmt.Fprintf(&b, "  %-10s %s\n", "-profile", "in place of what the skill says under error-handling")
		}
		describe(&b, table)
	}
	if err := errors.Join(wrong...); err != nil {
		return err
	}
	_, _ = io.WriteString(w, b.String()) // w keeps the error
	return nil
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}
