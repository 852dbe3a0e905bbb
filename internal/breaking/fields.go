package breaking

import (
	"fmt"
	"strings"

	"github.com/errgen/errgen/internal/model"
)

// owner is what two lists of fields belong to.
type owner struct {
	name string // before a field's name in messages: "provider."
	// typed reports that the Go types of enums and objects should be the same on both sides.
	typed bool
}

// fieldsKnown is what is found of the fields of a category, so that the parameters of its factories
// are not found too. A field of every category can be new to one and not to another.
type fieldsKnown struct {
	told    map[*model.Field]bool   // of either side
	renamed map[*model.Field]string // from either side to the new key
}

func (c *comparison) fieldsKnown(o *model.Category) *fieldsKnown {
	if c.knownOf[o] == nil {
		c.knownOf[o] = &fieldsKnown{told: make(map[*model.Field]bool), renamed: make(map[*model.Field]string)}
	}
	return c.knownOf[o]
}

// fields compares two lists of fields.
func (c *comparison) fields(own owner, old, new []*model.Field) {
	is := byWire(new)
	was := byWire(old)
	renamed := renames(old, new, was, is)
	for _, o := range old {
		if was[o.Wire] != o {
			continue
		}
		n := is[o.Wire]
		switch {
		case n != nil:
			c.field(own, o, n)
		case renamed[o] != nil:
			c.fieldRenamed(own, o, renamed[o])
		default:
			c.fieldRemoved(own, o)
		}
	}
	for _, n := range new {
		if n.Required && is[n.Wire] == n && was[n.Wire] == nil && !c.known.told[n] {
			c.known.told[n] = true
			c.changed(idFieldRequired, c.new.fields[n].Name.Span,
				"let it be optional: what was written before does not have it",
				"field %s is new, and required", c.label(own, n))
		}
	}
}

func byWire(fields []*model.Field) map[string]*model.Field {
	m := make(map[string]*model.Field, len(fields))
	for _, f := range fields {
		first(m, f.Wire, f)
	}
	return m
}

// renames guesses which fields got another key: of the same type, and with the same name in Go,
// filled from the same evidence, or the only ones of that type that are gone and new.
func renames(old, new []*model.Field, was, is map[string]*model.Field) map[*model.Field]*model.Field {
	var left, came []*model.Field
	for _, f := range old {
		if is[f.Wire] == nil && was[f.Wire] == f {
			left = append(left, f)
		}
	}
	for _, f := range new {
		if was[f.Wire] == nil && is[f.Wire] == f {
			came = append(came, f)
		}
	}
	out := make(map[*model.Field]*model.Field)
	taken := make(map[*model.Field]bool)
	for _, like := range []func(list []*model.Field) map[*model.Field]string{goNames, sources, singles} {
		olds, news := like(left), like(came)
		found := make(map[string]*model.Field)
		for _, n := range came {
			if news[n] != "" && !taken[n] {
				first(found, news[n], n)
			}
		}
		for _, o := range left {
			if n := found[olds[o]]; n != nil && out[o] == nil && !taken[n] {
				out[o], taken[n] = n, true
			}
		}
	}
	return out
}

// goNames, sources and singles say what a field is known by, together with its type; "" is by
// nothing.

func goNames(list []*model.Field) map[*model.Field]string {
	out := make(map[*model.Field]string, len(list))
	for _, f := range list {
		out[f] = f.Type.String() + " " + f.Go
	}
	return out
}

func sources(list []*model.Field) map[*model.Field]string {
	out := make(map[*model.Field]string, len(list))
	for _, f := range list {
		if len(f.From) > 0 {
			out[f] = f.Type.String() + " " + strings.Join(f.From, " ")
		}
	}
	return out
}

func singles(list []*model.Field) map[*model.Field]string {
	count := make(map[model.Type]int)
	for _, f := range list {
		count[f.Type]++
	}
	out := make(map[*model.Field]string, len(list))
	for _, f := range list {
		if count[f.Type] == 1 {
			out[f] = f.Type.String()
		}
	}
	return out
}

// label is what messages call a field: with its owner, unless every category has it.
func (c *comparison) label(own owner, f *model.Field) string {
	if c.old.global[f] || c.new.global[f] {
		return f.Wire
	}
	return own.name + f.Wire
}

func (c *comparison) fieldRemoved(own owner, o *model.Field) {
	c.known.told[o] = true
	c.gone(idFieldRemoved, c.old.fields[o].Name.Span,
		"keep it, optional: there is no reserving of fields, and another one of that name would be read as this one",
		"field %s is gone", c.label(own, o))
	if o.MessageOnly {
		c.narrow(Wire)
	}
}

func (c *comparison) fieldRenamed(own owner, o, n *model.Field) {
	c.known.renamed[o] = n.Wire
	c.known.told[n] = true
	c.known.renamed[n] = n.Wire
	c.changed(
		idFieldRenamed, c.new.fields[n].Name.Span, fmt.Sprintf(
			"keep the key %s, and give it \"name: %s\"", o.Wire, n.Go),
		"field %s seems to be %s now: what is stored under the old key is lost", c.label(own, o), n.Wire)
	if o.MessageOnly {
		c.narrow(Wire)
	}
	c.field(own, o, n)
}

