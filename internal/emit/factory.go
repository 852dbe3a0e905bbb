package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// factory makes the function that returns an error of a code.
func factory(c *model.Code) jen.Code {
	return jen.Add(comment(factoryDoc(c), deprecation(c))).
		Func().Id(c.Factory).Add(parameters(c.Args)).Op("*").Id(c.ErrorType().Type).
		Block(jen.Return(jen.Op("&").Id(c.ErrorType().Type).Add(factoryLiteral(c))))
}

func factoryDoc(c *model.Code) string { return c.Factory + " returns a [" + c.Const + "]." }

// factoryLiteral gives an error its code, and the fields that are parameters or fixed, in their
// order.
func factoryLiteral(c *model.Code) jen.Code {
	values := []jen.Code{jen.Id("base").Op(":").Qual(pkgGen, "Of").Call(jen.Id(c.Const))}
	for i, f := range c.Fields() {
		if c.Own != nil && i == len(c.Category.Fields) {
			values = []jen.Code{jen.Id(c.Own.OwnFields).Op(":").Id(c.Own.OwnFields).
				Values(jen.Id(c.Category.Type).Values(values...))}
		}
		if value := factoryValue(c, f); value != nil {
			values = append(values, jen.Id(f.Go).Op(":").Add(value))
		}
	}
	if len(values) > maxInLine {
		return multiLine(values)
	}
	return jen.Values(values...)
}

// factoryValue returns what the factory puts into f; nil is nothing.
func factoryValue(c *model.Code, f *model.Field) jen.Code {
	if c.Takes(f) {
		return kept(f, jen.Id(f.Param))
	}
	if value, ok := c.Fixed(f); ok {
		return fixed(f, value)
	}
	return nil
}

// fixed returns the expression that stores a value of the taxonomy in f.
func fixed(f *model.Field, v model.Value) jen.Code {
	if f.Optional() || f.Sensitive {
		return held(f, literal(f, v))
	}
	return constant(f, v)
}

// parameters lists fields as parameters; neighbours of one type share it.
func parameters(fields []*model.Field) jen.Code {
	params := make([]jen.Code, len(fields))
	for i, f := range fields {
		params[i] = jen.Id(f.Param)
		if i+1 == len(fields) || !sameType(f, fields[i+1]) {
			params[i] = jen.Id(f.Param).Add(valueType(f))
		}
	}
	if len(params) > maxListed {
		return jen.Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, params...)
	}
	return jen.Params(params...)
}

func sameType(a, b *model.Field) bool {
	return a.Type == b.Type && a.Enum == b.Enum && a.Object == b.Object
}

// deprecation returns the paragraph that marks a deprecated code, or "".
func deprecation(c *model.Code) string {
	if c.Extras().Deprecated == "" {
		return ""
	}
	text := "Deprecated: " + sentence(strings.Join(strings.Fields(c.Extras().Deprecated), " "))
	if c.ReplacedBy != nil {
		text += " Use [" + c.ReplacedBy.Const + "]."
	}
	return text
}
