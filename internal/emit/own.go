package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// A code with fields has a separate type, which embeds that of its category. A taxonomy can have a
// thousand of these types. Their methods are written out, because the compiler takes three times as
// long for methods of a generic type that they embed.

// embeddedType returns the alias of a category's type that the types of codes embed.
func embeddedType(c *model.Category) jen.Code {
	return documented(c.Embedded+" is "+c.Type+" under a name that is not exported, so only this package sets it.",
		jen.Type().Id(c.Embedded).Op("=").Id(c.Type))
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
			g.Id(c.Embedded)
			structFields(g, fields, false)
		})))
	g.fieldTypes(f, typesOf(fields), classifiesCode(g.m, code))
	declare(f, factory(code), ownMessage(c), g.contextMethod(c), ownMethods(c), copyMethods(c),
		publicContextMethod(c), feedbackMethod(c))
	if hasBranches(code) {
		declare(f, rowMethod(c))
	}
	if len(hints(c)) > len(hints(code.Category)) {
		declare(f, hintsMethod(c))
	}
}

// ownMethods returns the methods that print, encode and decode an error of a code with fields.
func ownMethods(c *model.Category) jen.Code {
	of := func(name string) *jen.Statement { return pointerMethod("e", c.Type, name) }
	return adjacent(append([]jen.Code{of("Error").Params().String().
		Add(returning(genName("OwnText").Call(jen.Id("e"))))}, encodingMethods(of, jen.Id("e"))...)...)
}

// copyMethods returns the With methods of an error of a code with fields. They do not call
// gen.With, because the compiler would make a function of it, and methods, for the form of each
// struct.
func copyMethods(c *model.Category) jen.Code {
	return adjacent(codes(setters(c.Fields, "c"), func(s setter) jen.Code {
		return pointerMethod("e", c.Type, s.method).Params(s.param).Op("*").Id(c.Type).
			Add(inLine(jen.Id("c").Op(":=").Op("*").Id("e"), s.change, jen.Return(jen.Op("&").Id("c"))))
	})...)
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
