package cli

import (
	"flag"

	"github.com/errgen/errgen/internal/breaking"
	"github.com/errgen/errgen/internal/diag"
)

func diffFlags(fs *flag.FlagSet, o *options) {
	o.choice(fs, "print notes as `FORM`: text, markdown or json (one object a line)", diag.FormatText,
		"markdown", diag.FormatJSON)
}

func (s *session) diff(o *options, args []string) error {
	current := defaultFile
	if len(args) > 1 {
		current = args[1]
	}
	if args[0] == stdinArg && current == stdinArg {
		return usagef("diff: only one of the two taxonomies can come from standard input")
	}
	now, err := s.loadVersion(current, defaultFile)
	if err != nil {
		return err
	}
	if now.model == nil {
		return s.faults(now.source, now.findings)
	}
	old, err := s.released(args[0], current, &options{format: diag.FormatText})
	if err != nil {
		return err
	}
	return breaking.PrintNotes(s.Stdout, string(o.format), breaking.Differences(
		breaking.Read(old.name, old.source.Bytes), breaking.Read(now.name, now.source.Bytes)))
}
