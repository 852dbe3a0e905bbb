package breaking

import (
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
)

// comparison is one run of Compare. Its maps lead from codes, categories and fields of the old
// taxonomy to the ones of the new taxonomy that continue them.
type comparison struct {
	old, new *Taxonomy

	to         map[*model.Code]*model.Code // absent if the code is gone
	from       map[*model.Code]*model.Code // from new to old; not if the old one was merged into it
	categories map[*model.Category]*model.Category
	names      map[*model.Field]string  // of old fields in the new taxonomy, if they were renamed
	moved      map[*model.Category]bool // old categories that continue, at least by a code

	was, is *values
	out     []Change
}

func newComparison(old, new *Taxonomy) *comparison {
	c := &comparison{
		old: old, new: new, to: make(map[*model.Code]*model.Code), from: make(map[*model.Code]*model.Code),
		categories: make(map[*model.Category]*model.Category), names: make(map[*model.Field]string),
		moved: make(map[*model.Category]bool),
	}
	c.matchCodes()
	c.matchCategories()
	for _, o := range old.model.Categories {
		if n := c.categories[o]; n != nil {
			c.matchFields(n.Name+".", o.Fields, n.Fields)
		}
	}
	for _, o := range old.model.Codes {
		if n := c.to[o]; n != nil {
			c.matchFields(n.Key+".", o.OwnFields(), n.OwnFields())
		}
	}
	return c
}

// add adds a change.
func (c *comparison) add(id string, level Level, at place, hint, message string) {
	c.out = append(c.out, Change{
		Finding: diag.Finding{ID: id, Severity: severity(id), Span: at.Span, Hint: hint, Message: message},
		Levels:  level, Gone: at.gone,
	})
}

// changed adds a change at a position in the new taxonomy.
func (c *comparison) changed(id string, at diag.Span, hint, format string, args ...any) {
	c.add(id, Levels(id), place{at, false}, hint, fmt.Sprintf(format, args...))
}

// gone adds a change at a position in the old taxonomy.
func (c *comparison) gone(id string, at diag.Span, hint, format string, args ...any) {
	c.add(id, Levels(id), place{at, true}, hint, fmt.Sprintf(format, args...))
}

// place is the position of a change.
type place struct {
	diag.Span
	gone bool // in the old taxonomy
}

// matchCodes finds the new code of each old one: the code with its value, otherwise the one with
// that alias, otherwise the one with that key, unless its value meant something else before.
func (c *comparison) matchCodes() {
	for _, find := range []func(o *model.Code) *model.Code{
		func(o *model.Code) *model.Code { return c.new.byValue[o.Value] },
		func(o *model.Code) *model.Code { return c.new.byAlias[o.Value] },
		func(o *model.Code) *model.Code {
			n := c.new.byKey[o.Key]
			if n == nil || c.old.decodes(n.Value) != nil || c.new.reservedCodes[o.Value] {
				return nil
			}
			return n
		},
	} {
		for _, o := range c.old.model.Codes {
			if c.to[o] != nil || c.old.byValue[o.Value] != o {
				continue
			}
			if n := find(o); n != nil {
				c.to[o] = n
				first(c.from, n, o)
			}
		}
	}
}

// continued returns the new code that continues an old one, or nil. A code that was merged into
// another is not continued.
func (c *comparison) continued(o *model.Code) *model.Code {
	if n := c.to[o]; n != nil && c.from[n] == o {
		return n
	}
	return nil
}

