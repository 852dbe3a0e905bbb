package breaking

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
)

// pair is a category, and one that has codes of it now.
type pair struct{ old, new *model.Category }

// fieldChanges are the fields of a category that have a change of their own.
type fieldChanges struct {
	found   map[*model.Field]bool   // on either side
	renamed map[*model.Field]string // on either side: the new name
}

// categories compares the categories: their names and their fields.
func (c *comparison) categories() {
	c.findHeirs()
	alive := make(map[*model.Category]bool) // old categories with a successor for their Go names
	moved, merged := make(map[pair][]*model.Code), make(map[pair][]*model.Code)
	var pairs []pair
	add := func(p pair) {
		if !slices.Contains(pairs, p) {
			pairs = append(pairs, p)
		}
	}
	for _, o := range c.old.model.Categories {
		if n := c.heirs[o]; n != nil {
			add(pair{o, n})
			alive[o] = true
		}
		for _, code := range o.Codes {
			n := c.to[code]
			if n == nil {
				continue
			}
			way := pair{o, n.Category}
			add(way)
			if c.from[n] == code {
				moved[way] = append(moved[way], n)
				alive[o] = true
			} else if o.Name != n.Category.Name {
				merged[way] = append(merged[way], code)
			}
		}
	}
	for _, way := range pairs {
		c.category(way, moved[way], merged[way])
	}
	for _, o := range c.old.model.Categories {
		if !alive[o] {
			c.categoryRemoved(o)
		}
	}
}

// findHeirs finds the category that continues each old one: the one with its name, otherwise a new
// one that has all codes of it.
func (c *comparison) findHeirs() {
	c.heirs = make(map[*model.Category]*model.Category)
	taken := make(map[*model.Category]bool)
	for _, o := range c.old.model.Categories {
		if n := c.new.model.CategoryByName(o.Name); n != nil && !taken[n] {
			c.heirs[o], taken[n] = n, true
		}
	}
	for _, o := range c.old.model.Categories {
		var to []*model.Category
		for _, code := range o.Codes {
			if n := c.continued(code); n != nil && !slices.Contains(to, n.Category) {
				to = append(to, n.Category)
			}
		}
		if len(to) == 1 && c.heirs[o] == nil && !taken[to[0]] && c.new.model.CategoryByName(o.Name) == nil &&
			c.old.model.CategoryByName(to[0].Name) == nil {
			c.heirs[o], taken[to[0]] = to[0], true
		}
	}
}

func (c *comparison) category(way pair, moved, merged []*model.Code) {
	o, n := way.old, way.new
	isHeir, decl := c.heirs[o] == n, c.new.categories[n]
	switch {
	case o.Name == n.Name:
		if was, is := goNames(o), goNames(n); was != is {
			level := levels[idGoName]
			if o.Type != n.Type {
				level |= Wire // the wire has the type as `name`
			}
			c.add(idGoName, level, place{at(decl.Type.Span, decl.Name.Span), false},
				fmt.Sprintf("\"type: %s\" keeps the names in Go", o.Type), differ("category "+n.Name, was, is))
		}
	case isHeir && len(moved) == len(o.Codes):
		c.changed(idCategory, decl.Name.Span, "keep the name, which is on the wire; \"type:\" changes the names in Go",
			"category %s (%s) is now %s (%s)", o.Name, o.Type, n.Name, n.Type)
	case len(moved) > 0:
		var values []string
		for _, code := range moved {
			values = append(values, code.Value)
		}
		c.changed(idCategory, c.new.codeAt(moved[0]), "add a new code to the other category, and deprecate this one",
			"%s moved from category %s (%s) to %s (%s)", list(values), o.Name, o.Type, n.Name, n.Type)
	}
	for _, code := range merged {
		c.add(idCategory, Wire, place{c.new.codeAt(c.to[code]), false},
			"make it an alias of a code of its own category, or reserve it",
			fmt.Sprintf("%s of category %s now decodes to %s of category %s", code.Value, o.Name, c.to[code].Value,
				n.Name))
	}
	if isHeir {
		known := &fieldChanges{make(map[*model.Field]bool), make(map[*model.Field]string)}
		c.fields[way] = known
		f := fieldComparison{c, known, n.Name, o.Name == n.Name && o.Type == n.Type}
		f.compare("", o.Fields, n.Fields)
	}
}

func goNames(c *model.Category) string {
	return strings.Join([]string{c.Type, c.CodeType, c.Const, c.Predicate}, ", ")
}

