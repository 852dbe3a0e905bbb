package breaking

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

const (
	keepDeclared = "keep it declared"
	keepNames    = "keep the names in Go with %q"
	hintMasking  = "keep the mask: values that were hidden are expected to stay hidden"
	hintStatus   = "clients see it: give the different case a code"
	hintOpened   = "clients see it from now on, and making it internal again breaks them"
)

// audiencePublic is the audience of codes and fields that clients see; that of others is internal.
const (
	audiencePublic   = "public"
	audienceInternal = "internal"
)

// fact is a value of a declaration in both taxonomies. An empty text is an absent value.
type fact struct {
	id, key  string
	old, new string
	at       diag.Span
	hint     string
	level    Level  // 0 is all levels of the id
	text     string // "KEY was OLD, is NEW" by default
}

// report adds a change for each fact whose values differ.
func (c *comparison) report(s Subject, label string, facts ...fact) {
	for _, f := range facts {
		if f.old == f.new {
			continue
		}
		if f.text == "" {
			f.text = differ(f.key, f.old, f.new)
		}
		c.add(Change{Levels: f.level, Subject: s, Key: f.key, Old: unquoted(f.old), New: unquoted(f.new), label: label,
			Finding: diag.Finding{ID: f.id, Span: at(f.at, c.new.tree.Package.Span), Hint: f.hint,
				Message: strings.TrimPrefix(label+": "+f.text, ": ")}})
	}
}

// part adds a change for a part of a declaration that is new or removed.
func (c *comparison) part(s Subject, label string, added bool, what string, f fact) {
	f.text = strings.TrimSpace(what + " removed")
	if what != "" {
		f.text = what + " is removed"
	}
	if added {
		f.text, f.old, f.new = what+" is new", "", f.old
	}
	c.report(s, label, f)
}

// header compares the settings of the taxonomies.
func (c *comparison) header() {
	o, n, tree := c.old.model, c.new.model, c.new.tree
	fallback := func(t *Taxonomy) string {
		if t.model.Fallback == nil {
			return ""
		}
		return strings.TrimSpace(c.key(t.model.Fallback) + " " + assigned(t.model.FallbackSet))
	}
	for _, f := range []fact{
		{id: "E-break-domain", key: "domain", old: o.Domain, new: n.Domain, at: tree.Domain.Span,
			hint: "keep it: readers do not know errors of another domain"},
		{id: "E-break-package", key: "package", old: o.Name, new: n.Name, at: tree.Package.Span,
			hint: "keep it: every caller imports it"},
		{id: "W-changed-help-url", key: "help_url", old: o.HelpURL, new: n.HelpURL, at: tree.HelpURL.Span,
			hint: "redirect the old addresses to the new ones"},
		{id: "W-changed-stack", key: "stack", old: o.Taxonomy.Stack.String(), new: n.Taxonomy.Stack.String(),
			at: tree.Stack.Span},
		{id: "W-changed-fallback", key: "fallback", old: fallback(c.old), new: fallback(c.new),
			at: fallbackSpan(tree)},
	} {
		c.report(Subject{Name: f.key}, "", f)
	}
	c.publicFallback()
	for _, s := range tree.Sources {
		name := s.Name.V
		f := fact{id: "W-changed-fallback", key: "fallback", at: at(s.Fallback.Span, s.Name.Span)}
		if code := o.SourceFallbacks[name]; code != nil {
			f.old = c.key(code)
		}
		if code := n.SourceFallbacks[name]; code != nil {
			f.new = c.key(code)
		}
		c.report(Subject{Name: "source " + name}, "source "+name, f)
	}
	span := diag.Span{}
	if tree.Uncategorized != nil {
		span = tree.Uncategorized.Span
	}
	c.reaction(Subject{Name: "uncategorized"}, "uncategorized", "W-changed-reaction", "uncategorized", span,
		o.Taxonomy.Uncategorized, n.Taxonomy.Uncategorized, true)
	classifies := func(m *model.Package) bool { return len(m.Rules) > 0 || m.Fallback != nil }
	if classifies(o) && !classifies(n) {
		c.part(Subject{Name: "function Classify"}, "classification", false, "Classify, ClassifyEvidence and Explain",
			fact{id: idGoRemoved, old: "Classify", hint: keepDeclared})
	}
}

