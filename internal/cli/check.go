package cli

import (
	"flag"
	"fmt"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/output"
)

func checkCommand() *command {
	return &command{
		name: "check", args: "[taxonomy.yaml ...]", max: -1,
		summary: "say what generate would change, and change nothing",
		details: `
Check compares a package with what generate would write, and prints what differs: files that are missing,
stale, edited or out of date, first a line for each and then as a unified diff. It writes nothing. Give it
the flags that generate gets.

It exits with 1 when anything differs.`,
		flags: func(fs *flag.FlagSet, o *options) {
			outputFlags(fs, o)
			fs.BoolVar(&o.summary, "summary", false, "print a line for each file that differs, and no diff")
		},
		run: (*session).check,
	}
}

func (s *session) check(o *options, args []string) error {
	plans, err := s.plan(o, args)
	if err != nil {
		return err
	}
	drift := 0
	for _, p := range plans {
		if o.verbose {
			s.drift(p)
		}
		if err := s.summary(p, o); err != nil {
			return err
		}
	}
	for _, p := range plans {
		n, err := s.printDrift(p, o)
		if err != nil {
			return err
		}
		drift += n
	}
	if drift == 0 {
		return nil
	}
	if o.format == diag.FormatText {
		s.note("%s not what the taxonomy says: run \"errgen generate\"", count(drift, "file is", "files are"))
	}
	return errFindings
}

// states is what check says of a file that generate would do something about.
var states = [...]string{output.Unchanged: "up to date", output.Create: "missing", output.Change: "differs",
	output.Remove: "stale"}

func (s *session) drift(p *output.Plan) {
	for _, step := range p.Steps {
		s.note("%s: %s", step.Path, states[step.Action])
	}
}

// summary prints a line for each file that differs, before the diffs of all.
func (s *session) summary(p *output.Plan, o *options) error {
	if o.quiet || o.format != diag.FormatText {
		return nil
	}
	for _, step := range p.Steps {
		if step.Action == output.Unchanged {
			continue
		}
		added, removed, ok, err := p.Lines(step)
		if err != nil {
			return fmt.Errorf("compare: %w", err)
		}
		changes := ""
		if ok {
			changes = fmt.Sprintf(" (+%d -%d)", added, removed)
		}
		if err := s.printf("%s: %s%s\n", step.Path, states[step.Action], changes); err != nil {
			return err
		}
	}
	return nil
}

// printDrift prints what generate would change and returns the number of files.
func (s *session) printDrift(p *output.Plan, o *options) (int, error) {
	var files []diag.FileFindings
	for _, step := range p.Steps {
		if step.Action != output.Unchanged {
			files = append(files, driftOf(step))
		}
	}
	if o.format != diag.FormatText {
		return len(files), diag.Print(s.Stdout, o.format, files...)
	}
	if o.quiet || o.summary {
		return len(files), nil
	}
	if err := p.Diff(s.Stdout); err != nil {
		return len(files), fmt.Errorf("print diff: %w", err)
	}
	return len(files), nil
}

// driftOf words drift as a finding, so that machines need to read one form only.
func driftOf(step output.Step) diag.FileFindings {
	words := map[output.Action]string{
		output.Create: "the file is missing",
		output.Change: "the file is not what the taxonomy says",
		output.Remove: "nothing in the taxonomy makes this file any more",
	}
	return diag.FileFindings{
		Source: diag.NewSource(step.Path, nil),
		Findings: []diag.Finding{{
			ID: states[step.Action], Message: words[step.Action], Hint: `run "errgen generate"`,
		}},
	}
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
