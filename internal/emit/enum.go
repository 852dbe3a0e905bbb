package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// enum makes the type of an enum, its values and its methods.
func enum(e *model.Enum) []jen.Code {
	return []jen.Code{enumType(e), enumValues(e), jen.Var().Id(e.Var).Op("=").Add(words(e.Words())), enumMethods(e)}
}

func enumType(e *model.Enum) jen.Code {
	return jen.Add(comment(about(e.Type+" is one of a closed set of words", e.Doc, ".") +
		" The zero value is not valid.")).Type().Id(e.Type).Uint8()
}

// enumValues makes the constants, numbered from one.
func enumValues(e *model.Enum) jen.Code {
	return jen.Add(comment("The values of [" + e.Type + "].")).Const().DefsFunc(func(g *jen.Group) {
		for i, v := range e.Values {
			if s := g.Id(v.Const); i == 0 {
				s.Id(e.Type).Op("=").Iota().Op("+").Lit(1)
			}
		}
	})
}

func enumMethods(e *model.Enum) jen.Code {
	return jen.Op(strings.NewReplacer("$E", e.Type, "$V", e.Var).Replace(`
func (v $E) String() string { return gen.EnumWord(uint8(v), $V) }
func (v $E) MarshalText() ([]byte, error) { return gen.MarshalEnum(uint8(v), "$E", $V) }
func (v *$E) UnmarshalText(text []byte) error { return gen.UnmarshalEnum(text, v, "$E", $V) }
`))
}

// lastValue is the name of an enum's last value, which is also how many there are.
func lastValue(e *model.Enum) jen.Code { return jen.Id(e.Values[len(e.Values)-1].Const) }
