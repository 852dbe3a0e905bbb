package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// hasBranches reports whether a branch of the code selects a row other than the code's own.
func hasBranches(c *model.Code) bool {
	return slices.ContainsFunc(c.When, func(b *model.Branch) bool { return b.Row != c.Row })
}

// rowMethod makes the method that picks an error's row.
func rowMethod(c *model.Category) jen.Code {
	head := method(c, "Row").Params().Qual(pkgTaxonomy, "Row")
	own := jen.Return(jen.Id("e").Dot("Code").Call().Dot("Row").Call())
	branches := func(code *model.Code) bool { return hasBranches(code) && code.ErrorType() == c }
	if !slices.ContainsFunc(c.Codes, branches) {
		return head.Add(inOneLine(own))
	}
	s := jen.Null()
	if slices.ContainsFunc(c.Codes, selectsInternally) {
		s = head.Add(inOneLine(jen.Return(jen.Qual(pkgGen, "Sent").Call(
			jen.Op("&").Id("e").Dot("base"), jen.Id("e").Dot("row").Call())))).Line().Line()
		head = method(c, "row").Params().Qual(pkgTaxonomy, "Row")
	}
	return s.Add(head).Block(
		jen.Switch(jen.Id("e").Dot("Code").Call()).BlockFunc(func(g *jen.Group) {
			for _, code := range c.Codes {
				if branches(code) {
					g.Case(jen.Id(code.Const)).Block(rowChoice(code)...)
				}
			}
		}),
		own,
	)
}

// selectsInternally reports whether clients cannot select the branch of a public code.
func selectsInternally(c *model.Code) bool {
	return c.Public && slices.ContainsFunc(c.When, func(b *model.Branch) bool {
		return slices.ContainsFunc(b.Conds, func(cond model.Cond) bool { return !cond.Field.Public })
	})
}

// rowChoice makes the choice between a code's branches; none of them means the code's own row.
func rowChoice(c *model.Code) []jen.Code {
	names := nameConditions(c)
	if len(c.When) == 1 {
		return append(names.hoisted(), jen.If(names.init(), names.all(c.When[0].Conds)).Block(returnRow(c.When[0].Row)))
	}
	return append(names.hoisted(), jen.Switch(names.init(), jen.Empty()).BlockFunc(func(g *jen.Group) {
		for _, b := range c.When {
			if cond := names.all(b.Conds); b.Row == c.Row {
				g.Case(cond).Comment("// as the code itself")
			} else {
				g.Case(cond).Block(returnRow(b.Row))
			}
		}
	}))
}

func returnRow(r *model.Row) jen.Code {
	return jen.Return(jen.Id(r.Code.Const).Dot("Row").Call().Dot("When").Call(jen.Lit(r.At.Branch())))
}

// hintRole is a hint of [taxonomy.Hints], and the fields that it is read from.
type hintRole struct {
	role model.Role
	hint string
	typ  model.Type
	none string // the value of an absent field; "" if the hint itself may be absent
}

var hintRoles = []hintRole{
	{model.RoleRetryAfter, "RetryAfter", model.Duration, ""},
	{model.RoleResetAt, "ResetAt", model.Time, ""},
	{model.RoleFiles, "Files", model.Strings, "nil"},
	{model.RoleCredential, "Credential", model.String, `""`},
	{model.RoleOutput, "Output", model.String, `""`},
}

// hintsMethod makes the method that returns the fields that the runtime reads; nil without any.
func hintsMethod(c *model.Category) jen.Code {
	values := hints(c)
	if values == nil {
		return nil
	}
	return method(c, "Hints").Params().Add(runtimeType("Hints")).
		Block(jen.Return(runtimeType("Hints").Values(values...)))
}

// hints returns the hints that the fields of a category hold.
func hints(c *model.Category) []jen.Code {
	var hints []jen.Code
	for _, r := range hintRoles {
		f := c.WithRole(r.role)
		if f == nil || f.Type != r.typ {
			continue
		}
		value, isOpt := jen.Id("e").Dot(f.Go), f.Optional()
		if f.Sensitive {
			value, isOpt = jen.Qual(pkgGen, "Revealed").Call(value), true
		}
		switch {
		case isOpt && r.none != "":
			value.Dot("Or").Call(jen.Op(r.none))
		case !isOpt && r.none == "":
			value = jen.Qual(pkgTaxonomy, "Some").Call(value)
		}
		hints = append(hints, jen.Id(r.hint).Op(":").Add(value))
	}
	return hints
}
