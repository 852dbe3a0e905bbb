package breaking

import (
	"fmt"

	"github.com/errgen/errgen/internal/model"
)

// pair is a category and what became of codes of it.
type pair struct {
	old, new *model.Category
	codes    []string // values of the codes that went this way
	first    *model.Code
}

// pairs returns the ways that codes went, in the order of the old taxonomy, and those of categories whose codes are all
// gone but which are still there.
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
	byName := make(map[string]*model.Category)
	for _, n := range c.new.model.Categories {
		first(byName, n.Name, n)
	}
	seen := make(map[string]bool)
	for _, o := range c.old.model.Categories {
		if n := byName[o.Name]; n != nil && !seen[o.Name] {
			seen[o.Name] = true
			way(o, n)
		}
		for _, code := range o.Codes {
			if n := c.to[code]; n != nil {
				p := way(o, n.Category)
				p.codes = append(p.codes, n.Value)
				if p.first == nil {
					p.first = n
				}
			}
		}
	}
	return out
}

// categories compares what codes have in common: the category's names, and the fields.
func (c *comparison) categories() {
	known := c.knownCategories()
	for _, p := range c.pairs() {
		same := p.old.Name == p.new.Name
		switch {
		case same:
			c.categoryGoNames(p)
		case len(p.codes) == len(p.old.Codes) && !known[p.new.Name]:
			c.changed(idCategory, c.new.categories[p.new].Name.Span, "the name is on the wire: keep it; \"type:\" changes the names in Go",
				"category %s is now %s, and %s is now %s", p.old.Name, p.new.Name, p.old.Type, p.new.Type)
		default:
			c.changed(idCategory, c.new.codeAt(p.first), "give the other category a code of its own, and let this one be deprecated",
				"%s moved from category %s to %s, and from %s to %s", list(p.codes), p.old.Name, p.new.Name, p.old.Type, p.new.Type)
		}
		c.fields(owner{name: p.new.Name + ".", typed: same && p.old.Type == p.new.Type}, p.old.Fields, p.new.Fields)
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
	c.changed(idGoName, at(decl.Type.Span, decl.Name.Span), fmt.Sprintf("\"type: %s\" keeps the names in Go", o.Type), "%s", message)
	if o.Type != n.Type { // the wire has it as `name`
		c.out[len(c.out)-1].Levels |= Wire
	}
}
