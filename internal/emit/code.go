package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// codeType makes the type of a category's codes.
func codeType(c *model.Category) jen.Code {
	return jen.Add(comment(
		c.CodeType + " is a code of [" + c.Type + "]: a target for errors.Is, and an error itself. The zero " +
			c.CodeType +
			" is no code. Store the name of a code; its number may change.",
	)).Type().Id(c.CodeType).Uint16()
}

// codeConstants makes the constants of a category's codes, in one block, so that linters see an
// enum.
func codeConstants(c *model.Category) jen.Code {
	if len(c.Codes) == 0 {
		return nil
	}
	return jen.Add(comment("The codes of [" + c.Type + "].")).Const().DefsFunc(func(g *jen.Group) {
		for _, code := range c.Codes {
			g.Add(comment(codeDoc(code)...)).Id(code.Const).Id(c.CodeType).Op("=").Lit(code.Ordinal)
		}
	})
}

func codeDoc(c *model.Code) []string {
	doc := []string{about(c.Const, c.Doc, " is the code "+c.Value+".")}
	if c.Resolution != "" {
		doc = append(doc, "Resolution: "+sentence(c.Resolution))
	}
	if c.Since != "" {
		doc = append(doc, "Since "+c.Since+".")
	}
	return append(doc, deprecation(c))
}

// codeMethods makes the methods of a category's codes.
func codeMethods(c *model.Category) []jen.Code {
	return []jen.Code{
		codeText(c, "Error", "Error returns the code as it is on the wire."),
		codeText(c, "String", "String returns the code as it is on the wire."),
		codeTaxonomy(c), codeRow(c), codeReaction(c), codeMarshal(c), codeUnmarshal(c),
	}
}

func codeMethod(c *model.Category, name string) *jen.Statement {
	return jen.Func().Params(jen.Id("c").Id(c.CodeType)).Id(name)
}

func codeText(c *model.Category, name, doc string) jen.Code {
	return jen.Add(comment(doc)).Add(codeMethod(c, name)).Params().String().
		Add(returning(jen.Qual(pkgGen, "CodeValue").Call(jen.Id("c").Dot("Row").Call(), definition())))
}

func codeTaxonomy(c *model.Category) jen.Code {
	return jen.Add(note("Taxonomy returns the taxonomy that c belongs to.")).
		Add(codeMethod(c, "Taxonomy")).Params().Op("*").Qual(pkgTaxonomy, "Taxonomy").Add(returning(definition()))
}

// codeRow makes the method that returns a code's row, without any `when` branch.
func codeRow(c *model.Category) jen.Code {
	first := 0
	if len(c.Codes) > 0 {
		first = c.Codes[0].Row.Index
	}
	return jen.Add(note("Row returns the row of c without any context; a value that is no code has the row of none.")).
		Add(codeMethod(c, "Row")).Params().Qual(pkgTaxonomy, "Row").
		Add(returning(
			jen.Qual(pkgGen, "CodeRow").Call(jen.Uint16().Call(jen.Id("c")), jen.Lit(first), jen.Lit(len(c.Codes)))))
}

func codeReaction(c *model.Category) jen.Code {
	return jen.Add(note("Reaction returns the reaction to c without any context.")).
		Add(codeMethod(c, "Reaction")).Params().Qual(pkgTaxonomy, "Reaction").
		Add(returning(jen.Op("*").Id("definition").Dot("Rows").Index(jen.Id("c").Dot("Row").Call()).Dot("Reaction")))
}

func codeMarshal(c *model.Category) jen.Code {
	return jen.Add(note("MarshalText returns the code as it is on the wire; a value that is no code is an error.")).
		Add(codeMethod(c, "MarshalText")).Params().Params(jen.Index().Byte(), jen.Error()).
		Add(returning(jen.Qual(pkgGen, "MarshalCode").Call(jen.Id("c").Dot("Row").Call(), definition())))
}

func codeUnmarshal(c *model.Category) jen.Code {
	return jen.Add(
		comment("UnmarshalText reads a code of ["+c.Type+"], or a former value of one; anything else is an error.")).
		Func().Params(jen.Id("c").Op("*").Id(c.CodeType)).Id("UnmarshalText").Params(jen.Id("text").Index().Byte()).
		Error().Block(
		jen.List(jen.Id("n"), jen.Err()).Op(":=").Qual(pkgGen, "UnmarshalCode").
			Call(jen.Id("text"), definition(), jen.Id(c.Var)),
		jen.If(jen.Err().Op("==").Nil()).Block(jen.Op("*").Id("c").Op("=").Id(c.CodeType).Call(jen.Id("n"))),
		jen.Return(jen.Err()),
	)
}
