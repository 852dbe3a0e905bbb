package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// decoding makes the method that reads the fields of a struct off the wire.
func decoding(receiver, typ string, fields []*model.Field) jen.Code {
	return jen.Func().Params(jen.Id(receiver).Op("*").Id(typ)).Id("decode").
		Params(jen.Id("d").Op("*").Qual(pkgGen, "Decoder")).Block(
		jen.For(jen.Id("d").Dot("Next").Call()).Block(
			jen.Switch(jen.String().Call(jen.Id("d").Dot("Key").Call())).BlockFunc(func(g *jen.Group) {
				for _, f := range shown(fields) {
					g.Case(jen.Lit(f.Wire)).Block(decodeField(jen.Id(receiver).Dot(f.Go), f)...)
				}
				g.Default().Block(jen.Id("d").Dot("Skip").Call())
			}),
		),
	)
}

// decodeField makes the statements that read one field.
func decodeField(target *jen.Statement, f *model.Field) []jen.Code {
	switch {
	case f.Type == model.EnumType && !f.Sensitive:
		return []jen.Code{jen.Qual(pkgGen, decodeEnum(f)).
			Call(jen.Id("d"), jen.Op("&").Add(target), jen.Id(f.Enum.Var))}
	case f.Type == model.ObjectType && !f.Sensitive:
		return []jen.Code{jen.If(jen.Id("d").Dot("Open").Call()).Block(
			jen.Var().Id("x").Id(f.Object.Type),
			jen.Id("x").Dot("decode").Call(jen.Id("d")),
			target.Op("=").Add(held(f, jen.Id("x"))),
		)}
	default:
		return []jen.Code{jen.Id("d").Dot("Read").Call(jen.Op("&").Add(target))}
	}
}

// decodeEnum returns the name of the function that reads an enum.
func decodeEnum(f *model.Field) string {
	if f.Optional() {
		return "DecodeOptEnum"
	}
	return "DecodeEnum"
}

// unmarshalling makes the file that reads errors off the wire.
func unmarshalling(f *jen.File, m *model.Package) {
	declare(f, unmarshalError(), decodeFunc(m))
}

func unmarshalError() jen.Code {
	return jen.Add(comment(
		"UnmarshalError reads an error that MarshalJSON or AppendJSON wrote, with its code, context and cause. "+
			"What was masked stays masked.",
		"An error whose code or domain is not known here, or that has a word that an enum does not have, becomes a "+
			"*[taxonomy.Unknown], which is no fault: the second result is about what could not be read.",
	)).Func().Id("UnmarshalError").Params(jen.Id("b").Index().Byte()).
		Params(jen.Qual(pkgTaxonomy, "Error"), jen.Error()).
		Add(returning(jen.Qual(pkgGen, "Unmarshal").Call(jen.Id("b"), definition(), jen.Id("decode"))))
}

// decodeFunc makes the function that makes an error of the category that the decoder found. The
// last category has no case of its own: the decoder knows no other, and what cannot happen cannot
// be tested.
func decodeFunc(m *model.Package) jen.Code {
	return jen.Func().Id("decode").Params(jen.Id("d").Op("*").Qual(pkgGen, "Decoder")).Qual(pkgTaxonomy, "Error").
		BlockFunc(func(g *jen.Group) {
			last := len(m.Categories) - 1
			if last > 0 {
				g.Switch(jen.Id("d").Dot("Category").Call()).BlockFunc(func(g *jen.Group) {
					for _, c := range m.Categories[:last] {
						g.Case(jen.Id(c.Var)).Block(decodeCategory(c)...)
					}
					g.Default().Block(decodeCategory(m.Categories[last])...)
				})
				return
			}
			for _, statement := range decodeCategory(m.Categories[last]) {
				g.Add(statement)
			}
		})
}

// decodeCategory makes the statements for a category; one without fields on the wire reads none.
func decodeCategory(c *model.Category) []jen.Code {
	var values composite
	values.add("code", jen.Id(c.CodeType).Call(jen.Id("d").Dot("Ordinal").Call()))
	values.add("cause", jen.Id("d").Dot("Cause").Call())
	if len(shown(c.Fields)) == 0 {
		return []jen.Code{jen.Return(jen.Op("&").Id(c.Type).Add(values.inLine()))}
	}
	return []jen.Code{
		jen.Id("e").Op(":=").Op("&").Id(c.Type).Add(values.inLine()),
		jen.Id("e").Dot("decode").Call(jen.Id("d")),
		jen.Return(jen.Id("e")),
	}
}