// matchCategories finds the category that continues each old one: the one with its name, otherwise
// a new one that has all codes of it. It reports codes in another category.
func (c *comparison) matchCategories() {
	taken := make(map[*model.Category]bool)
	for _, o := range c.old.model.Categories {
		if n := c.new.model.CategoryByName(o.Name); n != nil && !taken[n] {
			c.categories[o], taken[n], c.moved[o] = n, true, true
		}
	}
	for _, o := range c.old.model.Categories {
		var targets []*model.Category
		moved := make(map[*model.Category][]*model.Code)
		for _, code := range o.Codes {
			n := c.continued(code)
			switch {
			case n != nil:
				if moved[n.Category] == nil {
					targets = append(targets, n.Category)
				}
				moved[n.Category] = append(moved[n.Category], n)
				c.moved[o] = true
			case c.to[code] != nil && c.to[code].Category.Name != o.Name:
				n := c.to[code]
				c.add(idCategory, Wire, place{c.new.codeAt(n), false},
					"make it an alias of a code of its own category, or reserve it",
					fmt.Sprintf("%s of category %s now decodes to %s of category %s", code.Value, o.Name, n.Value,
						n.Category.Name))
			}
		}
		for _, n := range targets {
			if c.categories[o] == nil && len(targets) == 1 && !taken[n] && c.old.model.CategoryByName(n.Name) == nil {
				c.categories[o], taken[n] = n, true
			}
			switch {
			case o.Name == n.Name:
			case c.categories[o] == n && len(moved[n]) == len(o.Codes):
				c.changed(idCategory, c.new.categories[n].Name.Span,
					"keep the name, which is on the wire; \"type:\" changes the names in Go",
					"category %s (%s) is now %s (%s)", o.Name, o.Type, n.Name, n.Type)
			default:
				var codes []string
				for _, code := range moved[n] {
					codes = append(codes, code.Value)
				}
				c.changed(idCategory, c.new.codeAt(moved[n][0]),
					"add a new code to the other category, and deprecate this one",
					"%s moved from category %s (%s) to %s (%s)", list(codes), o.Name, o.Type, n.Name, n.Type)
			}
		}
	}
}

// matchFields guesses which fields were renamed, and reports them: a removed and a new one of the
// same type, with the same name in Go, filled from the same evidence, or the only ones of their
// type. The prefix is the category or object of the fields.
func (c *comparison) matchFields(prefix string, old, new []*model.Field) {
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
	taken := make(map[*model.Field]bool)
	for _, alike := range []func(o, n *model.Field) bool{
		func(o, n *model.Field) bool { return o.Go == n.Go },
		func(o, n *model.Field) bool { return len(o.From) > 0 && slices.Equal(o.From, n.From) },
		func(o, n *model.Field) bool { return single(o, removed) && single(n, added) },
	} {
		for _, o := range removed {
			for _, n := range added {
				if c.names[o] == "" && !taken[n] && o.Type == n.Type && alike(o, n) {
					c.names[o], taken[n] = n.Wire, true
					c.add(idFieldRenamed, wireLevel(o, others[idFieldRenamed]), place{c.new.fields[n].Name.Span, false},
						fmt.Sprintf("keep the key %s, and add \"name: %s\"", o.Wire, n.Go),
						fmt.Sprintf("field %s seems to be renamed to %s: values under the old key are lost",
							c.label(prefix, o), n.Wire))
				}
			}
		}
	}
	for _, o := range old {
		if n := fieldNamed(new, c.name(o)); n != nil && o.Object != nil && n.Object != nil {
			c.matchFields(c.label(prefix, n)+".", o.Object.Fields, n.Object.Fields)
		}
	}
}

// name returns the wire name of a field in the new taxonomy.
func (c *comparison) name(f *model.Field) string {
	if renamed := c.names[f]; renamed != "" {
		return renamed
	}
	return f.Wire
}

// label returns a field as messages name it: with its category, unless every category has it.
func (c *comparison) label(prefix string, f *model.Field) string {
	if c.old.global[f] || c.new.global[f] {
		return f.Wire
	}
	return prefix + f.Wire
}

// wireLevel returns the level of a change of a field, which is not one of the wire for a field in
// messages only.
func wireLevel(f *model.Field, level Level) Level {
	if f.MessageOnly {
		return level &^ Wire
	}
	return level
}

func fieldNamed(fields []*model.Field, wire string) *model.Field {
	i := slices.IndexFunc(fields, func(f *model.Field) bool { return f.Wire == wire })
	if i < 0 {
		return nil
	}
	return fields[i]
}

// list joins words for a sentence, and counts the rest of a long list.
func list(words []string) string {
	const most = 3
	if len(words) > most+1 {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), len(words)-most)
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
