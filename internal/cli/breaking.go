package cli

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/breaking"
	"github.com/errgen/errgen/internal/diag"
)

// breakingOptions are the flags that no other command has.
type breakingOptions struct {
	against string         // the released taxonomy; "" is none
	levels  breaking.Level // whom a change must concern to be told; none is every one
	except  []string       // ids that are not told
}

func breakingCommand() *command {
	var own breakingOptions
	return &command{
		name: "breaking", args: "[taxonomy.yaml]", max: 1,
		summary: "compare a taxonomy with the one that was released",
		details: `
Breaking says what those who hold the released taxonomy would notice: programs of the other version and stored
bytes (wire), Go callers (source), whoever relies on what an error does (behaviour). The released one is a file,
or "-" for standard input:

  git show main:taxonomy.yaml | errgen breaking -against -

It exits with 1 when anything breaks, or with -strict when there is any change of behaviour. "errgen explain ID"
tells more about a change, and docs/evolution.md how to make one.`,
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
	fs.Func("only", "tell changes of these `LEVELS` only: wire, source, behaviour, with commas between them",
		func(value string) error {
			levels, err := breaking.ParseLevels(value)
			b.levels |= levels
			return err
		})
	fs.Func("except", "do not tell changes with these `IDS`, with commas between them", func(value string) error {
		for id := range strings.SplitSeq(value, ",") {
			id = strings.TrimSpace(id)
			if breaking.Levels(id) == 0 {
				return unknownChange(id)
			}
			b.except = append(b.except, id)
		}
		return nil
	})
}

func unknownChange(id string) error {
	if hint := diag.DidYouMean(id, breaking.IDs()); hint != "" {
		return fmt.Errorf("unknown change %q; %s", id, hint)
	}
	return fmt.Errorf("unknown change %q", id)
}

func (s *session) breaking(o *options, own breakingOptions, args []string) error {
	if own.against == "" {
		return usagef("breaking needs -against FILE: the taxonomy that was released")
	}
	if own.against == stdinArg && slices.Contains(args, stdinArg) {
		return usagef("breaking: only one of the two taxonomies can come from standard input")
	}
	old, err := s.released(own.against, o.format)
	if err != nil {
		return err
	}
	all, err := s.loadAll(args)
	if err != nil {
		return err
	}
	now := all[0]
	if now.model == nil {
		return cmp.Or(s.printFaults(o.format, now, onlyErrors(now.findings)), errFindings)
	}
	gone, changed := own.changes(old, now)
	return s.reportChanges(o, diag.FileFindings{Source: old.source, Findings: gone},
		diag.FileFindings{Source: now.source, Findings: changed})
}

// reportChanges prints what is found, and returns errFindings if any of it ends the command.
func (s *session) reportChanges(o *options, files ...diag.FileFindings) error {
	stop := false
	for i, f := range files {
		stop = stop || diag.HasErrors(f.Findings) || o.strict && len(f.Findings) > 0
		if o.quiet && !o.strict {
			files[i].Findings = onlyErrors(f.Findings)
		}
	}
	if err := diag.Print(s.Stdout, o.format, files...); err != nil {
		return err
	}
	if stop {
		return errFindings
	}
	return nil
}

// ofRules are errors about detection rules and their examples. Those are not compared, and a later
// errgen finds more of them than the one that the taxonomy was released with.
var ofRules = []string{
	"E-regexp", "E-read-escape", "E-stdlib-name", "E-empty-rule", "E-empty-range", "E-example",
	"E-counter-example", "E-want",
}

// printFaults prints why a taxonomy cannot be compared: beside the result for people, and in its
// place for a machine.
func (s *session) printFaults(format diag.Format, l *loaded, faults []diag.Finding) error {
	w := s.Stderr
	if format != diag.FormatText {
		w = s.Stdout
	}
	return diag.Print(w, format, diag.FileFindings{Source: l.source, Findings: faults})
}

// released loads the taxonomy to compare with. Its warnings are nobody's concern; with errors, no
// comparison would tell what was there.
func (s *session) released(name string, format diag.Format) (*loaded, error) {
	old, err := s.load(name)
	if err != nil {
		return nil, err
	}
	faults := slices.DeleteFunc(
		onlyErrors(old.findings), func(f diag.Finding) bool { return slices.Contains(ofRules, f.ID) })
	if len(faults) == 0 {
		return old, nil
	}
	if err := s.printFaults(format, old, faults); err != nil {
		return nil, err
	}
	if name == stdinArg {
		name = "standard input"
	}
	return nil,
		fmt.Errorf("breaking: %s, which is to be compared with, has %s", name, count(len(faults), "error", "errors"))
}

// changes returns what is to be told, by the file that it stands in.
func (b *breakingOptions) changes(old, now *loaded) (gone, changed []diag.Finding) {
	was := breaking.Read(old.name, old.source.Bytes)
	is := breaking.Read(now.name, now.source.Bytes)
	for _, c := range breaking.Compare(was, is) {
		switch {
		case b.levels != 0 && c.Levels&b.levels == 0, slices.Contains(b.except, c.ID):
		case c.Gone:
			gone = append(gone, c.Finding)
		default:
			changed = append(changed, c.Finding)
		}
	}
	return gone, changed
}
