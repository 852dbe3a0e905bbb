package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// object makes the struct that a field's object is, and its methods.
func object(f *model.Field) []jen.Code {
	o := f.Object
	return []jen.Code{
		objectType(o), objectKept(f),
		objectMethod(o),
		decoding("v", o.Type, o.Fields),
	}
}

func objectType(o *model.Object) jen.Code {
	return jen.Add(comment(about(o.Type+" is a part of an error's context", o.Doc, "."))).
		Type().Id(o.Type).StructFunc(func(g *jen.Group) { structFields(g, o.Fields) })
}

// objectKept makes the method that returns an object as its field holds it. It does the wrapping,
// too, so that the methods that call it stay small enough to be inlined.
func objectKept(f *model.Field) jen.Code {
	if !keepsParts(f.Object) {
		return nil
	}
	return jen.Add(
		comment("kept returns v as an error keeps it: with lists of its own, and without values that do not exist.")).
		Func().Params(jen.Id("v").Id(f.Object.Type)).Id("kept").Params().Add(fieldType(f)).
		BlockFunc(func(g *jen.Group) {
			for _, part := range f.Object.Fields {
				g.Add(keptPart(part))
			}
			g.Return(held(f, jen.Id("v")))
		})
}

// keptPart is the statement that makes a part of an object the object's own.
func keptPart(f *model.Field) jen.Code {
	part := func() *jen.Statement { return jen.Id("v").Dot(f.Go) }
	switch {
	case f.Sensitive || !takesKeeping(f):
		return jen.Null()
	case !f.Optional():
		return part().Op("=").Add(kept(f, part()))
	default:
		return jen.If(jen.List(jen.Id("x"), jen.Id("ok")).Op(":=").Add(part()).Dot("Get").Call(), jen.Id("ok")).
			Block(part().Op("=").Add(kept(f, jen.Id("x"))))
	}
}

// keepsParts reports whether storing an object takes more than an assignment.
func keepsParts(o *model.Object) bool { return slices.ContainsFunc(o.Fields, takesKeeping) }

func takesKeeping(f *model.Field) bool {
	switch f.Type {
	case model.Strings, model.JSON, model.EnumType:
		return !f.Sensitive
	case model.ObjectType:
		return !f.Sensitive && keepsParts(f.Object)
	default:
		return false
	}
}