// categoryRemoved reports the Go names of a category without a successor.
func (c *comparison) categoryRemoved(o *model.Category) {
	var now []string
	for _, n := range c.new.model.Categories {
		now = append(now, n.Type, n.CodeType, n.Const, n.Predicate)
	}
	if names := missing([]string{o.Type, o.CodeType, o.Const, o.Predicate}, now); len(names) > 0 {
		c.gone(idGoRemoved, c.old.categories[o].Name.Span,
			"keep one deprecated code of it for as long as callers name its type",
			"category %s is removed, and with it %s", o.Name, list(names))
	}
}

// fieldComparison compares the fields of a category.
type fieldComparison struct {
	*comparison
	known    *fieldChanges
	category string
	typed    bool // the Go types of enums and objects should be the same
}

// compare compares two lists of fields. The prefix is the object that they belong to.
func (c *fieldComparison) compare(prefix string, old, new []*model.Field) {
	renamed := renames(old, new)
	for i, o := range old {
		n := fieldNamed(new, o.Wire)
		switch {
		case fieldNamed(old[:i], o.Wire) != nil:
		case n != nil:
			c.field(prefix, o, n)
		case renamed[o] != nil:
			n := renamed[o]
			c.known.found[n], c.known.renamed[o], c.known.renamed[n] = true, n.Wire, n.Wire
			c.fieldChange(idFieldRenamed, wireLevel(o, idFieldRenamed), c.newPlace(n, ""),
				fmt.Sprintf("keep the key %s, and add \"name: %s\"", o.Wire, n.Go),
				"%s seems to be renamed to %s: values under the old key are lost", c.label(prefix, o), n.Wire)
			c.field(prefix, o, n)
		default:
			c.known.found[o] = true
			c.fieldChange(idFieldRemoved, wireLevel(o, idFieldRemoved), place{c.old.fields[o].Name.Span, true},
				"keep it as optional: fields cannot be reserved, and another field with the name would be read as "+
					"this one",
				"%s is removed", c.label(prefix, o))
		}
	}
	for i, n := range new {
		if n.Required && fieldNamed(new[:i], n.Wire) == nil && fieldNamed(old, n.Wire) == nil && !c.known.found[n] {
			c.known.found[n] = true
			c.fieldChange(idFieldRequired, 0, c.newPlace(n, ""), "make it optional: values from before do not have it",
				"%s is new, and required", c.label(prefix, n))
		}
	}
}

func (c *fieldComparison) fieldChange(id string, level Level, at place, hint, format string, args ...any) {
	c.add(id, level, at, hint, "field "+fmt.Sprintf(format, args...))
}

// wireLevel returns the level of a change of a field, which is not one of the wire for a field in
// messages only.
func wireLevel(f *model.Field, id string) Level {
	if f.MessageOnly {
		return levels[id] &^ Wire
	}
	return levels[id]
}

// newPlace returns the position of a key of a field.
func (c *fieldComparison) newPlace(n *model.Field, key string) place {
	decl := c.new.fields[n]
	if key == "" {
		return place{decl.Name.Span, false}
	}
	return place{at(spanOf(decl, key), decl.Name.Span), false}
}

// label returns a field as messages name it: with its category, unless every category has it.
func (c *fieldComparison) label(prefix string, f *model.Field) string {
	if c.old.global[f] || c.new.global[f] {
		return f.Wire
	}
	return c.category + "." + prefix + f.Wire
}

func fieldNamed(fields []*model.Field, wire string) *model.Field {
	i := slices.IndexFunc(fields, func(f *model.Field) bool { return f.Wire == wire })
	if i < 0 {
		return nil
	}
	return fields[i]
}

// renames guesses which fields were renamed: a removed and a new one of the same type, with the
// same name in Go, filled from the same evidence, or the only ones of their type.
func renames(old, new []*model.Field) map[*model.Field]*model.Field {
	only := func(in, other []*model.Field) (out []*model.Field) {
		for _, f := range in {
			if fieldNamed(other, f.Wire) == nil {
				out = append(out, f)
			}
		}
		return out
	}
	removed, added := only(old, new), only(new, old)
	single := func(f *model.Field, in []*model.Field) bool {
		return !slices.ContainsFunc(in, func(g *model.Field) bool { return g != f && g.Type == f.Type })
	}
	out := make(map[*model.Field]*model.Field)
	taken := make(map[*model.Field]bool)
	for _, alike := range []func(o, n *model.Field) bool{
		func(o, n *model.Field) bool { return o.Go == n.Go },
		func(o, n *model.Field) bool { return len(o.From) > 0 && slices.Equal(o.From, n.From) },
		func(o, n *model.Field) bool { return single(o, removed) && single(n, added) },
	} {
		for _, o := range removed {
			for _, n := range added {
				if out[o] == nil && !taken[n] && o.Type == n.Type && alike(o, n) {
					out[o], taken[n] = n, true
				}
			}
		}
	}
	return out
}

