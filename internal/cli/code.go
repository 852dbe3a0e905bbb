package cli

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// codeDoc is everything that a taxonomy declares about a code.
type codeDoc struct {
	Code       string            `json:"code"`            // on the wire
	Key        string            `json:"key,omitempty"`   // in the taxonomy, if it differs
	Category   string            `json:"category"`        //
	Number     *int              `json:"number,omitzero"` //
	Doc        string            `json:"doc,omitempty"`
	Since      string            `json:"since,omitempty"`
	Deprecated string            `json:"deprecated,omitempty"`
	ReplacedBy string            `json:"replaced_by,omitempty"`
	Audience   string            `json:"audience,omitempty"` // public
	Aliases    []string          `json:"aliases,omitempty"`
	Names      []string          `json:"names,omitempty"`
	Groups     []string          `json:"groups,omitempty"`
	Message    string            `json:"message"`
	Resolution string            `json:"resolution,omitempty"`
	HelpURL    string            `json:"help_url,omitempty"`
	Const      string            `json:"const"`
	Factory    string            `json:"factory,omitempty"`
	Parent     string            `json:"parent,omitempty"`
	Constants  []string          `json:"constants,omitempty"`
	Prevent    []string          `json:"prevent,omitempty"`
	Traits     traits            `json:"traits"`
	When       []branch          `json:"when,omitempty"`
	Profiles   []profileTraits   `json:"profiles,omitempty"`
	Context    []fieldDoc        `json:"context,omitempty"`
	Set        map[string]string `json:"set,omitempty"`
	Detect     []string          `json:"detect,omitempty"` // its rules, as the taxonomy has them
	Examples   []string          `json:"examples,omitempty"`
	Not        []string          `json:"not_examples,omitempty"`
}

// traits are the values of a row of the table.
type traits struct {
	Retryable      bool     `json:"retryable"`
	Recoverability string   `json:"recoverability"`
	Severity       string   `json:"severity,omitempty"`
	Kind           string   `json:"kind,omitempty"`
	HTTP           int      `json:"http,omitzero"`
	GRPC           string   `json:"grpc,omitempty"`
	Reaction       reaction `json:"reaction"`
	// MostCalls is the most calls that a failure causes, in words; empty for 1.
	MostCalls string `json:"most_calls,omitempty"`
}

// reaction is a reaction in words, and the one that follows it.
type reaction struct {
	Name   string    `json:"name,omitempty"` // "" if it is declared in place
	Action string    `json:"action"`
	Does   []string  `json:"does"`
	Then   *reaction `json:"then,omitempty"`
}

type branch struct {
	If     []string `json:"if"`
	Traits traits   `json:"traits"`
}

// profileTraits are the values that a profile changes.
type profileTraits struct {
	Name   string `json:"name"`
	Branch int    `json:"when,omitzero"` // 1-based; 0 is the code itself
	Traits traits `json:"traits"`
}

type fieldDoc struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Enum     []string `json:"enum,omitempty"`
	Required bool     `json:"required,omitzero"`
	Notes    []string `json:"notes,omitempty"`
	Doc      string   `json:"doc,omitempty"`
}

