package check

import (
	"slices"
	"strings"
	"sync"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

// scope is what a taxonomy declares, by name. Where a name is declared twice the first one counts.
type scope struct {
	t          *spec.Taxonomy
	m          *model.Package
	categories []*category
	codes      []*code // order of the file
	codeNamed  map[string]*code
	base       *view
	views      []*view // base, then the profiles

	trialOnce sync.Once
	trial     *trial // for tried

	sources, ops, groups, strategies, checks, tiers, policies, reactions, codeKeys, categoryNames nameSet
}

// nameSet is names that are valid somewhere, in the order of the file.
type nameSet struct {
	list   []string
	sorted []string
	set    map[string]bool
}

func (n nameSet) has(name string) bool { return n.set[name] }

// beginning returns the names that begin with a prefix.
func (n nameSet) beginning(prefix string) []string {
	from, _ := slices.BinarySearch(n.sorted, prefix)
	to := from
	for to < len(n.sorted) && strings.HasPrefix(n.sorted[to], prefix) {
		to++
	}
	return n.sorted[from:to]
}

// begins reports whether a name begins with a prefix.
func (n nameSet) begins(prefix string) bool {
	i, _ := slices.BinarySearch(n.sorted, prefix)
	return i < len(n.sorted) && strings.HasPrefix(n.sorted[i], prefix)
}

func newNameSet(names ...string) nameSet {
	n := nameSet{list: names, sorted: slices.Sorted(slices.Values(names)), set: make(map[string]bool, len(names))}
	for _, name := range names {
		n.set[name] = true
	}
	return n
}

// namesOf collects the names of declarations, with more before them.
func namesOf[T any](declared []T, name func(*T) string, more ...string) nameSet {
	list := slices.Clone(more)
	for i := range declared {
		list = append(list, name(&declared[i]))
	}
	return newNameSet(list...)
}

// category is a category as written and as resolved.
type category struct {
	*spec.Category
	model  *model.Category
	fields []field // those of every category first; a name declared twice stands here twice
	byName map[string]field
}

// field is a field as written and as resolved.
type field struct {
	*spec.Field
	model *model.Field
}

// code is a code as written and as resolved, and where it stands.
type code struct {
	*spec.Code
	model    *model.Code
	category *category
}

// view is the reactions and policies as the table has them, or as a profile does.
type view struct {
	profile   *spec.Profile // nil for the table
	groups    []string      // as declared
	reactions map[string]*spec.Reaction
	policies  map[string]*spec.Policy
	rows      []row
}

// predeclared are the reactions that every taxonomy has.
var predeclared = []string{"abort", "block", "continue"}

func newScope(t *spec.Taxonomy, m *model.Package) *scope {
	s := &scope{t: t, m: m, codeNamed: make(map[string]*code)}
	for i := range t.Categories {
		s.addCategory(i)
	}
	s.addNames()
	s.addViews()
	return s
}

func (s *scope) addNames() {
	named := func(n *spec.Named) string { return n.Name.V }
	s.sources = namesOf(s.t.Sources, named)
	s.ops = namesOf(s.t.Ops, named, runtimeOps...)
	s.groups = namesOf(s.t.Groups, named)
	s.strategies = namesOf(s.t.Strategies, named)
	s.checks = namesOf(s.t.Checks, named)
	s.tiers = namesOf(s.t.Tiers, func(t *spec.Tier) string { return t.Name.V })
	s.policies = namesOf(s.t.Policies, func(p *spec.Policy) string { return p.Name.V })
	s.reactions = namesOf(s.t.Reactions, func(r *spec.Reaction) string { return r.Name.V }, predeclared...)
	s.categoryNames = namesOf(s.t.Categories, func(c *spec.Category) string { return c.Name.V })
	s.codeKeys = namesOf(s.codes, func(c **code) string { return (*c).Name.V })
}

func (s *scope) addCategory(i int) {
	sc, mc := &s.t.Categories[i], s.m.Categories[i]
	c := &category{Category: sc, model: mc, byName: make(map[string]field)}
	c.fields = append(pairs(s.t.Fields, s.m.Fields), pairs(sc.Fields, mc.Fields[len(s.t.Fields):])...)
	for _, f := range c.fields {
		if _, taken := c.byName[f.Name.V]; !taken {
			c.byName[f.Name.V] = f
		}
	}
	s.categories = append(s.categories, c)
	for j := range sc.Codes {
		k := &code{Code: &sc.Codes[j], model: mc.Codes[j], category: c}
		s.codes = append(s.codes, k)
		if s.codeNamed[k.Name.V] == nil {
			s.codeNamed[k.Name.V] = k
		}
	}
}

// pairs lines fields up with what they were resolved to.
func pairs(written []spec.Field, resolved []*model.Field) []field {
	out := make([]field, len(written))
	for i := range written {
		out[i] = field{&written[i], resolved[i]}
	}
	return out
}

func (s *scope) addViews() {
	s.base = &view{reactions: make(map[string]*spec.Reaction), policies: make(map[string]*spec.Policy)}
	for _, name := range predeclared {
		s.base.reactions[name] = &spec.Reaction{Name: text(name), Action: text(name)}
	}
	for i := range s.t.Reactions {
		r := &s.t.Reactions[i]
		s.base.reactions[r.Name.V] = r
	}
	for i := range s.t.Policies {
		p := &s.t.Policies[i]
		s.base.policies[p.Name.V] = p
	}
	s.views = []*view{s.base}
	for i := range s.t.Profiles {
		s.views = append(s.views, s.overlaid(&s.t.Profiles[i]))
	}
	for _, v := range s.views {
		v.rows = s.rowsOf(v)
	}
}

// text is a value that no place in the file holds.
func text(v string) spec.Text { return spec.Text{V: v, Set: true} }

// fieldNames returns the wire names of a code's fields.
func (c *category) fieldNames() []string {
	out := make([]string, len(c.fields))
	for i, f := range c.fields {
		out[i] = f.Name.V
	}
	return out
}

// sets reports whether a code fixes a field.
func (c *code) sets(name string) bool {
	return slices.ContainsFunc(c.Set, func(a spec.Assignment) bool { return a.Field.V == name })
}

// takes reports whether a code's factory has a parameter for a field.
func (c *code) takes(f field) bool {
	return c.model.Takes(f.model)
}

// certain reports whether every factory call gives the field a value.
func (c *code) certain(f field) bool {
	return f.Required.V || c.takes(f) || c.sets(f.Name.V)
}
