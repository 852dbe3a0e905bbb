package emit

import (
	"cmp"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/stdlib"
	"github.com/errgen/errgen/runtime/detect"
)

// standardError is an error of the standard library that a rule names.
type standardError struct {
	key  detect.Key
	name string
}

// standardErrors lists the errors that rules name, sorted: values first.
func standardErrors(m *model.Package) []standardError {
	var out []standardError
	for _, r := range m.Rules {
		for _, c := range r.Conditions {
			if c.Key != detect.Is && c.Key != detect.As {
				continue
			}
			for _, name := range slices.Concat(c.Any, c.Not) {
				out = append(out, standardError{c.Key, name})
			}
		}
	}
	slices.SortFunc(out, func(a, b standardError) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.name, b.name))
	})
	return slices.Compact(out)
}

// ruleIs makes the function that tests an error for what rules name; nil where they name nothing.
func ruleIs(m *model.Package) jen.Code {
	named := standardErrors(m)
	if len(named) == 0 {
		return nil
	}
	return jen.Add(comment("ruleIs reports whether err is, or wraps, the error that a rule names in is or as.")).
		Func().Id("ruleIs").Params(jen.Err().Error(), jen.Id("name").String()).Bool().Block(
		jen.Switch(jen.Id("name")).BlockFunc(func(g *jen.Group) {
			for _, e := range named {
				g.Case(jen.Lit(e.name)).Block(e.test()...)
			}
			g.Default().Block(jen.Return(jen.False()))
		}),
	)
}

func (e standardError) test() []jen.Code {
	if e.key == detect.Is {
		v, _ := stdlib.LookupValue(e.name)
		return []jen.Code{jen.Return(jen.Qual(pkgErrors, "Is").Call(jen.Err(), jen.Qual(v.Package, v.Name)))}
	}
	t, _ := stdlib.LookupType(e.name)
	typ := jen.Qual(t.Package, t.Name)
	if t.Pointer {
		typ = jen.Op("*").Add(typ)
	}
	return []jen.Code{
		jen.List(jen.Id("_"), jen.Id("ok")).Op(":=").Qual("errors", "AsType").Types(typ).Call(jen.Err()),
		jen.Return(jen.Id("ok")),
	}
}