// field compares two fields that are the same one.
func (c *fieldComparison) field(prefix string, o, n *model.Field) {
	label := c.label(prefix, n)
	if o.Type != n.Type {
		c.known.found[o], c.known.found[n] = true, true
		level := levels[idFieldType]
		if text := o.Type.String() + n.Type.String(); text == "intint64" || text == "int64int" {
			level = Source // they look the same on the wire
		}
		decl := c.new.fields[n]
		c.fieldChange(idFieldType, level, place{at(decl.Type.Span, decl.EnumSpan, decl.Name.Span), false},
			"add a field with another name, and keep this one", "%s was of type %s, is %s", label, o.Type, n.Type)
		return
	}
	value := func(key, was, is string, at place) {
		c.value(p("categories", c.category, "fields", n.Wire, key), "field "+label, was, is, at)
	}
	if o.Wire == n.Wire {
		value("go_name", o.Go, n.Go, c.newPlace(n, "go_name"))
	}
	if o.Required != n.Required {
		c.known.found[o], c.known.found[n] = true, true
		hint := "keep it required: older readers take an absent value for empty"
		if n.Required {
			hint = "list it in \"args\" of the codes that need it"
		}
		c.fieldChange(idFieldRequired, 0, c.newPlace(n, "required"), hint, "%s", label+": "+
			differ("required", fmt.Sprint(o.Required), fmt.Sprint(n.Required)))
	}
	c.masking(label, o, n, value)
	value("from", strings.Join(o.From, ", "), strings.Join(n.From, ", "), c.newPlace(n, ""))
	value("default", defaultText(o), defaultText(n), c.newPlace(n, ""))
	value("max_length", number(o.MaxLength), number(n.MaxLength), c.newPlace(n, ""))
	value("keep_tail", fmt.Sprint(o.KeepTail), fmt.Sprint(n.KeepTail), c.newPlace(n, ""))
	sameGo := c.typed && o.Go == n.Go
	if o.Type == model.EnumType {
		at := place{cmp.Or(c.new.fields[n].EnumSpan, c.new.fields[n].Name.Span), false}
		was, is := o.Enum.Words(), n.Enum.Words()
		if removed := missing(was, is); len(removed) > 0 {
			c.fieldChange(idWordRemoved, 0, at, "keep the word: stored values with it could no longer be read",
				"%s no longer has the word %s", label, list(removed))
		}
		if added := missing(is, was); len(added) > 0 {
			c.fieldChange(idWordAdded, 0, at, "update all readers first, then the senders",
				"%s has the new word %s, which older programs do not know", label, list(added))
		}
		if sameGo {
			value("go_type", o.Enum.Type, n.Enum.Type, c.newPlace(n, ""))
		}
	}
	if o.Type == model.ObjectType {
		if sameGo {
			value("go_type", o.Object.Type, n.Object.Type, c.newPlace(n, ""))
		}
		c.compare(strings.TrimPrefix(label, c.category+".")+".", o.Object.Fields, n.Object.Fields)
	}
}

func defaultText(f *model.Field) string {
	if f.Default == nil {
		return ""
	}
	return valueText(*f.Default)
}

// masking finds values that are shown and were hidden, or the other way round.
func (c *fieldComparison) masking(label string, o, n *model.Field, value func(key, was, is string, at place)) {
	decl := c.new.fields[n]
	at := place{at(decl.Sensitive.Span, decl.Scrub.Span, decl.MessageOnly.Span, decl.Name.Span), false}
	value("sensitive", fmt.Sprint(o.Sensitive), fmt.Sprint(n.Sensitive), at)
	if o.Scrub && !n.Sensitive && !o.Sensitive {
		value("scrub", "true", fmt.Sprint(n.Scrub), at)
	}
	switch {
	case o.MessageOnly && !n.MessageOnly:
		value("message_only", "true", "false", at)
	case !o.MessageOnly && n.MessageOnly:
		c.fieldChange(idFieldRemoved, Wire, at, "keep it on the wire",
			"%s is in messages only, and no longer on the wire", label)
	}
}
