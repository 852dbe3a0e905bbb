package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// branchRows are the rows that a code's branches select besides its own.
func branchRows(c *model.Code) []*model.Row {
	var rows []*model.Row
	for _, b := range c.When {
		if b.Row != c.Row && !slices.Contains(rows, b.Row) {
			rows = append(rows, b.Row)
		}
	}
	return rows
}

// rowMethod makes the method that picks an error's row.
func rowMethod(c *model.Category) jen.Code {
	head := method(c, "Row").Params().Qual(pkgTaxonomy, "Row")
	own := jen.Return(jen.Id("e").Dot("Code").Call().Dot("Row").Call())
	if !slices.ContainsFunc(c.Codes, func(c *model.Code) bool { return len(branchRows(c)) > 0 }) {
		return head.Add(inOneLine(own))
	}
	return head.Block(
		jen.Switch(jen.Id("e").Dot("Code").Call()).BlockFunc(func(g *jen.Group) {
			for _, code := range c.Codes {
				if len(branchRows(code)) > 0 {
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
	return jen.Return(jen.Id(r.Code.Const).Dot("Row").Call().Dot("When").Call(jen.Lit(rowOf(r).Branch())))
}
