package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// object makes the struct that a field's object is, and its methods.
func object(f *model.Field) []jen.Code {
	return []jen.Code{objectType(f.Object), objectKept(f), objectMethod(f.Object)}
}

func objectType(o *model.Object) jen.Code {
	return jen.Add(comment(about(o.Type+" is a part of an error's context", o.Doc, "."))).
		Type().Id(o.Type).StructFunc(func(g *jen.Group) { structFields(g, o.Fields, true) })
}

// objectKept makes the method that returns an object as its field holds it. It does the wrapping,
// too, so that the methods that call it stay small enough to be inlined.
func objectKept(f *model.Field) jen.Code {
	if !keepsParts(f.Object) {
		return nil
	}
	return jen.Add(
		comment("kept returns v with copies of its lists, and without values that are not valid.")).
		Func().Params(jen.Id("v").Id(f.Object.Type)).Id("kept").Params().Add(keptType(f)).
		BlockFunc(func(g *jen.Group) {
			for _, part := range f.Object.Fields {
				g.Add(keptPart(part))
			}
			if f.Type == model.Objects {
				g.Return(jen.Id("v"))
			} else {
				g.Return(held(f, jen.Id("v")))
			}
		})
}

func keptType(f *model.Field) jen.Code {
	if f.Type == model.Objects {
		return itemType(f)
	}
	return fieldType(f)
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
	case model.Strings, model.JSON, model.EnumType, model.Objects, model.Violations:
		return !f.Sensitive
	case model.ObjectType:
		return !f.Sensitive && keepsParts(f.Object)
	default:
		return false
	}
}

// objectMethod makes the method that appends an object's fields.
func objectMethod(o *model.Object) jen.Code {
	return jen.Func().Params(jen.Id("v").Op("*").Id(o.Type)).Id(appendContext).
		Params(jen.Id("o").Qual(pkgGen, "ObjectBuilder")).Qual(pkgGen, "ObjectBuilder").BlockFunc(func(g *jen.Group) {
		putFields(g, "v", o.Fields)
		g.Return(jen.Id("o"))
	})
}

// appendContext is the name of the method that appends an object's fields.
const appendContext = "appendContext"

// putFields makes the statements that append the fields of owner.
func putFields(g *jen.Group, owner string, fields []*model.Field) {
	for _, f := range shown(fields) {
		value := jen.Id(owner).Dot(f.Go)
		switch {
		case f.Type.IsObjects():
			put := jen.Parens(jen.Op("*").Add(itemType(f))).Dot(appendContext)
			if f.Type == model.Violations {
				put = jen.Qual(pkgGen, "PutViolation")
			}
			g.Id("o").Op("=").Qual(pkgGen, absentable(f, "Objects")).Call(jen.Id("o"), jen.Lit(f.Wire), value, put)
		case f.Type != model.ObjectType || f.Sensitive:
			name, args := putCall(f, value)
			g.Id("o").Op("=").Id("o").Dot(name).Call(args...)
		case f.Required:
			g.Add(putObject(f, value))
		default:
			g.If(jen.List(jen.Id("x"), jen.Id("ok")).Op(":=").Add(value).Dot("Get").Call(), jen.Id("ok")).
				Block(putObject(f, jen.Id("x")))
		}
	}
}

// putObject is the statement that puts an object in.
func putObject(f *model.Field, value *jen.Statement) jen.Code {
	begun := jen.Id("o").Dot("Begin").Call(jen.Lit(f.Wire))
	return jen.Id("o").Op("=").Add(value).Dot(appendContext).Call(begun).Dot("End").Call()
}

// putCall returns the builder's method that puts a field in, and its arguments.
func putCall(f *model.Field, value *jen.Statement) (name string, args []jen.Code) {
	key := jen.Lit(f.Wire)
	switch {
	case f.Sensitive:
		return absentable(f, "Secret"), []jen.Code{key, jen.Op("!").Add(value.Dot("IsZero").Call())}
	case f.Type == model.EnumType:
		return absentable(f, "Enum"), []jen.Code{key, enumWord(f, value)}
	case f.Type == model.Strings:
		return absentable(f, "Strings"), []jen.Code{key, value, cleaning(f)}
	case f.Const != "":
		return "Clean", []jen.Code{key, opt(f, value), cleaning(f)}
	case f.Type == model.JSON:
		return absentable(f, "JSON"), []jen.Code{key, value}
	default:
		return typeWord(f), []jen.Code{key, opt(f, value)}
	}
}

// opt returns a field's value as a taxonomy.Opt.
func opt(f *model.Field, value jen.Code) jen.Code {
	if f.Optional() {
		return value
	}
	return jen.Qual(pkgTaxonomy, "Some").Call(value)
}

// absentable returns the name of a builder's method for a field that may be left out.
func absentable(f *model.Field, name string) string {
	if f.Required {
		return name
	}
	return "Opt" + name
}

// shown leaves out the fields that are in the message only.
func shown(fields []*model.Field) []*model.Field {
	var out []*model.Field
	for _, f := range fields {
		if !f.MessageOnly {
			out = append(out, f)
		}
	}
	return out
}
