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
	if !slices.ContainsFunc(c.Codes, func(c *model.Code) bool { return hasBranches(c) }) {
		return head.Add(inOneLine(own))
	}
	return head.Block(
		jen.Switch(jen.Id("e").Dot("Code").Call()).BlockFunc(func(g *jen.Group) {
			for _, code := range c.Codes {
				if hasBranches(code) {
					g.Case(jen.Id(code.Const)).Block(rowChoice(code)...)
				}
			}
		}),
		own,
	)
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
