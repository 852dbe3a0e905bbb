package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// A code with fields has a separate type. A taxonomy can have a thousand of these types, so their
// common methods are in one type for each category, which they embed.

// ownBase declares the types that the types of codes embed, and their methods.
func ownBase(f *jen.File, c *model.Category) {
	of := func(name string) *jen.Statement {
		return jen.Func().Params(jen.Id("o").Op("*").Id(c.OwnBase).Types(jen.Id("P"))).Id(name)
	}
	outer := genName("Outer").Types(jen.Id("P")).Call(jen.Id("o"))
	declare(f,
		documented(c.Embedded+" is "+c.Type+" under a name that is not exported, so only this package sets it.",
			jen.Type().Id(c.Embedded).Op("=").Id(c.Type)),
		documented(c.OwnFields+" holds the fields of the category in the errors of codes with fields.",
			jen.Type().Id(c.OwnFields).Struct(jen.Id(c.Embedded))),
		documented(c.OwnBase+" has the common methods of the errors of codes with fields. It is their first field, "+
			"and P is their pointer type.", jen.Type().Id(c.OwnBase).Types(jen.Id("P").Any()).Struct()),
		adjacent(append([]jen.Code{of("Error").Params().String().Add(returning(genName("OwnText").Call(outer)))},
			encodingMethods(of, outer)...)...),
		adjacent(codes(append(setters(c.Fields), causeSetter()), func(s setter) jen.Code {
			change := jen.Func().Params(jen.Id("e").Op("*").Id(c.Type)).Add(inLine(s.change))
			return of(s.method).Params(s.param).Id("P").
				Add(returning(genName("WithOuter").Types(jen.Id("P")).Call(jen.Id("o"), change)))
		})...),
		contextBuilder("e", c.Type, c.Fields))
}

// contextBuilder returns the method that appends fields to a JSON object.
func contextBuilder(receiver, typ string, fields []*model.Field) jen.Code {
	builder := genName("ObjectBuilder")
	body := append(assignments("o", contextSteps(receiver, fields)), jen.Return(jen.Id("o")))
	return pointerMethod(receiver, typ, "appendContext").Params(jen.Id("o").Add(builder)).Add(builder).Block(body...)
}

// ownType makes the type of a code's errors, its factory and its methods.
func (g *generator) ownType(f *jen.File, code *model.Code) {
	c := code.OwnType
	fields := ownFields(g.m, c)
	doc := c.Type + " is an error of [" + code.Const + "], and has the context of [" + code.Category.Type + "] too."
	declare(f, documented(doc,
		jen.Type().Id(c.Type).StructFunc(func(g *jen.Group) {
			g.Id(c.OwnBase).Types(jen.Op("*").Id(c.Type))
			g.Id(c.OwnFields)
			structFields(g, fields, false)
		})))
	g.fieldTypes(f, typesOf(fields), classifiesCode(g.m, code))
	declare(f, factory(code), ownMessage(c), g.contextMethod(c), withMethods(setters(fields), c.Type),
		publicContextMethod(c), feedbackMethod(c))
	if hasBranches(code) {
		declare(f, rowMethod(c))
	}
	if len(hints(c)) > len(hints(code.Category)) {
		declare(f, hintsMethod(c))
	}
}

// classifiesCode reports whether evidence can become an error of the code.
func classifiesCode(m *model.Package, c *model.Code) bool {
	for _, code := range m.SourceFallbacks {
		if code == c {
			return true
		}
	}
	return m.Fallback == c || len(c.Rules) > 0
}
