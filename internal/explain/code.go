// Package explain describes codes, categories and reactions in words, for the commands errgen
// explain and errgen list, and for the catalogue.
package explain

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Code is everything that a taxonomy declares about a code.
type Code struct {
	Code       string `json:"code"`          // on the wire
	Key        string `json:"key,omitempty"` // in the taxonomy, if it differs
	Category   string `json:"category"`
	Number     *int   `json:"number,omitzero"`
	Doc        string `json:"doc,omitempty"`
	Since      string `json:"since,omitempty"`
	Fault      string `json:"fault,omitempty"` // "" is the server's
	Deprecated string `json:"deprecated,omitempty"`
	ReplacedBy string `json:"replaced_by,omitempty"`
	Audience   string `json:"audience,omitempty"` // if the taxonomy has public codes
	// ClientsSee is the code and the status that clients see in place of an internal code. It is
	// empty if neither the taxonomy has public codes nor the code a status.
	ClientsSee string            `json:"clients_see,omitempty"`
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
	Traits     Traits            `json:"traits"`
	When       []Branch          `json:"when,omitempty"`
	Profiles   []ProfileTraits   `json:"profiles,omitempty"`
	Context    []Field           `json:"context,omitempty"`
	Set        map[string]string `json:"set,omitempty"`
	Detect     []string          `json:"detect,omitempty"` // its rules, as the taxonomy has them
	Examples   []string          `json:"examples,omitempty"`
	Not        []string          `json:"not_examples,omitempty"`
}

// Traits are the values of a row of the table.
type Traits struct {
	Retryable      bool     `json:"retryable"`
	Recoverability string   `json:"recoverability"`
	Severity       string   `json:"severity,omitempty"`
	Effect         string   `json:"effect,omitempty"`
	HTTP           int      `json:"http,omitzero" label:"HTTP"`
	GRPC           string   `json:"grpc,omitempty" label:"gRPC"`
	Exit           int      `json:"exit,omitzero" label:"Exit status"`
	Reaction       Reaction `json:"reaction"`
	// MostCalls is the greatest number of calls that a failure causes, in words. It is empty for 1.
	MostCalls string `json:"most_calls,omitempty"`
}

// Reaction is a reaction in words, and the one that follows it.
type Reaction struct {
	Name   string    `json:"name,omitempty"` // "" if it is declared in place
	Action string    `json:"action"`
	Does   []string  `json:"does"`
	Then   *Reaction `json:"then,omitempty"`
}

// Branch is a `when` branch in words.
type Branch struct {
	If     []string `json:"if"`
	Traits Traits   `json:"traits"`
}

// ProfileTraits are the values that a profile changes.
type ProfileTraits struct {
	Name   string `json:"name"`
	Branch int    `json:"when,omitzero"` // 1-based; 0 is the code itself
	Traits Traits `json:"traits"`
}

// Field describes a field of the context.
type Field struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Enum     []string `json:"enum,omitempty"`
	Required bool     `json:"required,omitzero"`
	Notes    []string `json:"notes,omitempty"`
	Doc      string   `json:"doc,omitempty"`
	Fields   []Field  `json:"fields,omitempty"` // of an object, or of each in a list
}

// Usual returns the traits that a profile changes: those of the code or of its branch.
func (c *Code) Usual(p ProfileTraits) Traits {
	if p.Branch > 0 {
		return c.When[p.Branch-1].Traits
	}
	return c.Traits
}

