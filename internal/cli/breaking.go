package cli

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/breaking"
	"github.com/errgen/errgen/internal/diag"
)

// breakingOptions are the flags that no other command has.
type breakingOptions struct {
	against string         // the released taxonomy
	levels  breaking.Level // that are printed; 0 is all
	except  []string       // ids that are not printed
}

func breakingCommand() *command {
	var own breakingOptions
	return &command{
		name: "breaking", args: "[taxonomy.yaml]", max: 1,
		summary: "compare a taxonomy with the one that was released",
		details: `
Breaking prints the changes that the users of the released taxonomy would notice: programs of the other version
and stored bytes (wire), Go callers (source), users of an error's reaction and texts (behaviour). The released
taxonomy is a file, or "-" for standard input:

  git show main:taxonomy.yaml | errgen breaking -against -

It exits with 1 if a change is an error, or with -strict if there is any change. "errgen explain ID" explains a
change, and docs/evolution.md how to make one.`,
		flags: func(fs *flag.FlagSet, o *options) {
			own = breakingOptions{}
			own.define(fs)
			findingFlags(fs, o)
		},
		run: func(s *session, o *options, args []string) error { return s.breaking(o, own, args) },
	}
}

func (b *breakingOptions) define(fs *flag.FlagSet) {
	fs.Func("against", "compare with the released `FILE`; - is standard input", func(value string) error {
		if value == "" {
			return fmt.Errorf("it must be a file")
		}
		b.against = value
		return nil
	})
	fs.Func("only", "print changes of these `LEVELS` only: wire, source, behaviour, separated by commas",
		func(value string) error {
			levels, err := breaking.ParseLevels(value)
			b.levels |= levels
			return err
		})
	fs.Func("except", "do not print changes with these `IDS`, separated by commas", func(value string) error {
		for id := range strings.SplitSeq(value, ",") {
			id = strings.TrimSpace(id)
			if breaking.Levels(id) == 0 {
				return fmt.Errorf("unknown change %q%s", id, suggestion(id, breaking.IDs()))
			}
			b.except = append(b.except, id)
		}
		return nil
	})
}

func (s *session) breaking(o *options, own breakingOptions, args []string) error {
	if own.against == "" {
		return usagef("breaking needs -against FILE: the taxonomy that was released")
	}
	if own.against == stdinArg && slices.Contains(args, stdinArg) {
		return usagef("breaking: only one of the two taxonomies can come from standard input")
	}
	old, err := s.released(own.against, o)
	if err != nil {
		return err
	}
	all, err := s.loadAll(args)
	if err != nil {
		return err
	}
	now := all[0]
	if now.model == nil {
		return s.printFindings(
			o, s.Stderr, true, diag.FileFindings{Source: now.source, Findings: onlyErrors(now.findings)})
	}
	var gone, changed []diag.Finding
	for _, c := range breaking.Compare(
		breaking.Read(old.name, old.source.Bytes), breaking.Read(now.name, now.source.Bytes)) {
		switch {
		case own.levels != 0 && c.Levels&own.levels == 0, slices.Contains(own.except, c.ID):
		case c.Gone:
			gone = append(gone, c.Finding)
		default:
			changed = append(changed, c.Finding)
		}
	}
	return s.printFindings(o, s.Stdout, false, diag.FileFindings{Source: old.source, Findings: gone},
		diag.FileFindings{Source: now.source, Findings: changed})
}

// ofRules are errors about detection rules and their examples. These are not compared, and a later
// errgen finds more of them.
var ofRules = []string{"E-regexp", "E-empty-rule", "E-example"}

// released loads the taxonomy to compare with. Its warnings are ignored. With other errors the
// comparison would be incomplete.
func (s *session) released(name string, o *options) (*loaded, error) {
	old, err := s.load(name)
	if err != nil {
		return nil, err
	}
	faults := slices.DeleteFunc(
		onlyErrors(old.findings), func(f diag.Finding) bool { return slices.Contains(ofRules, f.ID) })
	if len(faults) == 0 {
		return old, nil
	}
	err = s.printFindings(o, s.Stderr, false, diag.FileFindings{Source: old.source, Findings: faults})
	if !errors.Is(err, errFindings) {
		return nil, err
	}
	if name == stdinArg {
		name = "standard input"
	}
	return nil,
		fmt.Errorf("breaking: %s, which is the released taxonomy, has %s", name, count(len(faults), "error", "errors"))
}
