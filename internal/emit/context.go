package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// contextMethod makes the method that appends the context as JSON.
func contextMethod(c *model.Category) jen.Code {
	return jen.Add(note("AppendContext appends the context as a JSON object, secrets masked.")).
		Add(method(c, "AppendContext")).Params(jen.Id("dst").Index().Byte()).Index().Byte().
		BlockFunc(func(g *jen.Group) {
			g.Id("o").Op(":=").Qual(pkgGen, "Object").Call(jen.Id("dst"))
			putFields(g, "e", c.Fields)
			g.Return(jen.Id("o").Dot("Close").Call())
		})
}

// logMethod makes the method that slog calls.
func logMethod(c *model.Category) jen.Code {
	return jen.Add(note("LogValue returns the error for slog, secrets masked.")).
		Add(method(c, "LogValue")).Params().Qual(pkgSlog, "Value").BlockFunc(func(g *jen.Group) {
		g.Return(jen.Qual(pkgGen, "LogValue").Call(jen.Id("e")))
	})
}

// appendContext is the name of the method that appends an object's fields.
const appendContext = "appendContext"

// objectMethod makes the method that appends an object's fields.
func objectMethod(o *model.Object) jen.Code {
	return jen.Func().Params(jen.Id("v").Op("*").Id(o.Type)).Id(appendContext).
		Params(jen.Id("o").Qual(pkgGen, "ObjectBuilder")).Qual(pkgGen, "ObjectBuilder").BlockFunc(func(g *jen.Group) {
		putFields(g, "v", o.Fields)
		g.Return(jen.Id("o"))
	})
}

// putFields makes the statements that append the fields of owner.
func putFields(g *jen.Group, owner string, fields []*model.Field) {
	for _, f := range shown(fields) {
		value := jen.Id(owner).Dot(f.Go)
		switch {
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