// field compares two fields that are the same one.
func (c *comparison) field(own owner, o, n *model.Field) {
	if o.Type != n.Type {
		c.fieldType(own, o, n)
		return
	}
	decl, name := c.new.fields[n], c.label(own, n)
	place := decl.Name.Span
	if o.Go != n.Go && o.Wire == n.Wire {
		c.changed(idGoName, at(decl.GoName.Span, place), fmt.Sprintf("\"name: %s\" keeps it", o.Go),
			"field %s was %s in Go, and is %s", name, o.Go, n.Go)
	}
	c.required(name, o, n)
	c.masking(name, o, n)
	c.filling(name, o, n)
	switch o.Type {
	case model.EnumType:
		c.enum(own, name, o, n)
	case model.ObjectType:
		c.object(own, name, o, n)
	}
}

func (c *comparison) fieldType(own owner, o, n *model.Field) {
	c.known.told[o], c.known.told[n] = true, true
	decl := c.new.fields[n]
	c.changed(idFieldType, at(decl.Type.Span, decl.EnumSpan, decl.Name.Span),
		"add a field of another name, and keep this one as it is",
		"field %s was of type %s, and is %s", c.label(own, n), o.Type, n.Type)
	if integers[o.Type] && integers[n.Type] {
		c.narrow(Wire)
	}
}

// integers are types whose values look the same on the wire.
var integers = map[model.Type]bool{model.Int: true, model.Int64: true}

func (c *comparison) required(name string, o, n *model.Field) {
	if o.Required == n.Required {
		return
	}
	c.known.told[o], c.known.told[n] = true, true
	place := at(c.new.fields[n].Required.Span, c.new.fields[n].Name.Span)
	if n.Required {
		c.changed(idFieldRequired, place, "name it in \"args\" of the codes that cannot do without it",
			"field %s is required now: what was written without it reads as empty", name)
		return
	}
	c.changed(idFieldRequired, place, "keep it required: readers generated before take what is absent for empty",
		"field %s is not required any more", name)
}

// masking finds values that are shown where they were not, or the other way round.
func (c *comparison) masking(name string, o, n *model.Field) {
	decl := c.new.fields[n]
	place := at(decl.Sensitive.Span, decl.Scrub.Span, decl.MessageOnly.Span, decl.Name.Span)
	const keep = "what was kept from view once is expected to stay so"
	switch {
	case o.Sensitive && !n.Sensitive:
		c.changed(idFieldMasking, place, keep, "field %s is not sensitive any more: it is written in clear", name)
	case !o.Sensitive && n.Sensitive:
		c.changed(idFieldMasking, place, "add a sensitive field of another name, and stop filling this one",
			"field %s is sensitive now: readers get no value", name)
	case o.Scrub && !n.Scrub && !n.Sensitive:
		c.changed(idFieldMasking, place, keep, "field %s is not scrubbed any more: secrets in it are written in clear",
			name)
		c.narrow(Source)
	}
	switch {
	case o.MessageOnly && !n.MessageOnly:
		c.changed(idFieldMasking, place, keep, "field %s was in messages only, and is on the wire now", name)
		c.narrow(Source)
	case !o.MessageOnly && n.MessageOnly:
		c.changed(idFieldRemoved, place, "keep it on the wire",
			"field %s is in messages only, and not on the wire any more", name)
		c.narrow(Source)
	}
}

// filling compares what changes no reader's code: where a value comes from, and how much of it is
// shown.
func (c *comparison) filling(name string, o, n *model.Field) {
	var parts []string
	say := func(what, was, is string) {
		if was != is {
			parts = append(parts, fmt.Sprintf("%s was %s", what, orNone(was)))
		}
	}
	say("from", strings.Join(o.From, ", "), strings.Join(n.From, ", "))
	say("default", defaultText(o), defaultText(n))
	say("max_length", numberText(o.MaxLength), numberText(n.MaxLength))
	say("keep", keepText(o), keepText(n))
	if len(parts) > 0 {
		c.changed(idField, c.new.fields[n].Name.Span, "", "field %s: %s", name, strings.Join(parts, ", "))
	}
}

func defaultText(f *model.Field) string {
	if f.Default == nil {
		return ""
	}
	return valueText(*f.Default)
}

func keepText(f *model.Field) string {
	if f.KeepTail {
		return "tail"
	}
	return "head"
}

func (c *comparison) enum(own owner, name string, o, n *model.Field) {
	place := at(c.new.fields[n].EnumSpan, c.new.fields[n].Name.Span)
	was, is := o.Enum.Words(), n.Enum.Words()
	if gone := missing(was, is); len(gone) > 0 {
		c.changed(idWordRemoved, place, "keep the word: what is stored with it would not be read any more",
			"field %s does not know %s any more", name, list(gone))
	}
	if added := missing(is, was); len(added) > 0 {
		c.changed(idWordAdded, place, "update all readers first, then those who send it",
			"field %s: programs generated before do not know %s", name, list(added))
	}
	if own.typed && o.Go == n.Go && o.Enum.Type != n.Enum.Type {
		c.changed(idGoName, c.new.fields[n].Name.Span, "", "the Go type of field %s was %s, and is %s", name,
			o.Enum.Type, n.Enum.Type)
	}
}

func (c *comparison) object(own owner, name string, o, n *model.Field) {
	if own.typed && o.Go == n.Go && o.Object.Type != n.Object.Type {
		c.changed(idGoName, c.new.fields[n].Name.Span, "", "the Go type of field %s was %s, and is %s", name,
			o.Object.Type, n.Object.Type)
	}
	c.fields(owner{name: name + ".", typed: own.typed}, o.Object.Fields, n.Object.Fields)
}
