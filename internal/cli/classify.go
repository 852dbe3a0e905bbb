package cli

import (
	"flag"
	"strings"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func classifyCommand() *command {
	return &command{
		name:    "classify",
		summary: "say what a failure becomes in a taxonomy, and why",
		details: `
Classify tells which code evidence of a failure becomes by the taxonomy's detect rules: the code, what is done about
it, the context, and why: the rule that won, the others that matched, what the code misses. What was said is read from
standard input, unless that is a terminal; an error body as APIs send it in JSON tells its type, code and message, too.

  errgen classify -source anthropic-api -status 529 < body.json
  errgen classify -source cli -exit-code 1 -text 'usage limit reached'`,
		flags: func(fs *flag.FlagSet, o *options) {
			fs.StringVar(&o.taxonomy, "taxonomy", defaultFile, "the taxonomy, a `FILE`")
			fs.StringVar(&o.profile, "profile", "", "classify and react as the profile `NAME` has it")
			evidenceFlags(fs, o)
			o.choice(fs, "print as `FORM`: text or json", diag.FormatText, diag.FormatJSON)
			fs.BoolFunc("json", "the same as -format json", func(string) error {
				o.format = diag.FormatJSON
				return nil
			})
		},
		run: (*session).classify,
	}
}

func (s *session) classify(o *options, _ []string) error {
	l, err := s.valid([]string{o.taxonomy})
	if err != nil {
		return err
	}
	profile, err := profileNamed(l, o.profile)
	if err != nil {
		return err
	}
	ev := &o.evidence
	if err := s.readText(ev, o); err != nil {
		return err
	}
	v := newClassifier(l, profile).verdict(ev)
	v.Notes = doubts(l.model, ev)
	if o.format == diag.FormatJSON {
		return s.json(v)
	}
	return s.write(v.text())
}

// profileNamed returns the profile of that name. Without a name it is the one named default, if
// there is one, or nil.
func profileNamed(l *loaded, name string) (*model.Profile, error) {
	if name == "" {
		return l.model.ProfileByName("default"), nil
	}
	if p := l.model.ProfileByName(name); p != nil {
		return p, nil
	}
	var names []string
	for _, p := range l.model.Profiles {
		names = append(names, p.Name)
	}
	if hint := diag.DidYouMean(name, names); hint != "" {
		return nil, usagef("classify: %s has no profile %q; %s", l.name, name, hint)
	}
	return nil, usagef("classify: %s has no profile %q", l.name, name)
}

// doubts says what about the evidence is probably not meant.
func doubts(m *model.Package, ev *taxonomy.Evidence) []string {
	var out []string
	if hint := undeclared(ev.Source, m.Sources); hint != "" {
		out = append(out, "the source is not declared"+hint)
	}
	if hint := undeclared(ev.Op, append(vocabulary(), m.Ops...)); hint != "" {
		out = append(out, "the op is not declared"+hint)
	}
	if !failure(ev) {
		out = append(out, "nothing here says that anything failed, and only failures are to be classified")
	}
	return out
}

// undeclared returns what to say about a name that is not declared, and "" for one that is.
func undeclared(name string, declared []model.Named) string {
	if name == "" {
		return ""
	}
	var names []string
	for _, d := range declared {
		if d.Name == name {
			return ""
		}
		names = append(names, d.Name)
	}
	if hint := diag.DidYouMean(name, names); hint != "" {
		return "; " + hint
	}
	switch {
	case len(names) == 0:
		return ": the taxonomy declares none"
	case len(names) > maxListed:
		return " by the taxonomy"
	}
	return "; there are " + strings.Join(names, ", ")
}

// maxListed is how many names are worth listing for a reader who has to find one.
const maxListed = 12

// failure reports whether evidence speaks of a failure.
func failure(ev *taxonomy.Evidence) bool {
	code, exited := ev.ExitCode.Get()
	return ev.Status >= 400 || ev.Type != "" || ev.Code != "" || ev.Signal != "" || ev.Errno != "" || ev.Err != nil ||
		exited && code != 0 || !exited && ev.Status == 0 && ev.Text != ""
}

// vocabulary returns the operations that no taxonomy has to declare.
func vocabulary() []model.Named {
	var out []model.Named
	for _, op := range check.Operations() {
		out = append(out, model.Named{Name: op})
	}
	return out
}
