package cli

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/explain"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sample"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func classifyFlags(fs *flag.FlagSet, o *options) {
	fs.StringVar(&o.profile, "profile", "", "classify and react under the profile `NAME`")
	evidenceFlags(fs, o)
	textOrJSON(fs, o)
}

func (s *session) classify(o *options, args []string) error {
	l, err := s.valid(args)
	if err != nil {
		return err
	}
	profile, err := profileNamed(l, o.profile)
	if err != nil {
		return err
	}
	if err := s.readText(&o.evidence, o, slices.Contains(args, stdinArg)); err != nil {
		return err
	}
	x, v := classified(l, profile, &o.evidence)
	if o.format == diag.FormatText {
		return s.write(escapeControls(v.text(x)))
	}
	// The members of the explanation and of the verdict are in one object.
	explanation, err := json.Marshal(x)
	if err != nil {
		return fmt.Errorf("classify: %w", err)
	}
	verdict, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("classify: %w", err)
	}
	return s.json(json.RawMessage(slices.Concat(explanation[:len(explanation)-1], []byte(","), verdict[1:])))
}

// readText adds the text of the failure to evidence: the flag's, or standard input if it is neither
// a terminal nor in use.
func (s *session) readText(ev *taxonomy.Evidence, o *options, inUse bool) error {
	if o.text != nil {
		detect.SetText(ev, []byte(*o.text))
		return nil
	}
	if s.Stdin == nil || inUse || !isPiped(s.Stdin) {
		return nil
	}
	body, err := readTail(s.Stdin)
	if err != nil {
		return fmt.Errorf("read text from standard input: %w", err)
	}
	detect.SetText(ev, body)
	return nil
}

// profileNamed returns the profile with a name. Without a name it is the one named default, if it
// exists, or nil.
func profileNamed(l *loaded, name string) (*model.Profile, error) {
	p := l.model.ProfileByName(cmp.Or(name, "default"))
	if p != nil || name == "" {
		return p, nil
	}
	var names []string
	for _, p := range l.model.Profiles {
		names = append(names, p.Name)
	}
	return nil, usagef("classify: %s has no profile %q%s", l.name, name, suggestion(name, names))
}

// verdict has the members of the output that the taxonomy adds to a detect.Explanation.
type verdict struct {
	Profile string         `json:"profile,omitempty"`
	At      string         `json:"at,omitempty"`    // position of the rule
	When    int            `json:"when,omitzero"`   // the branch that applies, 1-based
	If      []string       `json:"if,omitempty"`    // its conditions
	Traits  explain.Traits `json:"traits"`          //
	Notes   []string       `json:"notes,omitempty"` // doubts about the evidence

	context string
}

// classified classifies evidence by a taxonomy as its generated package does. The error in the
// explanation has the code, category, message and JSON of the generated one.
func classified(l *loaded, profile *model.Profile, ev *taxonomy.Evidence) (detect.Explanation, *verdict) {
	m := l.model
	v := &verdict{Notes: doubts(m, ev), context: "{}"}
	rules, ranked := detection.Rules(m), detection.Ranked(m)
	var options []detect.Option
	if profile != nil {
		v.Profile = profile.Name
		options = append(
			options, detect.WithTable(taxonomy.Table{Overlay: &taxonomy.Profile{Detection: profile.Detection}}))
	}
	rules.Make = func(i int, ev *taxonomy.Evidence) taxonomy.Error {
		var rule *model.Rule
		if i != detect.NoRule {
			rule = ranked[i]
			v.At = rulePlace(l, rule)
		}
		code, ctx := detection.Fill(m, rule, ev)
		row := m.Rows[taxonomy.RowUnknownPermanent]
		if code != nil {
			row = code.RowFor(ctx)
		}
		if row.Branch > 0 {
			v.When, v.If = row.Branch, explain.Conditions(code.Branches[row.Branch-1])
		}
		t := row.Traits
		v.Traits = explain.TraitsOf(m, nil, t)
		if profile != nil {
			t = m.Under(profile, row)
			v.Traits = explain.TraitsOf(m, profile.Profile, t)
		}
		made := made(&taxonomy.Taxonomy{Domain: m.Domain}, code, ctx, ev, t.Retryable)
		v.context = string(made.AppendContext(nil))
		return made
	}
	return rules.Explain(ev, options), v
}

// made returns an error with the members of the generated one. Without a code it has the text of
// the evidence.
func made(t *taxonomy.Taxonomy, code *model.Code, ctx model.Context, ev *taxonomy.Evidence,
	retryable bool) *taxonomy.Unknown {
	if code == nil {
		return taxonomy.NewUnknown(t, taxonomy.Wire{Message: ev.Error()})
	}
	cause := ""
	if ev.Err != nil {
		cause = ev.Err.Error()
	}
	wire := taxonomy.Wire{
		Domain: t.Domain, Name: code.Category.Type, Category: code.Category.Name, Code: code.Value,
		Retryable: retryable,
		Message:   code.Template.Text(ctx, cause), Context: json.RawMessage(sample.JSON(code.Fields(), ctx)),
	}
	wire.Raw, _ = json.Marshal(wire)
	return taxonomy.NewUnknown(t, wire)
}

// rulePlace returns file:line:column of a rule.
func rulePlace(l *loaded, r *model.Rule) string {
	at := r.Code.Decl.Detect[r.Place-1].Span
	file, line := l.source.Place(at.Line)
	return fmt.Sprintf("%s:%d:%d", diag.Printable(file), line, at.Col)
}

func (v *verdict) text(x detect.Explanation) []byte {
	p := &page{}
	p.WriteString(x.String() + "\n")
	p.line("at", v.At)
	p.line("profile", v.Profile)
	if v.context != "{}" {
		p.line("context", v.context)
	}
	if v.When > 0 {
		p.line(fmt.Sprintf("when %d", v.When), strings.Join(v.If, " and "))
	}
	p.traits(&v.Traits, nil)
	for _, note := range v.Notes {
		p.line("note", note)
	}
	return p.Bytes()
}

// doubts returns probable mistakes in the evidence.
func doubts(m *model.Package, ev *taxonomy.Evidence) []string {
	var out []string
	undeclared := func(what, name string, declared []string) {
		if name != "" && !slices.Contains(declared, name) {
			out = append(out, "the "+what+" is not declared"+suggestion(name, declared))
		}
	}
	undeclared("source", ev.Source, namesOf(m.Taxonomy.Sources))
	undeclared("op", ev.Op, append(check.Operations(), namesOf(m.Taxonomy.Ops)...))
	code, exited := ev.ExitCode.Get()
	failed := ev.Status >= 400 || ev.Type+ev.Code+ev.Signal+ev.Errno != "" || ev.Err != nil || exited && code != 0 ||
		!exited && ev.Status == 0 && ev.Text != ""
	if !failed {
		out = append(out, "the evidence describes no failure, and only failures are classified")
	}
	return out
}

// suggestion returns the nearest of names for a message, or "".
func suggestion(name string, names []string) string {
	if hint := diag.DidYouMean(name, names); hint != "" {
		return "; " + hint
	}
	return ""
}
