package breaking

import (
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
)

// Taxonomy is one side of a comparison: what a taxonomy means, and where it says so. It is safe for
// concurrent use.
type Taxonomy struct {
	tree  *spec.Taxonomy
	model *model.Package

	categories map[*model.Category]*spec.Category
	codes      map[*model.Code]*spec.Code
	fields     map[*model.Field]*spec.Field
	reactions  map[string]*spec.Reaction
	policies   map[string]*spec.Policy

	byValue, byAlias, byKey map[string]*model.Code
	byNumber                map[int]*model.Code
	reservedCodes           map[string]diag.Span
	reservedNumbers         map[int]diag.Span
	global                  map[*model.Field]bool
}

// Read makes a side of a comparison of a taxonomy's bytes. What could not be read is left out; use
// package check to find that out before.
func Read(name string, src []byte) *Taxonomy {
	tree, _ := spec.Parse(name, src)
	t := &Taxonomy{
		tree: tree, model: resolve.Build(tree),
		categories: make(map[*model.Category]*spec.Category), codes: make(map[*model.Code]*spec.Code),
		fields: make(map[*model.Field]*spec.Field), global: make(map[*model.Field]bool),
		reactions: make(map[string]*spec.Reaction), policies: make(map[string]*spec.Policy),
		byValue: make(map[string]*model.Code), byAlias: make(map[string]*model.Code),
		byKey: make(map[string]*model.Code), byNumber: make(map[int]*model.Code),
		reservedCodes: make(map[string]diag.Span), reservedNumbers: make(map[int]diag.Span),
	}
	t.places()
	t.names()
	return t
}

// places relates the model to the tree. Their lists line up, as resolve.Build says.
func (t *Taxonomy) places() {
	t.placeFields(t.model.Fields, t.tree.Fields)
	for _, f := range t.model.Fields {
		t.global[f] = true
	}
	for i, c := range t.model.Categories {
		decl := &t.tree.Categories[i]
		t.categories[c] = decl
		t.placeFields(c.Fields[len(t.model.Fields):], decl.Fields)
		for j, code := range c.Codes {
			t.codes[code] = &decl.Codes[j]
		}
	}
	for i := range t.tree.Reactions {
		first(t.reactions, t.tree.Reactions[i].Name.V, &t.tree.Reactions[i])
	}
	for i := range t.tree.Policies {
		first(t.policies, t.tree.Policies[i].Name.V, &t.tree.Policies[i])
	}
}

func (t *Taxonomy) placeFields(fields []*model.Field, decls []spec.Field) {
	for i, f := range fields {
		t.fields[f] = &decls[i]
		if f.Object != nil {
			t.placeFields(f.Object.Fields, decls[i].Fields)
		}
	}
}

func (t *Taxonomy) names() {
	for _, code := range t.model.Codes {
		first(t.byValue, code.Value, code)
		first(t.byKey, code.Key, code)
		for _, alias := range code.Aliases {
			first(t.byAlias, alias, code)
		}
		if code.Number != 0 {
			first(t.byNumber, code.Number, code)
		}
	}
	for _, v := range t.tree.Reserved.Codes {
		first(t.reservedCodes, v.V, v.Span)
	}
	for _, n := range t.tree.Reserved.Numbers {
		first(t.reservedNumbers, n.V, n.Span)
	}
}

// first keeps the first of two things with one name.
func first[K comparable, V any](m map[K]V, k K, v V) {
	if _, taken := m[k]; !taken {
		m[k] = v
	}
}

// decodes returns the code that a value on the wire is read as, or nil.
func (t *Taxonomy) decodes(value string) *model.Code {
	if code := t.byValue[value]; code != nil {
		return code
	}
	return t.byAlias[value]
}

// reserves reports whether a value or a number is reserved.
func (t *Taxonomy) reserves(value string) bool     { _, ok := t.reservedCodes[value]; return ok }
func (t *Taxonomy) reservesNumber(n int) bool      { _, ok := t.reservedNumbers[n]; return ok }
func (t *Taxonomy) codeAt(c *model.Code) diag.Span { return t.codes[c].Name.Span }
