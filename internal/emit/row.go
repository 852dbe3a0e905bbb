package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// rowConstants makes the names of the rows that `when` branches select.
func rowConstants(c *model.Category) jen.Code {
	rows := categoryBranchRows(c)
	if len(rows) == 0 {
		return nil
	}
	return constants("The rows of codes under a when rule.", each(rows, func(r *model.Row) jen.Code {
		return jen.Id(r.Const).Add(runtimeType("Row")).Op("=").Lit(r.Index)
	}))
}

func categoryBranchRows(c *model.Category) []*model.Row {
	var rows []*model.Row
	for _, code := range c.Codes {
		rows = append(rows, branchRows(code)...)
	}
	return rows
}

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
	head := jen.Add(note("Row returns the row that the code and its when rules select.")).
		Add(method(c, "Row")).Params().Qual(pkgTaxonomy, "Row")
	own := jen.Return(jen.Id("e").Dot("code").Dot("Row").Call())
	if len(categoryBranchRows(c)) == 0 {
		return head.Add(inOneLine(own))
	}
	return head.Block(
		jen.Switch(jen.Id("e").Dot("code")).BlockFunc(func(g *jen.Group) {
			for _, code := range c.Codes {
				if len(branchRows(code)) > 0 {
					g.Case(jen.Id(code.Const)).Block(rowOf(code)...)
				}
			}
		}),
		own,
	)
}

// rowOf makes the choice between a code's branches; none of them means the code's own row.
func rowOf(c *model.Code) []jen.Code {
	names := nameConditions(c)
	if len(c.When) == 1 {
		return append(names.hoisted(), jen.If(names.init(), names.all(c.When[0].Conds)).Block(returnRow(c.When[0].Row)))
	}
	return append(names.hoisted(), jen.Switch(names.init(), jen.Empty()).BlockFunc(func(g *jen.Group) {
		for _, b := range c.When {
			branchCase(g, c, b, names.all(b.Conds))
		}
	}))
}

func branchCase(g *jen.Group, c *model.Code, b *model.Branch, cond jen.Code) {
	if b.Row == c.Row {
		g.Case(cond).Comment("// as the code itself")
		return
	}
	g.Case(cond).Block(returnRow(b.Row))
}

func returnRow(r *model.Row) jen.Code { return jen.Return(jen.Id(r.Const)) }
