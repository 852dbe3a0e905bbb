package resolve

import (
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// EveryOperation is the name under which a taxonomy declares the errors of every operation.
const EveryOperation = "*"

// operations resolves the operations, with the codes in which each can end.
func (b *builder) operations() {
	var shared []spec.Text
	for _, d := range b.src.Operations {
		if d.Name.V == EveryOperation {
			shared = append(shared, d.Errors...)
		}
	}
	for i := range b.src.Operations {
		d := &b.src.Operations[i]
		if d.Name.V == EveryOperation {
			continue
		}
		o := &model.Operation{
			Decl: d, Var: "Operation" + suffix(d.Name.V, i+1), Codes: Declared(b.pkg, slices.Concat(d.Errors, shared)),
			Value: &taxonomy.Operation{},
		}
		setKeys(o.Value, d)
		o.Value.HTTP, o.Value.Idempotent = strings.Join(strings.Fields(d.HTTP.V), " "), idempotent(d)
		if c := b.codeByValue(b.pkg.Taxonomy.PublicFallback); c != nil && !slices.Contains(o.Codes, c) {
			o.Codes = append(o.Codes, c)
		}
		for _, c := range o.Codes {
			o.Value.Codes = append(o.Value.Codes, c.Value)
		}
		b.pkg.Operations = append(b.pkg.Operations, o)
		b.pkg.Taxonomy.Operations = append(b.pkg.Taxonomy.Operations, o.Value)
	}
}

func (b *builder) codeByValue(value string) *model.Code {
	i := slices.IndexFunc(b.pkg.Codes, func(c *model.Code) bool { return c.Value == value })
	if i < 0 {
		return nil
	}
	return b.pkg.Codes[i]
}

// idempotent returns what the operation declares. Calls with a safe HTTP method are idempotent.
func idempotent(d *spec.Operation) taxonomy.Tristate {
	method, _, _ := strings.Cut(d.HTTP.V, " ")
	safe := []string{"GET", "HEAD", "OPTIONS", "TRACE"}
	switch {
	case d.Idempotent.V, !d.Idempotent.Set && slices.Contains(safe, method):
		return taxonomy.Yes
	case d.Idempotent.Set:
		return taxonomy.No
	}
	return taxonomy.Unspecified
}

// Declared returns the public codes that an operation declares by the names of codes, categories
// and @groups, in the order of the taxonomy. A code includes those below it.
func Declared(m *model.Package, names []spec.Text) []*model.Code {
	var out []*model.Code
	for _, c := range m.Codes {
		if c.Public && !c.Abstract && slices.ContainsFunc(names, func(n spec.Text) bool { return isNamed(c, n.V) }) {
			out = append(out, c)
		}
	}
	return out
}

// isNamed reports whether a name is that of the code, of a code above it, of its category or, with
// an @, of one of its groups.
func isNamed(c *model.Code, name string) bool {
	if group, ok := strings.CutPrefix(name, "@"); ok {
		return slices.ContainsFunc(c.InGroups, func(g *model.Group) bool { return g.Name == group })
	}
	for above := c; above != nil; above = above.Above {
		if above.Name == name {
			return true
		}
	}
	return c.Category.Name == name
}