func fallbackSpan(t *spec.Taxonomy) diag.Span {
	if t.Fallback == nil {
		return diag.Span{}
	}
	return at(t.Fallback.Code.Span, t.Fallback.Span)
}

// publicFallback compares the codes that clients see in place of internal ones.
func (c *comparison) publicFallback() {
	f := fact{id: "E-break-audience", key: "public", hint: "clients know the former code"}
	if p := c.old.tree.Public; p != nil {
		f.old = p.Code.V
	}
	if p := c.new.tree.Public; p != nil {
		f.new, f.at = p.Code.V, p.Code.Span
	}
	switch {
	case f.old == "":
		f.id, f.hint = idAudience, "clients see this code in place of internal errors"
	case f.new == "":
		f.hint = "keep it: without it, clients get internal errors without a code"
	}
	c.report(Subject{Name: "public"}, "", f)
}

// key returns the key of a code in the new taxonomy.
func (c *comparison) key(code *model.Code) string {
	if n := c.to[code]; n != nil && c.from[n] == code {
		return n.Key
	}
	return code.Key
}

// goNames compares the declarations that become names in Go.
func (c *comparison) goNames() {
	was, is := reflect.ValueOf(*c.old.tree), reflect.ValueOf(*c.new.tree)
	for _, list := range []string{"Groups", "Strategies", "Checks", "Tiers", "Profiles", "Sources", "Ops", "Policies",
		"Reactions"} {
		old, new := declared(was.FieldByName(list)), declared(is.FieldByName(list))
		kind := snake(strings.TrimSuffix(strings.Replace(list, "ies", "y", 1), "s"))
		has := func(names []spec.Text, name string) bool {
			return slices.ContainsFunc(names, func(n spec.Text) bool { return n.V == name })
		}
		for _, name := range new {
			if has(old, name.V) {
				continue
			}
			s := Subject{Name: kind + " " + name.V}
			c.added = append(c.added, Note{Kind: "added", Subject: s, Text: s.Name})
			if (list == "Strategies" || list == "Checks") && len(old) > 0 {
				c.part(s, name.V, true, "the method of "+list, fact{id: "E-break-interface", old: name.V, at: name.Span,
					hint: "every implementation needs the method: mention it in the release notes"})
			}
		}
		for _, name := range old {
			if !has(new, name.V) {
				c.part(Subject{Name: kind + " " + name.V}, snake(list), false, name.V+" and its name in Go",
					fact{id: idGoRemoved, old: name.V, hint: keepDeclared})
			}
		}
	}
	for _, d := range c.new.tree.Policies {
		if o, n := c.old.model.PolicyByName(d.Name.V), c.new.model.PolicyByName(d.Name.V); o != nil && n != nil {
			name := "policy " + d.Name.V
			c.composite(Subject{Name: name}, name, fact{id: "W-changed-policy", at: d.Name.Span}, leaves(o, "Name"),
				leaves(n, "Name"))
		}
	}
	for _, d := range c.new.tree.Reactions {
		if o, n := c.old.model.ReactionByName(d.Name.V), c.new.model.ReactionByName(d.Name.V); o != nil && n != nil {
			name := "reaction " + d.Name.V
			old, new := c.parts(o, n, true)
			c.composite(Subject{Name: name}, name, fact{id: "W-changed-reaction", at: d.Name.Span}, old, new)
		}
	}
}

// declared returns the names of a list of declarations.
func declared(list reflect.Value) (out []spec.Text) {
	for i := range list.Len() {
		out = append(out, list.Index(i).FieldByName("Name").Interface().(spec.Text))
	}
	return out
}

