package emit

import (
	"reflect"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// examples returns the function that returns the examples of all categories. It is a function, so
// that a program that does not call it does not contain them.
func examples(m *model.Package) jen.Code {
	var lists []jen.Code
	for _, c := range m.Categories {
		if len(exampleCodes(c)) > 0 {
			lists = append(lists, jen.Id(c.Examples).Call())
		}
	}
	all := jen.Nil()
	if len(lists) > 0 {
		lines := jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}
		all = jen.Qual("slices", "Concat").Custom(lines, lists...)
	}
	return documented("Examples returns the failures that the taxonomy has as examples, for package errtest. A "+
		"program that does not call it does not contain them.",
		jen.Func().Id("Examples").Params().Index().Add(taxonomyName("Example"), returning(all)))
}

// categoryExamples returns the function that returns the examples of a category. If there are none,
// it returns nil.
func (g *generator) categoryExamples(c *model.Category) jen.Code {
	var list []jen.Code
	for _, code := range exampleCodes(c) {
		for _, x := range code.Examples {
			if isPrintable(x) {
				list = append(list, jen.Values(keyed("Code", str(code.Value)), keyed("Evidence", g.evidence(x))))
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	return jen.Func().Id(c.Examples).Params().Index().Add(taxonomyName("Example")).
		Block(jen.Return(jen.Index().Add(taxonomyName("Example"), onLines(list...))))
}

// exampleCodes returns the codes of a category that have an example.
func exampleCodes(c *model.Category) (list []*model.Code) {
	for _, code := range c.Codes {
		for _, x := range code.Examples {
			if isPrintable(x) {
				list = append(list, code)
				break
			}
		}
	}
	return list
}

// isPrintable reports whether Examples contains an example. No expression has an error of any type
// that `as` can name.
func isPrintable(x *model.Example) bool { return !x.Not && x.As == "" }

func (g *generator) evidence(x *model.Example) jen.Code {
	var more []literal
	if x.Is != "" {
		more = append(more, element("Err", expression(g.errorRef(x.Is), "err")))
	}
	return taxonomyName("Evidence").Add(g.fields(reflect.ValueOf(x.Evidence), more...).code())
}