func explainCodeOf(m *model.Package, c *model.Code) *codeDoc {
	var params []string
	for _, f := range c.Args {
		params = append(params, f.Param)
	}
	d := &codeDoc{
		Code: c.Value, Category: c.Category.Name, Doc: c.Doc, Since: c.Since,
		Deprecated: c.Deprecated,
		Aliases:    c.Aliases, Names: c.Names, Message: c.MessageText, Resolution: c.Resolution,
		HelpURL: strings.ReplaceAll(m.HelpURL, "{code}", c.Value),
		Const:   m.Name + "." + c.Const, Factory: m.Name + "." + c.Factory + "(" + strings.Join(params, ", ") + ")",
		Prevent: describePrevention(c.Prevent), Traits: traitsOf(m, c.Row.Traits),
	}
	if c.Key != c.Value {
		d.Key = c.Key
	}
	if c.Numbered {
		d.Number = &c.Number
	}
	if c.Abstract {
		d.Factory = ""
	}
	if c.Parent != nil {
		d.Parent = c.Parent.Value
	}
	for i, v := range c.Constants {
		if v != nil {
			d.Constants = append(d.Constants, m.Constants[i].Name+": "+v.JSON())
		}
	}
	if c.Public {
		d.Audience = "public"
	}
	if c.ReplacedBy != nil {
		d.ReplacedBy = c.ReplacedBy.Value
	}
	for _, g := range c.Groups {
		d.Groups = append(d.Groups, g.Name)
	}
	for _, b := range c.When {
		d.When = append(d.When, branch{If: conditions(b), Traits: traitsOf(m, b.Row.Traits)})
	}
	for _, p := range m.Profiles {
		for _, row := range m.Rows {
			if t := m.Under(p, row); row.Code == c && t != row.Traits {
				d.Profiles = append(d.Profiles, profileTraits{Name: p.Name, Branch: row.Branch, Traits: traitsOf(m, t)})
			}
		}
	}
	for _, f := range c.Fields() {
		field := fieldDocOf(f)
		field.Required = f.Required || c.Takes(f)
		if v, ok := c.Fixed(f); ok {
			field.Notes = append([]string{"always " + f.Literal(v)}, field.Notes...)
		}
		d.Context = append(d.Context, field)
	}
	for _, r := range c.Rules {
		d.Detect = append(d.Detect, r.Doc)
	}
	for _, x := range c.Examples {
		if x.Not {
			d.Not = append(d.Not, x.Doc)
		} else {
			d.Examples = append(d.Examples, x.Doc)
		}
	}
	for _, s := range c.Set {
		if d.Set == nil {
			d.Set = make(map[string]string)
		}
		d.Set[s.Field.Wire] = s.Field.Shown(s.Value)
	}
	return d
}

func traitsOf(m *model.Package, t taxonomy.Traits) traits {
	return traits{
		Retryable: t.Retryable, Recoverability: t.Recoverability.String(), Severity: word(t.Severity),
		Kind: word(t.Kind),
		HTTP: int(t.HTTP), GRPC: resolve.GRPCWord(t.GRPC), Reaction: reactionOf(m, t.Reaction),
		MostCalls: mostCalls(t.Reaction),
	}
}

func reactionOf(m *model.Package, r *taxonomy.Reaction) reaction {
	out := reaction{Name: declaredName(m, r), Action: r.Action.String(), Does: describe(r)}
	if r.Then != nil && r.Action != taxonomy.Abort {
		then := reactionOf(m, r.Then)
		out.Then = &then
	}
	return out
}

// declaredName returns a reaction's name in the taxonomy, or "" if it is declared in place.
func declaredName(m *model.Package, r *taxonomy.Reaction) string {
	if m.Declared[r] {
		return r.Name
	}
	return ""
}

func fieldDocOf(f *model.Field) fieldDoc {
	d := fieldDoc{Name: f.Wire, Type: f.Type.String(), Enum: f.Enum.Words(), Required: f.Required, Doc: f.Doc}
	for _, note := range []struct {
		is   bool
		text string
	}{
		{f.Sensitive, "sensitive"}, {f.Scrub, "secrets masked"},
		{f.MaxLength > 0, "at most " + count(f.MaxLength, "byte", "bytes")}, {f.MessageOnly, "in the message only"},
		{f.Public, "public"},
	} {
		if note.is {
			d.Notes = append(d.Notes, note.text)
		}
	}
	return d
}

func (d *codeDoc) text() []byte {
	p := &page{}
	fmt.Fprintf(&p.Buffer, "%s (%s)\n", d.Code, d.Category)
	p.doc(d.Doc)
	p.WriteByte('\n')
	if d.Number != nil {
		p.line("number", strconv.Itoa(*d.Number))
	}
	p.line("key", d.Key)
	p.line("message", strconv.Quote(d.Message))
	p.line("resolution", oneLine(d.Resolution))
	p.line("help", d.HelpURL)
	p.line("groups", strings.Join(d.Groups, ", "))
	p.line("aliases", strings.Join(d.Aliases, ", "))
	p.line("names", strings.Join(d.Names, ", "))
	p.line("since", d.Since)
	p.line("deprecated", oneLine(d.Deprecated))
	p.line("replaced by", d.ReplacedBy)
	p.line("audience", d.Audience)
	p.line("below", d.Parent)
	p.lines("constants", d.Constants)
	p.lines("go", slices.DeleteFunc([]string{d.Const, d.Factory}, func(s string) bool { return s == "" }))
	p.lines("prevented", d.Prevent)
	d.Traits.text(p, nil)
	for i, b := range d.When {
		p.heading("when %d: %s", i+1, strings.Join(b.If, " and "))
		b.Traits.text(p, &d.Traits)
	}
	for _, pr := range d.Profiles {
		base, branch := &d.Traits, ""
		if pr.Branch > 0 {
			base, branch = &d.When[pr.Branch-1].Traits, fmt.Sprintf(", when %d", pr.Branch)
		}
		p.heading("profile %s%s", pr.Name, branch)
		pr.Traits.text(p, base)
	}
	p.fields(d.Context)
	if len(d.Detect)+len(d.Examples)+len(d.Not) > 0 {
		p.heading("detection")
	}
	p.lines("detect", d.Detect)
	p.lines("examples", d.Examples)
	p.lines("not examples", d.Not)
	return p.Bytes()
}

