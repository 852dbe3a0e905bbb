package resolve

import (
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func (b *builder) categories() {
	b.codes = make(map[string]*model.Code)
	files := newIdents()
	for i := range b.src.Categories {
		b.category(&b.src.Categories[i], files)
	}
	for _, c := range b.pkg.Codes {
		b.codeBody(c)
		b.detection(c)
	}
}

func (b *builder) category(d *spec.Category, files idents) {
	n := len(b.pkg.Categories)
	base, typ := categoryNames(d, n+1)
	c := &model.Category{
		Decl: d, Index: n, Name: d.Name.V, Doc: d.Doc.V,
		Type: typ, CodeType: base + "Code", Const: "Category" + base, Predicate: "Is" + base,
		Var:  b.idents.take("category" + base),
		File: files.take(fileName(base)),
	}
	c.Table, c.RulesVar = b.idents.take(unexported(base, n+1)+"Category"), b.idents.take(unexported(base, n+1)+"Rules")
	c.SummaryVar = b.idents.take(unexported(base, n+1) + "Summary")
	c.Examples = b.idents.take(unexported(base, n+1) + "Examples")
	b.pkg.Categories = append(b.pkg.Categories, c)

	owner := fieldOwner{typePrefix: base, constPrefix: constPrefix(base), params: newIdents(),
		audience: d.Audience.Or(b.src.Audience.V)}
	for _, f := range b.pkg.Fields {
		owner.params.take(f.Param)
	}
	own := b.fields(owner, d.Fields)
	if slices.ContainsFunc(d.Codes, func(d spec.Code) bool { return len(d.Fields) > 0 }) {
		c.Embedded = b.idents.take(unexported(typ, n+1))
	}
	c.Fields = append(append(c.Fields, b.pkg.Fields...), own...)
	b.pkg.Taxonomy.Categories = append(b.pkg.Taxonomy.Categories, &taxonomy.Category{
		Name: c.Name, Type: c.Type, Doc: c.Doc, Fields: tableFields(c.Fields),
		Codes: make([]taxonomy.Code, len(d.Codes)+1),
	})
	for i := range d.Codes {
		b.code(c, &d.Codes[i])
	}
}

// categoryNames returns the base of the category's names, and its type. The base of `type:
// LLMError` is LLM. A type that does not end in Error is its own base.
func categoryNames(d *spec.Category, n int) (base, typ string) {
	if d.Type.Set && naming.IsExported(d.Type.V) {
		if base := strings.TrimSuffix(d.Type.V, "Error"); base != "" {
			return base, d.Type.V
		}
		return d.Type.V, d.Type.V
	}
	base = exported(d.Name.V, n)
	return base, base + "Error"
}

// fileName returns a name that ends in _error, so that it differs from errgen's other files, such
// as table_gen.go.
func fileName(base string) string {
	snake, _ := naming.Snake(base)
	return snake + "_error"
}

// prefixes contains beginnings of other identifiers in generated packages. Constants of fields do
// not begin with them.
var prefixes = map[string]bool{
	"category": true, "code": true, "first": true, "group": true, "last": true, "policy": true, "profile": true,
	"reaction": true, "row": true, "shared": true, "test": true, "max": true,
}

// constPrefix returns the beginning of the constants of the fields of a category, a code or an
// object.
func constPrefix(base string) string {
	prefix := unexported(base, 1)
	if prefixes[prefix] {
		return prefix + "Field"
	}
	return prefix
}
