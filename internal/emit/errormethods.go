package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// method begins a method of a category's errors.
func method(c *model.Category, name string) *jen.Statement {
	return jen.Func().Params(jen.Id("e").Op("*").Id(c.Type)).Id(name)
}

// definition is the package's taxonomy.
func definition() jen.Code { return jen.Op("&").Id("definition") }

// identity makes the methods that say what an error is.
func identity(c *model.Category) []jen.Code {
	return []jen.Code{codeOf(c), unwrap(c), is(c), as(c), taxonomyOf(c)}
}

// printing makes the methods that show an error, but for those that its fields decide.
func printing(c *model.Category) []jen.Code {
	return []jen.Code{errorMethod(c), appendJSON(c), marshalJSON(c), unmarshalJSON(c), formatMethod(c)}
}

func codeOf(c *model.Category) jen.Code {
	return jen.Add(note("Code returns the code of e.")).
		Add(method(c, "Code")).Params().Id(c.CodeType).Add(returning(jen.Id("e").Dot("code")))
}

func unwrap(c *model.Category) jen.Code {
	return jen.Add(note("Unwrap returns the cause, or nil.")).
		Add(method(c, "Unwrap")).Params().Error().Add(returning(jen.Id("e").Dot("cause")))
}

func is(c *model.Category) jen.Code {
	return jen.Add(note("Is reports whether target is the code of e. Two errors of one code are not the same error.")).
		Add(method(c, "Is")).Params(jen.Id("target").Error()).Bool().Block(
		jen.List(jen.Id("c"), jen.Id("ok")).Op(":=").Id("target").Assert(jen.Id(c.CodeType)),
		jen.Return(jen.Id("ok").Op("&&").Id("c").Op("==").Id("e").Dot("code").Op("&&").Id("c").Op("!=").Lit(0)),
	)
}

func as(c *model.Category) jen.Code {
	return jen.Add(comment("As stores the code of e in target, if that is a *"+c.CodeType+".")).
		Add(method(c, "As")).Params(jen.Id("target").Any()).Bool().Block(
		jen.List(jen.Id("c"), jen.Id("ok")).Op(":=").Id("target").Assert(jen.Op("*").Id(c.CodeType)),
		jen.If(jen.Op("!").Id("ok").Op("||").Id("e").Dot("code").Op("==").Lit(0)).Add(returning(jen.False())),
		jen.Op("*").Id("c").Op("=").Id("e").Dot("code"),
		jen.Return(jen.True()),
	)
}

func taxonomyOf(c *model.Category) jen.Code {
	return jen.Add(note("Taxonomy returns the taxonomy that e belongs to.")).
		Add(method(c, "Taxonomy")).Params().Op("*").Qual(pkgTaxonomy, "Taxonomy").Add(returning(definition()))
}

func errorMethod(c *model.Category) jen.Code {
	return jen.Add(note("Error returns the message.")).
		Add(method(c, "Error")).Params().String().Block(
		jen.Var().Id("b").Qual(pkgGen, "Buffer"),
		jen.Return(
			jen.String().Call(jen.Id("e").Dot("AppendMessage").Call(jen.Id("b").Index(jen.Empty(), jen.Lit(0))))),
	)
}

func appendJSON(c *model.Category) jen.Code {
	return jen.Add(note("AppendJSON appends the error as JSON, secrets masked.")).
		Add(method(c, "AppendJSON")).Params(jen.Id("dst").Index().Byte()).Index().Byte().
		Add(returning(jen.Qual(pkgGen, "AppendJSON").Call(jen.Id("dst"), jen.Id("e"), jen.Id(c.Var))))
}

func marshalJSON(c *model.Category) jen.Code {
	return jen.Add(note("MarshalJSON returns what AppendJSON appends.")).
		Add(method(c, "MarshalJSON")).Params().Params(jen.Index().Byte(), jen.Error()).
		Add(returning(jen.Qual(pkgGen, "MarshalJSON").Call(jen.Id("e"), jen.Id(c.Var))))
}

func unmarshalJSON(c *model.Category) jen.Code {
	return jen.Add(note("UnmarshalJSON reads what MarshalJSON wrote of an error of this type; any other is refused.")).
		Add(method(c, "UnmarshalJSON")).Params(jen.Id("b").Index().Byte()).Error().Block(
		jen.List(jen.Id("back"), jen.Err()).Op(":=").Id("UnmarshalError").Call(jen.Id("b")),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())),
		jen.List(jen.Id("typed"), jen.Id("ok")).Op(":=").Id("back").Assert(jen.Op("*").Id(c.Type)),
		jen.If(jen.Op("!").Id("ok")).Block(jen.Return(jen.Qual(pkgGen, "WrongType").Call(jen.Id("back")))),
		jen.Op("*").Id("e").Op("=").Op("*").Id("typed"),
		jen.Return(jen.Nil()),
	)
}

func formatMethod(c *model.Category) jen.Code {
	return jen.Add(note("Format prints the message; %+v prints the code, the context and the causes, too.")).
		Add(method(c, "Format")).Params(jen.Id("s").Qual(pkgFmt, "State"), jen.Id("verb").Rune()).
		Add(inOneLine(jen.Qual(pkgGen, "Format").Call(jen.Id("s"), jen.Id("verb"), jen.Id("e"), jen.Id(c.Var))))
}
