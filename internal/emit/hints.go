package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// hintsMethod makes the method that hands the runtime what it reads an error's fields for.
func hintsMethod(c *model.Category) jen.Code {
	var hints composite
	var reveal []jen.Code
	for _, r := range roles {
		f := c.WithRole(r.role)
		if f == nil || f.Type != r.typ || r.opt && f.Sensitive {
			continue
		}
		if f.Sensitive {
			reveal = append(reveal, jen.List(jen.Id(f.Param), jen.Id("_")).Op(":=").Id("e").Dot(f.Go).Dot("Reveal").
				Call())
		}
		hints.add(r.hint, hint(r, f))
	}
	if len(hints) == 0 {
		return nil
	}
	return jen.Add(note("Hints returns what the error says to whoever reacts to it.")).
		Add(method(c, "Hints")).Params().Add(runtimeType("Hints")).
		Block(append(reveal, jen.Return(runtimeType("Hints").Add(hints.literal())))...)
}

// role is what a field is read for, the hint that it becomes and the type that this takes.
type role struct {
	role model.Role
	hint string
	typ  model.Type
	opt  bool // the hint may be absent
}

var roles = []role{
	{model.RoleRetryAfter, "RetryAfter", model.Duration, true},
	{model.RoleResetAt, "ResetAt", model.Time, true},
	{model.RoleFiles, "Files", model.Strings, false},
	{model.RoleCredential, "Credential", model.String, false},
	{model.RoleOutput, "Output", model.String, false},
}

// hint returns a field as the hint of its role has it.
func hint(r role, f *model.Field) jen.Code {
	value := jen.Id("e").Dot(f.Go)
	if f.Sensitive {
		value = jen.Id(f.Param)
	}
	switch {
	case r.opt && !f.Optional():
		return jen.Qual(pkgTaxonomy, "Some").Call(value)
	case !r.opt && f.Optional():
		return value.Dot("Or").Call(jen.Lit(""))
	default:
		return value
	}
}
