package cli

import (
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// explanation is all that a taxonomy says of a code.
type explanation struct {
	Code       string            `json:"code"`            // on the wire
	Key        string            `json:"key,omitempty"`   // in the taxonomy, where that is another
	Category   string            `json:"category"`        //
	Number     int               `json:"number,omitzero"` //
	Doc        string            `json:"doc,omitempty"`
	Since      string            `json:"since,omitempty"`
	Deprecated string            `json:"deprecated,omitempty"`
	ReplacedBy string            `json:"replaced_by,omitempty"`
	Aliases    []string          `json:"aliases,omitempty"`
	Groups     []string          `json:"groups,omitempty"`
	Message    string            `json:"message"`
	Resolution string            `json:"resolution,omitempty"`
	HelpURL    string            `json:"help_url,omitempty"`
	Const      string            `json:"const"`
	Factory    string            `json:"factory"`
	Prevent    []string          `json:"prevent,omitempty"`
	Traits     traits            `json:"traits"`
	When       []branch          `json:"when,omitempty"`
	Profiles   []profileTraits   `json:"profiles,omitempty"`
	Context    []fieldDoc        `json:"context,omitempty"`
	Set        map[string]string `json:"set,omitempty"`
}

// traits are what a row of the table says.
type traits struct {
	Retryable      bool     `json:"retryable"`
	Recoverability string   `json:"recoverability"`
	Severity       string   `json:"severity,omitempty"`
	Kind           string   `json:"kind,omitempty"`
	HTTP           int      `json:"http,omitzero"`
	GRPC           string   `json:"grpc,omitempty"`
	Reaction       reaction `json:"reaction"`
}

// reaction is a reaction in words, with what follows it.
type reaction struct {
	Name   string    `json:"name,omitempty"` // "" when it stands in place
	Action string    `json:"action"`
	Does   []string  `json:"does"`
	Then   *reaction `json:"then,omitempty"`
}

type branch struct {
	If     []string `json:"if"`
	Traits traits   `json:"traits"`
}

// profileTraits is what a profile changes.
type profileTraits struct {
	Name   string `json:"name"`
	Branch int    `json:"when,omitzero"` // 1-based; 0 is the code without any
	Traits traits `json:"traits"`
}

type fieldDoc struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Enum     []string `json:"enum,omitempty"`
	Required bool     `json:"required,omitzero"` // for this code
	Notes    []string `json:"notes,omitempty"`
	Doc      string   `json:"doc,omitempty"`
}

func explainCodeOf(m *model.Package, c *model.Code) *explanation {
	x := &explanation{
		Code: c.Value, Category: c.Category.Name, Number: c.Number, Doc: c.Doc, Since: c.Since,
		Deprecated: c.Deprecated,
		Aliases:    c.Aliases, Message: c.MessageText, Resolution: c.Resolution,
		HelpURL: strings.ReplaceAll(m.HelpURL, "{code}", c.Value),
		Const:   m.Name + "." + c.Const, Factory: m.Name + "." + c.Factory + parameters(c),
		Prevent: prevented(c.Prevent), Traits: traitsOf(c.Row.Traits),
	}
	if c.Key != c.Value {
		x.Key = c.Key
	}
	if c.ReplacedBy != nil {
		x.ReplacedBy = c.ReplacedBy.Value
	}
	for _, g := range c.Groups {
		x.Groups = append(x.Groups, g.Name)
	}
	for _, b := range c.When {
		conditions := make([]string, len(b.Conds))
		for i, cond := range b.Conds {
			conditions[i] = condition(cond)
		}
		x.When = append(x.When, branch{If: conditions, Traits: traitsOf(b.Row.Traits)})
	}
	for _, p := range m.Profiles {
		for _, row := range m.Rows {
			if t := p.Traits(row); row.Code == c && t != row.Traits {
				x.Profiles = append(x.Profiles, profileTraits{Name: p.Name, Branch: row.Branch, Traits: traitsOf(t)})
			}
		}
	}
	for _, f := range c.Category.Fields {
		x.Context = append(x.Context, describeField(c, f))
	}
	for _, s := range c.Set {
		if x.Set == nil {
			x.Set = make(map[string]string)
		}
		x.Set[s.Field.Wire] = s.Field.Shown(s.Value)
	}
	return x
}

func parameters(c *model.Code) string {
	names := make([]string, len(c.Args))
	for i, f := range c.Args {
		names[i] = f.Param
	}
	return "(" + strings.Join(names, ", ") + ")"
}

func traitsOf(t model.Traits) traits {
	return traits{
		Retryable: t.Retryable, Recoverability: word(recoverabilityWords, t.Recoverability),
		Severity: word(severityWords, t.Severity), Kind: word(kindWords, t.Kind),
		HTTP: t.HTTP, GRPC: resolve.GRPCWord(t.GRPC), Reaction: reactionOf(t.Reaction),
	}
}

func reactionOf(r *model.Reaction) reaction {
	out := reaction{Name: declaredName(r), Action: word(actionWords, r.Action), Does: describe(r)}
	if r.Then != nil && r.Action != taxonomy.Abort {
		then := reactionOf(r.Then)
		out.Then = &then
	}
	return out
}

// declaredName returns a reaction's name in the taxonomy; one that stands in place has none.
func declaredName(r *model.Reaction) string {
	if r.Declared {
		return r.Name
	}
	return ""
}

func describeField(c *model.Code, f *model.Field) fieldDoc {
	d := fieldDoc{Name: f.Wire, Type: f.Type.String(), Enum: f.Enum.Words(), Required: f.Required ||
		c.Takes(f), Doc: f.Doc}
	note := func(is bool, text string) {
		if is {
			d.Notes = append(d.Notes, text)
		}
	}
	if v, ok := c.Fixed(f); ok {
		note(true, "always "+literal(f, v))
	}
	note(f.Sensitive, "sensitive")
	note(f.Scrub, "secrets masked")
	if f.MaxLength > 0 {
		note(true, "at most "+count(f.MaxLength, "byte", "bytes"))
	}
	note(f.MessageOnly, "in the message only")
	return d
}
