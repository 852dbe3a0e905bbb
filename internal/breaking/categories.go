package breaking

import (
	"fmt"

	"github.com/errgen/errgen/internal/model"
)

// pair is a category and where codes of it are now.
type pair struct {
	old, new *model.Category
	// heir reports that the new category is the old one: by its name, or because that is gone and
	// this took all its codes.
	heir   bool
	moved  []*model.Code // of the new category, those that codes of the old one are now
	merged []*model.Code // of the old category, those that are aliases now
}

// pairs returns the ways that codes went, in the order of the old taxonomy. A category has one
// heir, and is that of one: what is different about the fields of others says nothing of the codes
// that were there all the time.
func (c *comparison) pairs() []*pair {
	var out []*pair
	known := make(map[[2]*model.Category]*pair)
	way := func(o, n *model.Category) *pair {
		k := [2]*model.Category{o, n}
		if known[k] == nil {
			known[k] = &pair{old: o, new: n}
			out = append(out, known[k])
		}
		return known[k]
	}
	c.heirs = c.findHeirs()
	for _, o := range c.old.model.Categories {
		if n := c.heirs[o]; n != nil {
			way(o, n).heir = true
		}
		for _, code := range o.Codes {
			n := c.to[code]
			if n == nil {
				continue
			}
			if p := way(o, n.Category); c.from[n] == code {
				p.moved = append(p.moved, n)
			} else {
				p.merged = append(p.merged, code)
			}
		}
	}
	return out
}

// findHeirs leads from categories of the old taxonomy to what they are now.
func (c *comparison) findHeirs() map[*model.Category]*model.Category {
	byName := make(map[string]*model.Category)
	for _, n := range c.new.model.Categories {
		first(byName, n.Name, n)
	}
	out := make(map[*model.Category]*model.Category)
	taken := make(map[*model.Category]bool)
	for _, o := range c.old.model.Categories {
		if n := byName[o.Name]; n != nil && !taken[n] {
			out[o], taken[n] = n, true
		}
	}
	known := c.knownCategories()
	for _, o := range c.old.model.Categories {
		if n := c.onlyWay(o); byName[o.Name] == nil && n != nil && !known[n.Name] && !taken[n] {
			out[o], taken[n] = n, true
		}
	}
	return out
}

// onlyWay returns the category that all codes of one went to, but for those that are gone; nil if
// there are more or none.
func (c *comparison) onlyWay(o *model.Category) *model.Category {
	var to *model.Category
	for _, code := range o.Codes {
		n := c.carriedOn(code)
		switch {
		case n == nil:
		case to == nil:
			to = n.Category
		case to != n.Category:
			return nil
		}
	}
	return to
}

// categories compares what codes have in common: the category's names, and the fields.
func (c *comparison) categories() {
	left := make(map[*model.Category]bool) // those that a finding leads on from, to other types
	for _, p := range c.pairs() {
		left[p.old] = left[p.old] || p.heir || len(p.moved) > 0
		switch {
		case p.old.Name == p.new.Name:
			c.categoryGoNames(p)
		case p.heir && len(p.moved) == len(p.old.Codes):
			c.changed(idCategory, c.new.categories[p.new].Name.Span,
				"the name is on the wire: keep it; \"type:\" changes the names in Go",
				"category %s is now %s%s", p.old.Name, p.new.Name, typeIs(", and %s is now %s", p))
		case len(p.moved) > 0:
			c.changed(
				idCategory, c.new.codeAt(p.moved[0]),
				"give the other category a code of its own, and let this one be deprecated",
				"%s moved from category %s to %s%s", list(values(p.moved)), p.old.Name, p.new.Name,
				typeIs(", and from %s to %s", p))
		}
		if p.old.Name != p.new.Name {
			c.mergedElsewhere(p)
		}
		if p.heir {
			same := p.old.Name == p.new.Name && p.old.Type == p.new.Type
			c.known = c.fieldsKnown(p.old)
			c.fields(owner{name: p.new.Name + ".", typed: same}, p.old.Fields, p.new.Fields)
		}
	}
	for _, o := range c.old.model.Categories {
		if !left[o] {
			c.categoryGone(o)
		}
	}
}

// typeIs says that the type in Go is another one, if it is.
func typeIs(format string, p *pair) string {
	if p.old.Type == p.new.Type {
		return ""
	}
	return fmt.Sprintf(format, p.old.Type, p.new.Type)
}

func values(codes []*model.Code) []string {
	out := make([]string, len(codes))
	for i, code := range codes {
		out[i] = code.Value
	}
	return out
}

// mergedElsewhere tells of values that decode to codes of another category. Go callers hear of it
// where the code is gone.
func (c *comparison) mergedElsewhere(p *pair) {
	for _, o := range p.merged {
		n := c.to[o]
		c.changed(idCategory, c.new.codeAt(n), "make it an alias of a code of its own category, or reserve it",
			"%s of category %s decodes to %s of category %s now", o.Value, p.old.Name, n.Value, p.new.Name)
		c.narrow(Source)
	}
}

// categoryGone tells of a category whose codes are all gone, of which nothing else would speak: its
// names in Go were never deprecated, whatever its codes were.
func (c *comparison) categoryGone(o *model.Category) {
	have := make(map[string]bool)
	for _, n := range c.new.model.Categories {
		have[n.Type], have[n.CodeType], have[n.Const], have[n.Predicate] = true, true, true, true
	}
	var names []string
	for _, name := range []string{o.Type, o.CodeType, o.Const, o.Predicate} {
		if !have[name] {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		c.gone(idGoRemoved, c.old.categories[o].Name.Span,
			"keep one code of it, deprecated, for as long as callers name its type",
			"category %s is gone, and with it %s", o.Name, list(names))
	}
}

// knownCategories are the names of categories that the old taxonomy has.
func (c *comparison) knownCategories() map[string]bool {
	known := make(map[string]bool)
	for _, o := range c.old.model.Categories {
		known[o.Name] = true
	}
	return known
}

func (c *comparison) categoryGoNames(p *pair) {
	o, n := p.old, p.new
	if o.Type == n.Type && o.CodeType == n.CodeType && o.Const == n.Const && o.Predicate == n.Predicate {
		return
	}
	decl := c.new.categories[n]
	message := fmt.Sprintf("%s, %s, %s and %s are now %s, %s, %s and %s",
		o.Type, o.CodeType, o.Const, o.Predicate, n.Type, n.CodeType, n.Const, n.Predicate)
	c.changed(idGoName, at(decl.Type.Span, decl.Name.Span), fmt.Sprintf("\"type: %s\" keeps the names in Go", o.Type),
		"%s", message)
	if o.Type != n.Type { // the wire has it as `name`
		c.out[len(c.out)-1].Levels |= Wire
	}
}
