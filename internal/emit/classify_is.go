package emit

import (
	"cmp"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/detect"
)

// namedError is an error that a rule names.
type namedError struct {
	key  detect.Key
	name string
}

// namedErrors lists the errors that rules name, sorted: values first.
func namedErrors(m *model.Package) []namedError {
	var out []namedError
	for _, r := range m.Rules {
		for _, c := range r.Conditions {
			if c.Key != detect.Is && c.Key != detect.As {
				continue
			}
			for _, name := range slices.Concat(c.Any, c.Not) {
				out = append(out, namedError{c.Key, name})
			}
		}
	}
	slices.SortFunc(out, func(a, b namedError) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.name, b.name))
	})
	return slices.Compact(out)
}

// ruleIs makes the function that tests an error for what rules name; nil where they name nothing.
func ruleIs(m *model.Package) jen.Code {
	named := namedErrors(m)
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

func (e namedError) test() []jen.Code {
	name := errorName(e.name)
	if e.key == detect.Is {
		return []jen.Code{jen.Return(jen.Qual(pkgErrors, "Is").Call(jen.Err(), jen.Qual(name.Path, name.Name)))}
	}
	typ := jen.Qual(name.Path, name.Name)
	if name.Pointer {
		typ = jen.Op("*").Add(typ)
	}
	return []jen.Code{
		jen.List(jen.Id("_"), jen.Id("ok")).Op(":=").Qual("errors", "AsType").Types(typ).Call(jen.Err()),
		jen.Return(jen.Id("ok")),
	}
}

// errorName parses a name that package check has accepted.
func errorName(name string) model.ErrorName {
	parsed, err := model.ParseErrorName(name)
	if err != nil {
		panic(err)
	}
	return parsed
}