func (p *page) fields(fields []fieldDoc) {
	if len(fields) > 0 {
		p.heading("context")
	}
	for _, f := range fields {
		is := []string{cmp.Or(strings.Join(f.Enum, " | "), f.Type)}
		if f.Required {
			is = append(is, "required")
		}
		text := strings.Join(append(is, f.Notes...), ", ")
		if f.Doc != "" {
			text += ". " + oneLine(f.Doc)
		}
		p.line(f.Name, text)
	}
}

// text writes the traits, or if base is not nil the traits that differ from it.
func (t *traits) text(p *page, base *traits) {
	length := p.Len()
	if base == nil {
		base = &traits{Recoverability: "-"}
	}
	if t.Retryable != base.Retryable || t.Recoverability != base.Recoverability {
		text := yesNo(t.Retryable)
		if t.Recoverability != map[bool]string{true: "retryable", false: "permanent"}[t.Retryable] {
			text += " (" + t.Recoverability + ")"
		}
		p.line("retryable", text)
	}
	line := func(label, text, before string) {
		if text != before {
			p.line(label, text)
		}
	}
	line("severity", t.Severity, base.Severity)
	line("kind", t.Kind, base.Kind)
	line("http", positive(t.HTTP), positive(base.HTTP))
	line("grpc", t.GRPC, base.GRPC)
	line("most calls", t.MostCalls, base.MostCalls)
	if !reflect.DeepEqual(t.Reaction, base.Reaction) {
		label := "reaction"
		for r := &t.Reaction; r != nil; r = r.Then {
			p.line(label, cmp.Or(r.Name, r.Action))
			p.lines("", r.Does)
			label = "then"
		}
	}
	if p.Len() == length {
		p.WriteString("  changes nothing\n")
	}
}

// categoryDoc is everything that a taxonomy declares about a category.
type categoryDoc struct {
	Category string     `json:"category"`
	Type     string     `json:"type"` // in Go
	Doc      string     `json:"doc,omitempty"`
	Codes    []codeLine `json:"codes"`
	Context  []fieldDoc `json:"context,omitempty"`
}

type codeLine struct {
	Code      string `json:"code"`
	Doc       string `json:"doc,omitempty"`
	Retryable bool   `json:"retryable"`
	Reaction  string `json:"reaction"`
}

func explainCategoryOf(m *model.Package, c *model.Category) *categoryDoc {
	d := &categoryDoc{Category: c.Name, Type: m.Name + "." + c.Type, Doc: c.Doc}
	for _, code := range c.Codes {
		t := code.Row.Traits
		d.Codes = append(d.Codes, codeLine{code.Value, code.Doc, t.Retryable,
			cmp.Or(declaredName(m, t.Reaction), t.Reaction.Action.String())})
	}
	for _, f := range c.Fields {
		d.Context = append(d.Context, fieldDocOf(f))
	}
	return d
}

func (d *categoryDoc) text() []byte {
	p := &page{}
	fmt.Fprintf(&p.Buffer, "%s (%s)\n", d.Category, d.Type)
	p.doc(d.Doc)
	p.heading("codes")
	for _, c := range d.Codes {
		p.width = max(p.width, len(c.Code))
	}
	for _, c := range d.Codes {
		retryable := "not retryable"
		if c.Retryable {
			retryable = "retryable"
		}
		p.line(c.Code, strings.TrimSuffix(retryable+", "+c.Reaction+". "+oneLine(c.Doc), ". "))
	}
	p.fields(d.Context)
	return p.Bytes()
}