// categoryNames compares the categories and their fields.
func (c *comparison) categoryNames() {
	names := func(k *model.Category) string {
		return strings.Join([]string{k.Type, k.CodeType, k.Const, k.Predicate}, ", ")
	}
	from := make(map[*model.Category]*model.Category)
	for o, n := range c.categories {
		from[n] = o
	}
	for _, o := range c.old.model.Categories {
		if c.categories[o] == nil && !c.moved[o] {
			c.part(Subject{Category: o.Name}, "category "+o.Name, false, names(o),
				fact{id: idGoRemoved, old: o.Name, hint: keepDeclared})
		}
	}
	for _, n := range c.new.model.Categories {
		o, decl := from[n], c.new.categories[n]
		if o == nil {
			c.added = append(c.added, Note{Kind: "added", Subject: Subject{Category: n.Name},
				Text: "category " + n.Name})
			continue
		}
		if o.Name == n.Name {
			f := fact{id: idGoName, key: "go_names", old: names(o), new: names(n), level: Source,
				at: at(decl.Type.Span, decl.Name.Span), hint: fmt.Sprintf(keepNames, "type:")}
			if o.Type != n.Type {
				f.key, f.level = "go_type", Source|Wire
			}
			c.report(Subject{Category: n.Name}, "category "+n.Name, f)
		}
		c.fields(n.Name+".", decl.Name.Span, o.Type != n.Type, o.Fields, n.Fields)
	}
}

// fields compares the fields of a category, a code or an object, which begins at owner. If retyped
// is true, the name of its Go type changed, and with it the names of the types of its fields.
func (c *comparison) fields(prefix string, owner diag.Span, retyped bool, old, new []*model.Field) {
	seen := make(map[string]bool)
	for _, n := range new {
		label := "field " + c.label(prefix, n)
		i := slices.IndexFunc(old, func(o *model.Field) bool { return c.name(o) == n.Wire })
		switch s := c.fieldSubject(c.label(prefix, n)); {
		case seen[n.Wire]:
		case i >= 0:
			c.field(s, label, retyped, old[i], n)
		default:
			c.added = append(c.added, Note{Kind: "added", Subject: s, Text: label + inBrackets(c.audience(n.Public))})
			c.required(s, label, nil, n)
		}
		seen[n.Wire] = true
	}
	for _, o := range old {
		if name := c.name(o); !seen[name] {
			label := c.label(prefix, o)
			c.differs[o] = label
			f := fact{id: idFieldRemoved, old: name, at: owner, hint: "keep it as optional: fields cannot be " +
				"reserved, and a field with the name would be read as this one"}
			if o.MessageOnly {
				f.level = Source
			}
			c.part(c.fieldSubject(label), "field "+label, false, "", f)
		}
	}
}

// required compares whether a field is required. An absent old field was not.
func (c *comparison) required(s Subject, label string, o, n *model.Field) {
	was := o != nil && o.Required
	if was == n.Required {
		return
	}
	c.differs[n] = strings.TrimPrefix(label, "field ")
	hint := "keep it required: older readers take an absent value for empty"
	if n.Required {
		hint = "list it in \"args\" of the codes that need it; values from before do not have it"
	}
	if o != nil {
		c.differs[o] = c.differs[n]
	}
	decl := c.new.fields[n]
	c.report(s, label, fact{id: "E-break-field-required", key: "required", old: strconv.FormatBool(was),
		new: strconv.FormatBool(n.Required), at: at(decl.Required.Span, decl.Name.Span), hint: hint})
}

