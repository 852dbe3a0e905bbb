package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// enum makes the type of an enum, its values and its methods.
func enum(e *model.Enum) []jen.Code {
	return []jen.Code{enumType(e), enumValues(e), enumWords(e), enumString(e), enumMarshal(e), enumUnmarshal(e)}
}

func enumType(e *model.Enum) jen.Code {
	return jen.Add(comment(
		about(e.Type+" is one of a closed set of words", e.Doc, "."),
		"The zero "+e.Type+" is none of them.",
	)).Type().Id(e.Type).Uint8()
}

// enumValues makes the constants, numbered from one.
func enumValues(e *model.Enum) jen.Code {
	return jen.Add(comment("The values of [" + e.Type + "].")).Const().DefsFunc(func(g *jen.Group) {
		for i, v := range e.Values {
			g.Id(v.Const).Id(e.Type).Op("=").Lit(i + 1)
		}
	})
}

// enumWords makes the words as they are on the wire.
func enumWords(e *model.Enum) jen.Code {
	return jen.Var().Id(e.Var).Op("=").Add(words(e.Words()))
}

func enumString(e *model.Enum) jen.Code {
	return jen.Add(note(`String returns the word as it is on the wire, or "" for a value that does not exist.`)).
		Func().Params(jen.Id("v").Id(e.Type)).Id("String").Params().String().
		Add(returning(jen.Qual(pkgGen, "EnumWord").Call(jen.Uint8().Call(jen.Id("v")), jen.Id(e.Var))))
}

func enumMarshal(e *model.Enum) jen.Code {
	return jen.Add(
		comment("MarshalText returns the word, which is empty for no value; a value that does not exist is an error.")).
		Func().Params(jen.Id("v").Id(e.Type)).Id("MarshalText").Params().Params(jen.Index().Byte(), jen.Error()).
		Add(returning(
			jen.Qual(pkgGen, "MarshalEnum").Call(jen.Uint8().Call(jen.Id("v")), jen.Lit(e.Type), jen.Id(e.Var))))
}

func enumUnmarshal(e *model.Enum) jen.Code {
	return jen.Add(note("UnmarshalText reads a word; one that does not exist is an error.")).
		Func().Params(jen.Id("v").Op("*").Id(e.Type)).Id("UnmarshalText").Params(jen.Id("text").Index().Byte()).Error().
		Block(
			jen.List(jen.Id("n"), jen.Err()).Op(":=").Qual(pkgGen, "UnmarshalEnum").
				Call(jen.Id("text"), jen.Lit(e.Type), jen.Id(e.Var)),
			jen.If(jen.Err().Op("==").Nil()).Block(jen.Op("*").Id("v").Op("=").Id(e.Type).Call(jen.Id("n"))),
			jen.Return(jen.Err()),
		)
}

// lastValue is the name of an enum's last value, which is also how many there are.
func lastValue(e *model.Enum) jen.Code { return jen.Id(e.Values[len(e.Values)-1].Const) }
