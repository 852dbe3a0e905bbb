// Package resolve turns a taxonomy as written into the model that emitters read. It makes Go
// identifiers of names, applies defaults, follows references, and reduces profiles to the rows that
// they change.
//
// [Build] expects a taxonomy whose names are declared and whose chains of reactions end. Any other
// fault leaves a harmless placeholder in the model, and package check reports it. The functions
// that check needs to read literals, conditions and messages in the same way are exported.
package resolve

import (
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Build resolves a taxonomy. The lists of the model are parallel to those of the taxonomy: category
// i, its code j and the code's branch k have the same indexes in both. A category's fields are
// those of every category, followed by its own. Build takes time in proportion to the taxonomy.
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
	b.operations()
	b.makeTable()
	b.rows()
	b.profiles()
	b.trimSignatures()
	b.collect()
	return b.pkg
}

type builder struct {
	src    *spec.Taxonomy
	pkg    *model.Package
	idents idents

	groups       map[string]*model.Group
	codes        map[string]*model.Code // by key
	evidenceKeys map[string]bool        // the keys of evidence that fill fields

	reactions   map[string]*spec.Reaction
	policies    map[string]*spec.Policy
	reactionFor map[any]*taxonomy.Reaction // by origin.key; nil while it is made
	policyFor   map[any]*taxonomy.Policy   // by origin.key
	origins     map[any]origin             // of reactions and policies
}

func newBuilder(t *spec.Taxonomy) *builder {
	return &builder{
		src: t, pkg: &model.Package{Decl: t, Taxonomy: &taxonomy.Taxonomy{}}, idents: newIdents(),
		evidenceKeys: make(map[string]bool), reactions: make(map[string]*spec.Reaction),
		policies: make(map[string]*spec.Policy), reactionFor: make(map[any]*taxonomy.Reaction),
		policyFor: make(map[any]*taxonomy.Policy), origins: make(map[any]origin),
	}
}

func (b *builder) header() {
	b.pkg.Name = b.src.Package.Or("errs")
	b.pkg.File = sourceName(b.src)
	b.pkg.Domain = b.src.Domain.V
	b.pkg.Doc = b.src.Doc.V
	b.pkg.HelpURL = b.src.HelpURL.V
}

// sourceName returns the name of the taxonomy for the comments of generated files: without its
// directory, and without characters that could end a comment.
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

// vocabulary resolves the declarations that refer to no others: names with their descriptions.
func (b *builder) vocabulary() {
	t := b.pkg.Taxonomy
	t.Package, t.Domain, t.Doc, t.HelpURL = b.pkg.Name, b.pkg.Domain, b.pkg.Doc, b.pkg.HelpURL
	t.Stack = word[taxonomy.Stack](b.src.Stack)
	t.Sources, t.Ops, t.Groups = named(b.src.Sources), named(b.src.Ops), named(b.src.Groups)
	t.Strategies, t.Checks = named(b.src.Strategies), named(b.src.Checks)
	for i, d := range b.src.Constants {
		typ, _ := model.TypeOf(d.Type.V)
		c := &model.Constant{ValueType: typ, Function: exported(d.GoName.Or(d.Name.V), i+1)}
		setKeys(&c.CodeConstant, &d)
		b.pkg.Constants, t.Constants = append(b.pkg.Constants, c), append(t.Constants, c.CodeConstant)
	}
	b.groups = make(map[string]*model.Group)
	for i, g := range b.src.Groups {
		group := &model.Group{Name: g.Name.V, Doc: g.Doc.V, Bit: i, Predicate: "In" + suffix(g.Name.V, i+1)}
		b.pkg.Groups = append(b.pkg.Groups, group)
		putFirst(&b.groups, g.Name.V, group)
	}
	b.pkg.Strategies, b.pkg.Checks = methods(b.src.Strategies, "Strategy"), methods(b.src.Checks, "Check")
	for i, d := range b.src.Tiers {
		tier := taxonomy.Tier{Classifies: true}
		setKeys(&tier, &d)
		t.Tiers = append(t.Tiers, tier)
		b.pkg.Tiers = append(b.pkg.Tiers, &model.Tier{Tier: tier, Const: "Tier" + suffix(d.Name.V, i+1)})
	}
}

// methods returns the methods of an interface of strategies or checks.
func methods(list []spec.Named, prefix string) []*model.Method {
	var out []*model.Method
	for i, n := range list {
		method := exported(n.Name.V, i+1)
		out = append(out, &model.Method{Name: n.Name.V, Doc: n.Doc.V, Method: method, Const: prefix + method})
	}
	return out
}

// named returns declarations of a name and a description.
func named[T any](list []T) (out []taxonomy.Named) {
	for i := range list {
		var n taxonomy.Named
		setKeys(&n, &list[i])
		out = append(out, n)
	}
	return out
}

// putFirst adds a value, unless the map has a value with this key already.
func putFirst[T any](m *map[string]T, name string, v T) {
	if *m == nil {
		*m = make(map[string]T)
	}
	if _, taken := (*m)[name]; !taken {
		(*m)[name] = v
	}
}

// idents makes identifiers unique. Its values count the requests for each name.
type idents map[string]int

func newIdents() idents { return make(idents) }

// take returns name. If name is taken or reserved, it adds a number.
func (ids idents) take(name string) string {
	free := name
	for ids[free] > 0 || naming.Reserved(free) {
		ids[name]++
		free = name + strconv.Itoa(max(2, ids[name]))
	}
	ids[free]++
	return free
}

// exported returns a name as an exported identifier. If that is impossible, it returns X and the
// number.
func exported(name string, n int) string { return convertOr(naming.Exported, name, "X", n) }

// suffix returns a name as the end of an identifier. If that is impossible, it returns X and the
// number.
func suffix(name string, n int) string { return convertOr(naming.Suffix, name, "X", n) }

// unexported returns a name as an unexported identifier. If that is impossible, it returns x and
// the number.
func unexported(name string, n int) string { return convertOr(naming.Unexported, name, "x", n) }

// convertOr returns the converted name. If it cannot be converted, it returns the placeholder and
// the number.
func convertOr(convert func(string) (string, bool), name, placeholder string, n int) string {
	if ident, ok := convert(name); ok {
		return ident
	}
	return placeholder + strconv.Itoa(n)
}
