package resolve

import (
	"path"
	"strings"
	"unicode"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

// Build resolves a taxonomy. Its lists line up with those of the taxonomy: category i, its code j
// and that code's branch k are the same in both; a category's fields are those of every category
// and then its own. It takes time in proportion to the taxonomy.
func Build(t *spec.Taxonomy) *model.Package {
	if t == nil {
		t = &spec.Taxonomy{}
	}
	b := newBuilder(t)
	b.header()
	b.vocabulary()
	b.globalFields()
	b.categories()
	b.fallback()
	b.registerReactions()
	b.rows()
	b.uncategorized()
	b.profiles()
	b.trimSignatures()
	b.collect()
	return b.pkg
}

type builder struct {
	src    *spec.Taxonomy
	pkg    *model.Package
	idents idents

	groups  map[string]*model.Group
	globals map[string]*model.Field
	codes   map[string]*model.Code // by key
	entries []entry                // by code index

	reactions *registry
	table     *scope
	traits    []spec.Traits // what was combined for each row, by row index

	// What the variables of reactions and policies are made of; only those that are reached get
	// one.
	reactionSuffix map[*model.Reaction]string
	policySuffix   map[*model.Policy]string
	deadEnd        *model.Reaction
}

func newBuilder(t *spec.Taxonomy) *builder {
	return &builder{
		src: t, pkg: &model.Package{}, idents: newIdents(),
		reactionSuffix: make(map[*model.Reaction]string),
		policySuffix:   make(map[*model.Policy]string),
	}
}

// entry is a code together with what it was resolved from.
type entry struct {
	code   *model.Code
	decl   *spec.Code
	parent *spec.Category
	fields map[string]*model.Field
}

func (b *builder) header() {
	b.pkg.Name = b.src.Package.Or("errs")
	b.pkg.File = sourceName(b.src)
	b.pkg.Domain = b.src.Domain.V
	b.pkg.Doc = b.src.Doc.V
	b.pkg.HelpURL = b.src.HelpURL.V
}

// sourceName returns the name that generated files give for their taxonomy: no path, and nothing
// that could end the comment that it stands in.
func sourceName(t *spec.Taxonomy) string {
	if t.Source == nil || t.Source.Name == "-" || t.Source.Name == "" {
		return "standard input"
	}
	name := path.Base(strings.ReplaceAll(t.Source.Name, `\`, "/"))
	return strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) && r != unicode.ReplacementChar {
			return r
		}
		return '_'
	}, name)
}

// vocabulary resolves the names that nothing else depends on.
func (b *builder) vocabulary() {
	b.pkg.Sources = named(b.src.Sources)
	b.pkg.Ops = named(b.src.Ops)
	b.groups = make(map[string]*model.Group)
	for i, g := range b.src.Groups {
		group := &model.Group{Name: g.Name.V, Doc: g.Doc.V, Bit: i, Predicate: "In" + suffix(g.Name.V, i+1)}
		b.pkg.Groups = append(b.pkg.Groups, group)
		putFirst(b.groups, g.Name.V, group)
	}
	for i, s := range b.src.Strategies {
		method := exported(s.Name.V, i+1)
		b.pkg.Strategies = append(b.pkg.Strategies, &model.Strategy{
			Name: s.Name.V, Doc: s.Doc.V, Method: method, Const: "Strategy" + method,
		})
	}
	for i, c := range b.src.Checks {
		method := exported(c.Name.V, i+1)
		b.pkg.Checks = append(b.pkg.Checks, &model.Check{
			Name: c.Name.V, Doc: c.Doc.V, Method: method, Const: "Check" + method,
		})
	}
	for i, t := range b.src.Tiers {
		b.pkg.Tiers = append(b.pkg.Tiers, &model.Tier{
			Name: t.Name.V, Doc: t.Doc.V, Const: "Tier" + suffix(t.Name.V, i+1),
			Classifies: t.Classifies.Or(true), Person: t.Person.V, Purpose: purposes.of(t.Purpose),
		})
	}
}

func named(list []spec.Named) []model.Named {
	var out []model.Named
	for _, n := range list {
		out = append(out, model.Named{Name: n.Name.V, Doc: n.Doc.V})
	}
	return out
}

// putFirst keeps the first of two things with one name.
func putFirst[T any](m map[string]T, name string, v T) {
	if _, taken := m[name]; !taken {
		m[name] = v
	}
}
