package breaking

import (
	"slices"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
)

// Taxonomy is one side of a comparison: the resolved taxonomy with its positions. It is safe for
// concurrent use.
type Taxonomy struct {
	tree  *spec.Taxonomy
	model *model.Package

	categories map[*model.Category]*spec.Category
	codes      map[*model.Code]*spec.Code
	fields     map[*model.Field]*spec.Field
	global     map[*model.Field]bool // fields of every category

	byValue, byAlias, byKey map[string]*model.Code
	byNumber                map[numberKey]*model.Code
	reservedCodes           map[string]bool
}

// Read reads one side of a comparison. Parts with errors are left out; package check finds them.
func Read(name string, src []byte) *Taxonomy {
	tree, _ := spec.Parse(name, src)
	t := &Taxonomy{
		tree: tree, model: resolve.Build(tree),
		categories: make(map[*model.Category]*spec.Category), codes: make(map[*model.Code]*spec.Code),
		fields: make(map[*model.Field]*spec.Field), global: make(map[*model.Field]bool),
		byValue: make(map[string]*model.Code), byAlias: make(map[string]*model.Code),
		byKey: make(map[string]*model.Code), byNumber: make(map[numberKey]*model.Code),
		reservedCodes: make(map[string]bool),
	}
	// The lists of the model and of the tree are parallel.
	t.placeFields(t.model.Fields, tree.Fields)
	for _, f := range t.model.Fields {
		t.global[f] = true
	}
	for i, c := range t.model.Categories {
		decl := &tree.Categories[i]
		t.categories[c] = decl
		t.placeFields(c.Fields[len(t.model.Fields):], decl.Fields)
		for j, code := range c.Codes {
			t.codes[code] = &decl.Codes[j]
			t.placeFields(code.OwnFields(), decl.Codes[j].Fields)
		}
	}
	for _, code := range t.model.Codes {
		first(t.byValue, code.Value, code)
		first(t.byKey, code.Key, code)
		for _, alias := range slices.Concat(code.Extras().Aliases, code.Extras().Names) {
			first(t.byAlias, alias, code)
		}
		if code.Numbered {
			first(t.byNumber, t.numberKey(code), code)
		}
	}
	for _, v := range tree.Reserved.Codes {
		t.reservedCodes[v.Name.V] = true
	}
	return t
}

func (t *Taxonomy) placeFields(fields []*model.Field, decls []spec.Field) {
	for i, f := range fields {
		t.fields[f] = &decls[i]
		if f.Object != nil && f.Object.Type != "" {
			t.placeFields(f.Object.Fields, decls[i].Fields)
		}
	}
}

// numberKey is a published number. The category is empty if numbers are unique in the taxonomy.
type numberKey struct {
	category string
	number   int
}

func (t *Taxonomy) numberKey(c *model.Code) numberKey {
	if t.tree.Numbers.V == "per_category" {
		return numberKey{c.Category.Name, c.Number}
	}
	return numberKey{number: c.Number}
}

// withNumberOf returns the code with the number of a code of either side, or nil.
func (t *Taxonomy) withNumberOf(c *model.Code) *model.Code {
	if !c.Numbered {
		return nil
	}
	return t.byNumber[t.numberKey(c)]
}

// first keeps the first of two values with one key.
func first[K comparable, V any](m map[K]V, k K, v V) {
	if _, taken := m[k]; !taken {
		m[k] = v
	}
}

// decodes returns the code that a value on the wire decodes to, or nil.
func (t *Taxonomy) decodes(value string) *model.Code {
	if code := t.byValue[value]; code != nil {
		return code
	}
	return t.byAlias[value]
}

func (t *Taxonomy) codeAt(c *model.Code) diag.Span { return t.codes[c].Name.Span }