// field compares two fields.
func (c *comparison) field(s Subject, label string, retyped bool, o, n *model.Field) {
	decl := c.new.fields[n]
	place := decl.Name.Span
	if o.Type != n.Type {
		c.differs[o], c.differs[n] = strings.TrimPrefix(label, "field "), strings.TrimPrefix(label, "field ")
		c.retyped[o], c.retyped[n] = true, true
		level := Wire | Source
		if strings.TrimSuffix(o.Type.String(), "64") == strings.TrimSuffix(n.Type.String(), "64") {
			level = Source
		}
		c.report(s, label, fact{id: "E-break-field-type", key: "type", old: o.Type.String(), new: n.Type.String(),
			at: at(decl.Type.Span, decl.EnumSpan, place), level: level,
			hint: "add a field with another name, and keep this one"})
		return
	}
	c.required(s, label, o, n)
	sensitive := fact{id: "E-break-field-masking", key: "sensitive", old: strconv.FormatBool(o.Sensitive),
		new: strconv.FormatBool(n.Sensitive), at: at(decl.Sensitive.Span, place), hint: hintMasking}
	if c.report(s, label, sensitive); o.Scrub && !n.Scrub && o.Sensitive == n.Sensitive && !n.Sensitive {
		c.part(s, label, false, "mask", fact{id: "E-break-field-masking", key: "masked", old: "masked", at: place,
			level: Wire, hint: hintMasking})
	}
	if o.MessageOnly != n.MessageOnly {
		f := fact{id: idFieldRemoved, key: "on_wire", old: "on_wire", at: at(decl.MessageOnly.Span, place), level: Wire,
			hint: "keep it on the wire"}
		if o.MessageOnly {
			f.id, f.hint = "E-break-field-masking", hintMasking
		} else {
			f.at = place
		}
		c.part(s, label, o.MessageOnly, "value on the wire", f)
	}
	c.reportAudience(s, label, o.Public, n.Public, decl.Audience.Span, place)
	for _, word := range missing(n.Enum.Words(), o.Enum.Words()) {
		c.part(s, label, true, "word "+word, fact{id: "E-break-word-added", key: "words", old: word,
			at:   at(decl.EnumSpan, place),
			hint: "older programs do not know it: update all readers first, then the senders"})
	}
	for _, word := range missing(o.Enum.Words(), n.Enum.Words()) {
		c.part(s, label, false, "word "+word, fact{id: "E-break-word-removed", key: "words", old: word,
			at: at(decl.EnumSpan, place), hint: "keep the word: stored values with it could no longer be read"})
	}
	goName := fact{id: idGoName, key: "go_name", old: o.Go, new: n.Go, at: at(decl.GoName.Span, place), level: Source}
	switch {
	case o.Wire != n.Wire: // a renamed field
		goName.new = goName.old
	case o.Go == n.Go && !retyped:
		goName.key, goName.old, goName.new, goName.at = "go_type", goType(o), goType(n), place
	}
	behaviour := func(key, old, new string) fact {
		return fact{id: "W-changed-field", key: key, old: old, new: new, at: place}
	}
	c.report(s, label, goName, behaviour("from", strings.Join(o.From, ", "), strings.Join(n.From, ", ")),
		behaviour("default", defaultText(o), defaultText(n)),
		behaviour("keep_tail", strconv.FormatBool(o.KeepTail), strconv.FormatBool(n.KeepTail)))
	if o.MaxLength > 0 && n.MaxLength > 0 {
		c.report(s, label, behaviour("max_length", strconv.Itoa(o.MaxLength), strconv.Itoa(n.MaxLength)))
	}
	if o.Object != nil && n.Object != nil && n.Object.Type != "" {
		c.fields(strings.TrimPrefix(label, "field ")+".", place, retyped || o.Go != n.Go, o.Object.Fields,
			n.Object.Fields)
	}
}

// reportAudience compares the audience of a field or a code.
func (c *comparison) reportAudience(s Subject, label string, was, is bool, spans ...diag.Span) {
	word := map[bool]string{true: audiencePublic, false: audienceInternal}
	f := fact{id: idAudience, key: "audience", old: word[was], new: word[is], at: at(spans...), hint: hintOpened}
	if was {
		f.id, f.hint = "E-break-audience", "keep it public: clients read it"
	}
	c.report(s, label, f)
}

// goType returns the Go type of a field's values, if the taxonomy names it.
func goType(f *model.Field) string {
	switch {
	case f.Enum != nil:
		return f.Enum.Type
	case f.Object != nil:
		return f.Object.Type
	}
	return ""
}

func defaultText(f *model.Field) string {
	if f.Default == nil {
		return ""
	}
	return f.Default.JSON()
}
