package cli

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// verdict is what evidence becomes, and why.
type verdict struct {
	Outcome  string          `json:"outcome"`            // matched | fallback | unknown
	Code     string          `json:"code,omitempty"`     // on the wire; "" if unknown
	Category string          `json:"category,omitempty"` //
	Message  string          `json:"message,omitempty"`
	Profile  string          `json:"profile,omitempty"`
	Traits   traits          `json:"traits"`
	Wait     string          `json:"wait,omitempty"` // what the evidence asks for, in words
	Context  json.RawMessage `json:"context,omitempty"`
	Missing  []string        `json:"missing,omitempty"` // required, and not in the evidence

	Rule      *ruleMatch  `json:"rule,omitempty"`
	RunnersUp []ruleMatch `json:"runners_up,omitempty"`
	Nearly    []nearRule  `json:"nearly,omitempty"` // if no rule matched
	When      int         `json:"when,omitzero"`    // the branch that decided, 1-based
	WhenIf    []string    `json:"if,omitempty"`     // its conditions

	Evidence taxonomy.Evidence `json:"evidence"`
	Notes    []string          `json:"notes,omitempty"`

	fields []shownField
}

// ruleMatch is a rule, and where it stands.
type ruleMatch struct {
	Name   string `json:"name"`
	Code   string `json:"code"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Rule   string `json:"rule"`
}

// nearRule is a rule of which all but one part holds.
type nearRule struct {
	ruleMatch
	But   string `json:"but"` // the key of that part
	holds int
}

type shownField struct{ name, value string }

// code fills in what the code and its context give.
func (v *verdict) code(code *model.Code, ctx model.Context, cause string) {
	v.Code, v.Category = code.Value, code.Category.Name
	v.Message = code.Message.Text(ctx, cause)
	v.Context = contextJSON(code, ctx)
	for _, f := range code.Category.Fields {
		if value, ok := ctx.Get(f); ok {
			v.fields = append(v.fields, shownField{f.Wire, shownValue(f, value)})
		}
	}
}

func shownValue(f *model.Field, v model.Value) string {
	switch {
	case f.Sensitive:
		return taxonomy.Redacted
	case v.Type == model.ObjectType:
		var parts []string
		for _, inner := range f.Object.Fields {
			if value, ok := v.Object.Get(inner); ok {
				parts = append(parts, inner.Wire+": "+shownValue(inner, value))
			}
		}
		return strings.Join(parts, ", ")
	case v.Type == model.Strings:
		quoted := make([]string, len(v.Strings))
		for i, s := range v.Strings {
			quoted[i] = strconv.Quote(clipped(f.Clean(s)))
		}
		return strings.Join(quoted, ", ")
	case v.Type == model.String:
		return strconv.Quote(clipped(f.Shown(v)))
	case v.Type == model.JSON:
		return clipped(string(escapeControls([]byte(f.Shown(v)))))
	}
	return f.Shown(v)
}

func (v *verdict) when(code *model.Code, row *model.Row) {
	if row.Branch == 0 {
		return
	}
	v.When = row.Branch
	for _, cond := range code.When[row.Branch-1].Conds {
		v.WhenIf = append(v.WhenIf, condition(cond))
	}
}

// react fills in what is done about it.
func (v *verdict) react(t model.Traits, code *model.Code, ctx model.Context) {
	v.Traits = traitsOf(t)
	if code == nil || !t.Reaction.HonorRetryAfter || t.Reaction.Policy == nil {
		return
	}
	if f := code.Category.WithRole(model.RoleResetAt); f != nil {
		if at, ok := ctx.Get(f); ok && !at.Time.IsZero() {
			v.Wait = "until " + f.Shown(at) + ", as the source asks"
			return
		}
	}
	f := code.Category.WithRole(model.RoleRetryAfter)
	if f == nil {
		return
	}
	hint, ok := ctx.Get(f)
	switch longest := t.Reaction.Policy.MaxRetryAfter; {
	case !ok || hint.Duration <= 0:
	case longest > 0 && hint.Duration > longest:
		v.Wait = fmt.Sprintf("none: the source asks for %s, longer than %s, so what follows comes at once",
			short(hint.Duration), short(longest))
	default:
		v.Wait = short(hint.Duration) + ", as the source asks"
	}
}

func (v *verdict) text() []byte {
	p := &page{}
	v.head(p)
	v.Traits.text(p, nil)
	p.line("wait", v.Wait)
	if len(v.fields) > 0 {
		p.heading("context")
	}
	for _, f := range v.fields {
		p.line(f.name, f.value)
	}
	v.why(p)
	return p.Bytes()
}

func (v *verdict) head(p *page) {
	switch v.Outcome {
	case "unknown":
		fmt.Fprintf(&p.Buffer, "no code: no rule matches, and the taxonomy has no fallback\n\n")
	default:
		fmt.Fprintf(&p.Buffer, "%s (%s)\n\n", v.Code, v.Category)
	}
	p.line("message", strconv.Quote(clip(v.Message, maxMessage)))
	p.line("profile", v.Profile)
}

func (v *verdict) why(p *page) {
	p.heading("why")
	if v.Rule != nil {
		p.line("rule", v.Rule.place())
		p.line("", diag.Printable(v.Rule.Rule))
	} else if v.Outcome == "fallback" {
		p.line("rule", "none matches, so it is the fallback")
	}
	label := "also matches"
	for _, r := range v.RunnersUp {
		p.line(label, r.place())
		label = ""
	}
	label = "nearly"
	for _, r := range v.Nearly {
		p.line(label, r.place()+", but for "+r.But)
		p.line("", diag.Printable(r.Rule))
		label = ""
	}
	if v.When > 0 {
		p.line("when "+strconv.Itoa(v.When), strings.Join(v.WhenIf, " and "))
	}
	label = "evidence"
	for _, line := range known(&v.Evidence) {
		p.line(label, line)
		label = ""
	}
	p.line("missing", strings.Join(v.Missing, ", "))
	for _, note := range v.Notes {
		p.line("note", note)
	}
}

func (r *ruleMatch) place() string {
	return fmt.Sprintf("%s at %s:%d:%d", r.Name, diag.Printable(displayed(r.File)), r.Line, r.Column)
}

func displayed(file string) string {
	if file == stdinArg {
		return "<stdin>"
	}
	return file
}
