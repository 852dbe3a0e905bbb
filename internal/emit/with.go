package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// copies makes the methods that return a changed copy: one for each field that a factory may leave
// out, and one for the cause. They are small enough to be inlined, which keeps an error made and
// completed in one expression at one allocation.
func copies(c *model.Category) []jen.Code {
	var out []jen.Code
	for _, f := range c.Fields {
		if !f.Required {
			out = append(out, withField(c, f))
		}
	}
	return append(out, withCause(c))
}

func withField(c *model.Category, f *model.Field) jen.Code {
	name := "With" + f.Go
	return jen.Add(comment(name + " returns a copy of e with the given " + f.Go + ".")).
		Add(method(c, name)).Params(jen.Id(f.Param).Add(valueType(f))).Op("*").Id(c.Type).
		Block(changedCopy(f.Go, kept(f, jen.Id(f.Param)))...)
}

func withCause(c *model.Category) jen.Code {
	return jen.Add(note("WithCause returns a copy of e that wraps cause.")).
		Add(method(c, "WithCause")).Params(jen.Id("cause").Error()).Op("*").Id(c.Type).
		Block(changedCopy("cause", jen.Id("cause"))...)
}

func changedCopy(field string, value jen.Code) []jen.Code {
	return []jen.Code{
		jen.Id("c").Op(":=").Op("*").Id("e"),
		jen.Id("c").Dot(field).Op("=").Add(value),
		jen.Return(jen.Op("&").Id("c")),
	}
}
