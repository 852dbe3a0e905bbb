package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// checks makes the file of what can be looked at before a call.
func checks(f *jen.File, m *model.Package) {
	declare(f, checkConstants(m), checksInterface(m), checkFunc(m))
}

func checkConstants(m *model.Package) jen.Code {
	return constants("The checks, as codes name them under prevent.", each(m.Checks, func(c *model.Check) jen.Code {
		return jen.Id(c.Const).Op("=").Lit(c.Name)
	}))
}

func checksInterface(m *model.Package) jen.Code {
	return jen.Add(
		comment(
			"Checks is what is looked at before a call that is likely to fail: a method for each check of the " +
				"taxonomy.")).
		Type().Id("Checks").InterfaceFunc(func(g *jen.Group) {
		for _, c := range m.Checks {
			g.Add(comment(about(c.Method, c.Doc, " runs the check "+c.Name+"."))).Id(c.Method).Params(
				jen.Id("ctx").Qual(pkgContext, "Context"),
			).Error()
		}
	})
}

func checkFunc(m *model.Package) jen.Code {
	return jen.Add(comment("Check runs the named check of c.")).
		Func().Id("Check").Params(
		jen.Id("ctx").Qual(pkgContext, "Context"), jen.Id("c").Id("Checks"), jen.Id("name").String(),
	).Error().Block(
		jen.Switch(jen.Id("name")).BlockFunc(func(g *jen.Group) {
			for _, c := range m.Checks {
				g.Case(jen.Id(c.Const)).Block(jen.Return(jen.Id("c").Dot(c.Method).Call(jen.Id("ctx"))))
			}
			g.Default().Block(jen.Return(jen.Qual(pkgGen, "UnknownCheck").Call(jen.Id("name"))))
		}),
	)
}
