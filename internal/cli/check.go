package cli

import (
	"bytes"
	"flag"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/output"
)

func checkFlags(fs *flag.FlagSet, o *options) {
	outputFlags(fs, o)
	fs.BoolVar(&o.diff, "diff", false, "print the differences as a unified diff")
	fs.Func("also", "compare `PATH` too, which docs, typescript, openapi or slo wrote; can be repeated",
		func(path string) error { o.also = append(o.also, path); return nil })
}

func (s *session) check(o *options, args []string) error {
	plans, err := s.plan(o, args)
	if err != nil {
		return err
	}
	var files []diag.FileFindings
	var diffs bytes.Buffer
	var fixes []string
	added, removed := 0, 0
	for _, p := range plans {
		for _, step := range p.Steps {
			if o.verbose {
				s.note("%s: %s", step.Path, states[step.Action])
			}
			if step.Action == output.Unchanged {
				continue
			}
			files = append(files, driftOf(step, p.fix))
			if fix := strconv.Quote(p.fix); !slices.Contains(fixes, fix) {
				fixes = append(fixes, fix)
			}
			if o.diff && !o.quiet {
				diffs.Write(step.Diff())
			}
			plus, minus := step.Lines()
			added, removed = added+plus, removed+minus
			if o.format == diag.FormatText && !o.quiet {
				if err := s.printf("%s: %s (+%d -%d)\n", step.Path, states[step.Action], plus, minus); err != nil {
					return err
				}
			}
		}
	}
	if o.format != diag.FormatText {
		return s.printFindings(o, s.Stdout, len(files) > 0, files...)
	}
	if len(files) == 0 {
		return nil
	}
	if err := s.write(diffs.Bytes()); err != nil {
		return err
	}
	s.note("%s (+%d -%d): run %s", count(len(files), "file differs", "files differ"), added, removed,
		strings.Join(fixes, " and "))
	return errFindings
}

// fixCommand returns the call of generate that corresponds to a call of check.
func (s *session) fixCommand(o *options, args []string) string {
	words := []string{"errgen", "generate"}
	if o.dir != "" {
		words = append(words, "-o", o.dir)
	}
	if !o.tests {
		words = append(words, "-tests=false")
	}
	if o.readers == public {
		words = append(words, "-audience", public)
	}
	return strings.Join(append(words, args...), " ")
}

// states are the names of a file's states, by the action of generate.
var states = [...]string{output.Unchanged: "up to date", output.Create: "missing", output.Change: "differs",
	output.Remove: "stale"}

// driftOf returns the difference of a file as a finding, so that programs read a single format.
func driftOf(step output.Step, fix string) diag.FileFindings {
	words := map[output.Action]string{
		output.Create: "the file is missing",
		output.Change: "the file differs from the generated one",
		output.Remove: "the taxonomy no longer generates this file",
	}
	return diag.FileFindings{
		Source: diag.NewSource(step.Path, nil),
		Findings: []diag.Finding{{
			ID: states[step.Action], Message: words[step.Action], Hint: "run " + strconv.Quote(fix),
		}},
	}
}
