package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/errgen/errgen/runtime/executor/terminal"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// options is what the command line says.
type options struct {
	skills  []string
	profile string
	report  string
	dry     bool
	stop    bool
	verbose bool
}

// parse reads the command line. What is wrong with it is the error; how it is used is written to help.
func parse(args []string, help io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("duyetbot", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Func("skill", "run the skill in this `file`; may be given more than once, and files may follow without it", func(name string) error {
		o.skills = append(o.skills, name)
		return nil
	})
	fs.StringVar(&o.profile, "profile", "", "handle failures as the profile of this `name` does, whatever the skills name")
	fs.StringVar(&o.report, "report", "", "write a report to this `file`: .html, .csv, .json or .txt")
	fs.BoolVar(&o.dry, "dry", false, "say what would be run, and how failures would be handled, and run nothing")
	fs.BoolVar(&o.stop, "stop", false, "stop after the first skill that fails")
	fs.BoolVar(&o.verbose, "v", false, "log to standard error, at the level of the profile")
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(help, "duyetbot runs skills, and does about their failures what its taxonomy says.\n\n"+
			"  duyetbot [-profile NAME] [-report FILE] [-dry] [-stop] [-v] SKILL.yaml...\n  duyetbot -classify [flags] <what was said")
		fs.SetOutput(help)
		fs.PrintDefaults()
		return nil, err
	}
	o.skills = append(o.skills, fs.Args()...)
	switch {
	case err != nil:
	case len(o.skills) == 0:
		err = errors.New("no skill; name the file of one")
	case o.profile != "":
		err = checkProfile(o.profile)
	}
	return o, errors.Join(err, checkReport(o.report))
}

// load reads the skills. What is wrong with any of them is said at once.
func (o *options) load() ([]*skill, error) {
	var all []*skill
	var wrong []error
	for _, path := range o.skills {
		s, err := loadSkill(path)
		if err == nil {
			_, err = s.table(o.profile)
		}
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		all = append(all, s)
	}
	return all, errors.Join(wrong...)
}

// plan says what would be run, and within which limits.
func (o *options) plan(skills []*skill, w io.Writer) error {
	var b strings.Builder
	for _, s := range skills {
		table, err := s.table(o.profile)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s: %s\n", s.Name, terminal.Printable(fmt.Sprintf("%q in %s, at most %s a call", s.Command, s.dir(), s.Timeout)))
		describe(&b, table.Overlay)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// describe says what a profile does.
func describe(b *strings.Builder, p *taxonomy.Profile) {
	d, r := p.Detection, p.Recovery
	fmt.Fprintf(b, "  %-10s %s\n", "profile", p.Name)
	fmt.Fprintf(b, "  %-10s patterns %s, severity %s, recoverability %s\n", "detection", onOff(d.Text), onOff(d.Severity), onOff(d.Recoverability))
	strategies := "every strategy"
	switch {
	case !r.Enabled:
		strategies = "no strategy"
	case r.Allowed != nil:
		strategies = strings.Join(r.Allowed, ", ")
	}
	fmt.Fprintf(b, "  %-10s %s, at most %d times: %s\n", "recovery", onOff(r.Enabled), r.MaxAttempts, strategies)
	fmt.Fprintf(b, "  %-10s %s", "retry", onOff(p.Retry.Enabled))
	if n := p.Retry.Policy; n != nil {
		fmt.Fprintf(b, ": %d calls, %s to %s apart, times %v", n.MaxAttempts, n.InitialDelay, n.MaxDelay, n.Multiplier)
	}
	fmt.Fprintf(b, "\n  %-10s log %s, stack %s, context %s\n", "reporting", p.Reporting.LogLevel, onOff(p.Reporting.Stack), onOff(p.Reporting.Context))
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}
