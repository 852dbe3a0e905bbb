package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// strategies makes the file of what reactions can recover with.
func strategies(f *jen.File, m *model.Package) {
	declare(f, strategyConstants(m), strategiesInterface(m), recoverFunc(m))
}

func strategyConstants(m *model.Package) jen.Code {
	return constants("The strategies, as reactions name them.", each(m.Strategies, func(s *model.Strategy) jen.Code {
		return jen.Id(s.Const).Op("=").Lit(s.Name)
	}))
}

func strategiesInterface(m *model.Package) jen.Code {
	return jen.Add(comment("Strategies has a method for each strategy of the taxonomy, which reactions run to recover.")).
		Type().Id("Strategies").InterfaceFunc(func(g *jen.Group) {
		for _, s := range m.Strategies {
			g.Add(comment(about(s.Method, s.Doc, " runs the strategy "+s.Name+"."))).Id(s.Method).Params(
				jen.Id("ctx").Qual(pkgContext, "Context"), jen.Id("failure").Add(runtimeType("RecoveryRequest")),
			).Error()
		}
	})
}

func recoverFunc(m *model.Package) jen.Code {
	named := func() *jen.Statement { return jen.Id("failure").Dot("Reaction").Dot("Strategy") }
	return jen.Add(comment("Recover runs the strategy of s that the failure's reaction names.")).
		Func().Id("Recover").Params(
		jen.Id("ctx").Qual(pkgContext, "Context"), jen.Id("s").Id("Strategies"),
		jen.Id("failure").Add(runtimeType("RecoveryRequest")),
	).Error().Block(
		jen.Switch(named()).BlockFunc(func(g *jen.Group) {
			for _, s := range m.Strategies {
				g.Case(jen.Id(s.Const)).
					Block(jen.Return(jen.Id("s").Dot(s.Method).Call(jen.Id("ctx"), jen.Id("failure"))))
			}
			g.Default().Block(jen.Return(jen.Qual(pkgGen, "UnknownStrategy").Call(named())))
		}),
	)
}
