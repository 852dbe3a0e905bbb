package cli

import (
	"flag"
	"fmt"
	"slices"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/suggest"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func suggestFlags(set *flag.FlagSet, o *options) {
	set.StringVar(&o.taxonomy, "taxonomy", "",
		"leave out entries that rules of the taxonomy `FILE` match (default taxonomy.yaml, if it exists)")
	o.least = 1
	set.Func("min", "propose only for groups of at least `N` entries (default 1)", func(s string) (err error) {
		o.least, err = parseNumber(s, 1, 1<<31-1)
		return err
	})
	textOrJSON(set, o)
}

func (s *session) suggest(o *options, args []string) error {
	if o.taxonomy == "" && s.exists(defaultFile) {
		o.taxonomy = defaultFile
	}
	rules, wanted, err := s.known(o, args)
	if err != nil {
		return err
	}
	groups, matched := suggest.NewGroups(), 0
	for _, name := range args {
		err := s.readRecord(name, func(e detect.Entry) {
			if rules != nil && rules.Match(&e.Evidence, nil) != detect.NoRule {
				matched++
				return
			}
			groups.Add(e)
		})
		if err != nil {
			return err
		}
	}
	result := groups.Propose(wanted)
	result.Matched = matched
	if o.format == diag.FormatJSON {
		return s.json(result)
	}
	return s.write(result.YAML())
}

// known returns the rules of the taxonomy, and the options of proposals. The rules are nil if no
// taxonomy is named.
func (s *session) known(o *options, args []string) (*detect.Rules, suggest.Options, error) {
	wanted := suggest.Options{Least: o.least}
	if err := s.readsInputOnce(o.taxonomy, args); err != nil {
		return nil, wanted, err
	}
	if o.taxonomy == "" {
		return nil, wanted, nil
	}
	l, err := s.valid([]string{o.taxonomy})
	if err != nil {
		return nil, wanted, err
	}
	wanted.Sources, wanted.Ops = namesOf(l.model.Taxonomy.Sources), namesOf(l.model.Taxonomy.Ops)
	for _, c := range l.model.Codes {
		wanted.Names = append(wanted.Names, c.Name, c.Value, c.Go)
		wanted.Names = slices.Concat(wanted.Names, c.Extras().Aliases, c.Extras().Names)
	}
	return detection.Rules(l.model), wanted, nil
}

func namesOf(list []taxonomy.Named) []string {
	var out []string
	for _, n := range list {
		out = append(out, n.Name)
	}
	return out
}

// maxFaults is how many lines of a record are reported one by one.
const maxFaults = 10

func (s *session) readRecord(name string, add func(detect.Entry)) error {
	in, err := s.open(name)
	var faults []suggest.Fault
	if err == nil {
		defer func() { _ = in.Close() }()
		faults, err = suggest.Read(in, add)
	}
	if err != nil {
		return fmt.Errorf("read record: %s: %w", displayed(name), cause(err))
	}
	for i, fault := range faults {
		if i == maxFaults {
			s.note("errgen: %s: %s cannot be read either", diag.Printable(displayed(name)),
				count(len(faults)-i, "more line", "more lines"))
			break
		}
		s.note("errgen: %s:%d: not read: %s", diag.Printable(displayed(name)), fault.Line,
			diag.Printable(fault.Err.Error()))
	}
	return nil
}

// displayed returns the name of a record in messages.
func displayed(file string) string {
	if file == stdinArg {
		return "<stdin>"
	}
	return file
}
