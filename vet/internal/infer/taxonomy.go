package infer

import (
	"fmt"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/summary"
)

const runtimePath = "github.com/errgen/errgen/runtime/"

// Taxonomy is the summary of a generated package.
type Taxonomy struct {
	Path string
	summary.Package
}

// AFact makes Taxonomy a fact of the generated package.
func (*Taxonomy) AFact() {}

// IsGenerated reports whether errgen generated a package: it has the variable Table.
func IsGenerated(p *types.Package) bool {
	if p == nil {
		return false
	}
	v, ok := p.Scope().Lookup("Table").(*types.Var)
	return ok && v.Type().String() == runtimePath+"taxonomy.Table"
}

// ReadTaxonomy reads the summary of a generated package, which was loaded from source. A package
// without one is an error, because its functions would seem to return nothing.
func ReadTaxonomy(pkg *types.Package) (*Taxonomy, error) {
	c, ok := pkg.Scope().Lookup(summary.Const).(*types.Const)
	if !ok || c.Val().Kind() != constant.String {
		return nil, fmt.Errorf("package %s has no constant %s: generate it again with this version of errgen",
			pkg.Path(), summary.Const)
	}
	p, err := summary.Parse(constant.StringVal(c.Val()))
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", pkg.Path(), err)
	}
	for _, code := range p.Codes {
		for _, name := range []string{code.Const, code.Factory, code.Type} {
			if name != "" && pkg.Scope().Lookup(name) == nil {
				return nil, fmt.Errorf("package %s: %s names %s, which the package does not have: generate it again",
					pkg.Path(), summary.Const, name)
			}
		}
	}
	return &Taxonomy{Path: pkg.Path(), Package: *p}, nil
}

// Key returns the name of the atom of a code.
func (t *Taxonomy) Key(value string) string { return t.Path + "#" + value }

// Find returns the code with a value, or nil.
func (t *Taxonomy) Find(value string) *summary.Code {
	i := slices.IndexFunc(t.Codes, func(c summary.Code) bool { return c.Value == value })
	if i < 0 {
		return nil
	}
	return &t.Codes[i]
}

// where returns the keys of the codes that a function selects.
func (t *Taxonomy) where(selects func(*summary.Code) bool) (keys []string) {
	for i := range t.Codes {
		if selects(&t.Codes[i]) {
			keys = append(keys, t.Key(t.Codes[i].Value))
		}
	}
	return keys
}

// below returns the key of a code, and those of the codes below it, which errors.Is finds too.
func (t *Taxonomy) below(value string) []string {
	return t.where(func(c *summary.Code) bool {
		for c != nil && c.Value != value {
			c = t.Find(c.Parent)
		}
		return c != nil
	})
}

// selected returns the codes of a predicate such as IsOrder or InCustomer, and whether there is
// one.
func (t *Taxonomy) selected(predicate string) (keys []string, ok bool) {
	if category, found := t.Categories[predicate]; found {
		return t.where(func(c *summary.Code) bool { return c.Category == category }), true
	}
	if group, found := t.Groups[predicate]; found {
		return t.where(func(c *summary.Code) bool { return slices.Contains(c.Groups, group) }), true
	}
	return nil, false
}

// classified returns the codes that classification gives to failures of a source; "?" is any.
func (t *Taxonomy) classified(source, at string) *Set {
	out := new(Set)
	give := func(code string) {
		if code == "" {
			out.add(Atom{Kind: Foreign, Name: "taxonomy.Unknown (no rule, no fallback)"}, []string{at})
		} else {
			out.add(Atom{Kind: Code, Name: t.Key(code)}, []string{at})
		}
	}
	for _, c := range t.Codes {
		if slices.ContainsFunc(c.Rules, func(sources []string) bool {
			return source == "?" || len(sources) == 0 || slices.Contains(sources, source)
		}) {
			give(c.Value)
		}
	}
	if f, ok := t.SourceFallbacks[source]; ok {
		give(f)
		return out
	}
	if source == "?" {
		for _, c := range t.Codes { // in their order
			for _, f := range t.SourceFallbacks {
				if f == c.Value {
					give(f)
				}
			}
		}
	}
	give(t.Fallback)
	return out
}

// hasSources reports whether failures of the taxonomy can have a source.
func (t *Taxonomy) hasSources() bool {
	return len(t.SourceFallbacks) > 0 || slices.ContainsFunc(t.Codes, func(c summary.Code) bool {
		return slices.ContainsFunc(c.Rules, func(sources []string) bool { return len(sources) > 0 })
	})
}

// decoded returns the codes that a client of a service with the taxonomy can receive.
func (t *Taxonomy) decoded(at string) *Set {
	return t.codes(at, func(c *summary.Code) bool { return c.Factory != "" && (c.Public || t.Public == "") })
}

// made returns the codes that errors can have.
func (t *Taxonomy) made(at string) *Set {
	return t.codes(at, func(c *summary.Code) bool { return c.Factory != "" })
}

func (t *Taxonomy) codes(at string, selects func(*summary.Code) bool) *Set {
	out := new(Set)
	for _, key := range t.where(selects) {
		out.add(Atom{Kind: Code, Name: key}, []string{at})
	}
	return out
}

// factory returns the code that a factory gives to its errors, or "".
func (t *Taxonomy) factory(name string) string {
	keys := t.where(func(c *summary.Code) bool { return c.Factory == name })
	return strings.Join(keys, "")
}