// CodeOf returns the description of a code.
func CodeOf(m *model.Package, c *model.Code) *Code {
	var params []string
	for _, f := range c.Args {
		params = append(params, f.Param)
	}
	d := &Code{
		Code: c.Value, Category: c.Category.Name, Doc: c.Doc, Since: c.Since, Message: c.Code.Message,
		Resolution: c.Resolution, Traits: TraitsOf(m, nil, c.Row.Traits), Const: m.Name + "." + c.Const,
	}
	if c.Fault != taxonomy.FaultServer {
		d.Fault = c.Fault.String()
	}
	extras := c.Extras()
	d.Deprecated = extras.Deprecated
	d.Aliases = extras.Aliases
	d.Names = extras.Names
	d.Prevent = Prevention(extras.Prevent)
	d.HelpURL = m.HelpPage(c)
	if c.Name != c.Value {
		d.Key = c.Name
	}
	if c.Numbered {
		d.Number = &c.Number
	}
	if !c.Abstract {
		d.Factory = m.Name + "." + c.Factory + "(" + strings.Join(params, ", ") + ")"
	}
	if c.Above != nil {
		d.Parent = c.Above.Value
	}
	for i, v := range c.Constants {
		if v != nil {
			d.Constants = append(d.Constants, m.Constants[i].Name+": "+v.JSON())
		}
	}
	if c.Public {
		d.Audience = "public"
	} else if slices.ContainsFunc(m.Codes, func(c *model.Code) bool { return c.Public }) {
		d.Audience = "internal"
	}
	if !c.Public && !c.Abstract && (d.Audience != "" || d.Traits.HTTP > 0 || d.Traits.GRPC != "") {
		d.ClientsSee = publicFallback(m)
	}
	if c.ReplacedBy != nil {
		d.ReplacedBy = c.ReplacedBy.Value
	}
	for _, g := range c.InGroups {
		d.Groups = append(d.Groups, g.Name)
	}
	for _, b := range c.Branches {
		d.When = append(d.When, Branch{If: Conditions(b), Traits: TraitsOf(m, nil, b.Row.Traits)})
	}
	for _, p := range m.Profiles {
		for _, row := range m.Rows {
			if row.Code == c && changes(m, p, row) {
				traits := TraitsOf(m, p.Profile, m.Under(p, row))
				d.Profiles = append(d.Profiles, ProfileTraits{Name: p.Name, Branch: row.Branch, Traits: traits})
			}
		}
	}
	for _, f := range c.Fields() {
		field := FieldOf(f)
		field.Required = f.Required || c.HasParam(f)
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
	for _, s := range c.Sets {
		if d.Set == nil {
			d.Set = make(map[string]string)
		}
		d.Set[s.Field.Wire] = s.Field.Shown(s.Value)
	}
	return d
}

// publicFallback returns the code and the status that clients see in place of an internal code.
func publicFallback(m *model.Package) string {
	code, public := "no code", taxonomy.Traits{}
	for _, c := range m.Codes {
		if c.Value == m.Taxonomy.PublicFallback {
			code, public = c.Value, c.Row.Traits
		}
	}
	return fmt.Sprintf("%s, http %d, grpc %s", code, cmp.Or(public.HTTP, http.StatusInternalServerError),
		cmp.Or(resolve.GRPCWord(public.GRPC), "UNKNOWN"))
}

// TraitsOf returns traits under a profile, or without one if p is nil, in words.
func TraitsOf(m *model.Package, p *taxonomy.Profile, t taxonomy.Traits) Traits {
	return Traits{
		Retryable: t.Retryable, Recoverability: t.Recoverability.String(), Severity: Word(t.Severity),
		Effect: effectWord(t.Effect),
		HTTP:   int(t.HTTP), GRPC: resolve.GRPCWord(t.GRPC), Exit: int(t.Exit), Reaction: ReactionOf(m, p, t.Reaction),
		MostCalls: MostCalls(p, t.Reaction),
	}
}

// ReactionOf returns a reaction in words, and those that follow it under a profile, or without one if
// p is nil.
func ReactionOf(m *model.Package, p *taxonomy.Profile, r *taxonomy.Reaction) Reaction {
	effective := *r
	if usesDefaults(p, r) {
		effective.Policy = p.Retry.Policy
	}
	out := Reaction{Name: DeclaredName(m, r), Action: r.Action.String(), Does: Does(&effective)}
	if next := p.Next(r); next != nil && r.Action != taxonomy.Abort {
		then := ReactionOf(m, p, next)
		out.Then = &then
	}
	return out
}

// usesDefaults reports whether the policy of a profile's section `retry` applies to a reaction.
func usesDefaults(p *taxonomy.Profile, r *taxonomy.Reaction) bool {
	return p != nil && p.Retry.Policy != nil && r.Policy == nil && (r.Retries() || r.Action == taxonomy.Recover)
}

// changes reports whether a profile changes the traits of a row, or what follows its reaction.
func changes(m *model.Package, p *model.Profile, row *model.Row) bool {
	traits := m.Under(p, row)
	was, is := chain(nil, row.Reaction), chain(p.Profile, traits.Reaction)
	return traits != row.Traits || !slices.Equal(was, is) || slices.ContainsFunc(is, func(r *taxonomy.Reaction) bool {
		return usesDefaults(p.Profile, r) || r.Action == taxonomy.Recover && p.Recovery.MaxAttempts > 0
	})
}

// chain returns a reaction and those that follow it under a profile.
func chain(p *taxonomy.Profile, r *taxonomy.Reaction) (out []*taxonomy.Reaction) {
	for _, r := range p.Chain(r) {
		out = append(out, r)
	}
	return out
}

// DeclaredName returns a reaction's name in the taxonomy, or "" if it is declared in place.
func DeclaredName(m *model.Package, r *taxonomy.Reaction) string {
	if m.Declared[r] {
		return r.Name
	}
	return ""
}

// FieldOf returns the description of a field.
func FieldOf(f *model.Field) Field {
	d := Field{Name: f.Wire, Type: f.Type.String(), Enum: f.Enum.Words(), Required: f.Required, Doc: f.Doc}
	if f.Object != nil {
		for _, part := range f.Object.Fields {
			d.Fields = append(d.Fields, FieldOf(part))
		}
	}
	for _, note := range []struct {
		is   bool
		text string
	}{
		{f.Sensitive, "sensitive"}, {f.Scrub, "secrets masked"},
		{f.MaxLength > 0, "at most " + Count(f.MaxLength, "byte", "bytes")}, {f.MessageOnly, "in the message only"},
		{f.Public, "public"},
	} {
		if note.is {
			d.Notes = append(d.Notes, note.text)
		}
	}
	return d
}

// Category is everything that a taxonomy declares about a category.
type Category struct {
	Category string     `json:"category"`
	Type     string     `json:"type"` // in Go
	Doc      string     `json:"doc,omitempty"`
	Codes    []CodeLine `json:"codes"`
	Context  []Field    `json:"context,omitempty"`
}

// CodeLine is a code of a category.
type CodeLine struct {
	Code      string `json:"code"`
	Doc       string `json:"doc,omitempty"`
	Retryable bool   `json:"retryable"`
	Reaction  string `json:"reaction"`
}

// CategoryOf returns the description of a category.
func CategoryOf(m *model.Package, c *model.Category) *Category {
	d := &Category{Category: c.Name, Type: m.Name + "." + c.Type, Doc: c.Doc}
	for _, code := range c.Codes {
		t := code.Row.Traits
		d.Codes = append(d.Codes, CodeLine{code.Value, code.Doc, t.Retryable,
			cmp.Or(DeclaredName(m, t.Reaction), t.Reaction.Action.String())})
	}
	for _, f := range c.Fields {
		d.Context = append(d.Context, FieldOf(f))
	}
	return d
}

// EffectSentence describes a declared effect for clients; the word can be "".
func EffectSentence(word string) string {
	return map[string]string{
		"none":    "Nothing happened.",
		"unknown": "It is not known whether the call did its work.",
		"done":    "The call did its work: do not repeat it.",
	}[word]
}

// effectWord returns the word of a declared effect, or "".
func effectWord(e taxonomy.Effect) string {
	if e == taxonomy.EffectUnspecified {
		return ""
	}
	return e.String()
}

// Word returns the word of the language for a value, or "" for the word "none".
func Word(v fmt.Stringer) string {
	if s := v.String(); s != "none" {
		return s
	}
	return ""
}

// Operation is everything that a taxonomy declares about an operation.
type Operation struct {
	Operation  string           `json:"operation"`
	Doc        string           `json:"doc,omitempty"`
	HTTP       string           `json:"http,omitempty"`
	RPC        string           `json:"rpc,omitempty"`
	Idempotent string           `json:"idempotent"` // yes, no or unspecified
	Exhaustive bool             `json:"exhaustive"`
	Const      string           `json:"const"`
	Errors     []OperationError `json:"errors"`
}

// OperationError is a code in which an operation can end.
type OperationError struct {
	Code      string `json:"code"`
	HTTP      int    `json:"http,omitzero"`
	GRPC      string `json:"grpc,omitempty"`
	Retryable bool   `json:"retryable"`
	Effect    string `json:"effect,omitempty"`
	Doc       string `json:"doc,omitempty"`
}

// OperationOf returns the description of an operation.
func OperationOf(m *model.Package, o *model.Operation) *Operation {
	v := o.Value
	d := &Operation{Operation: v.Name, Doc: v.Doc, HTTP: v.HTTP, RPC: v.RPC, Idempotent: v.Idempotent.String(),
		Exhaustive: v.Exhaustive, Const: m.Name + "." + o.Var}
	for _, c := range o.Codes {
		d.Errors = append(d.Errors, OperationError{Code: c.Value, HTTP: int(c.Row.HTTP),
			GRPC:      resolve.GRPCWord(c.Row.GRPC),
			Retryable: c.Row.Retryable, Effect: effectWord(c.Row.Effect), Doc: c.Doc})
	}
	return d
}

// Promises returns what an operation promises its clients, in phrases.
func Promises(o *taxonomy.Operation) []string {
	var s sentences
	s.add(o.HTTP != "", "HTTP: %s", o.HTTP)
	s.add(o.RPC != "", "RPC: %s", o.RPC)
	s.add(o.Idempotent == taxonomy.Yes, "a repeated call has the effect of one")
	s.add(o.Idempotent == taxonomy.No, "a repeated call can have its effect twice")
	s.add(o.Exhaustive, "no further code will be added to its errors")
	return s
}
