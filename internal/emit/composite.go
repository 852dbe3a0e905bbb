package emit

import (
	"github.com/dave/jennifer/jen"
)

// composite collects the elements of a struct literal, in order; zero values are left out.
type composite []jen.Code

func (c *composite) add(name string, value jen.Code) {
	*c = append(*c, jen.Id(name).Op(":").Add(value))
}

// literal returns the struct literal without its type: in one line while it is short.
func (c composite) literal() jen.Code {
	if len(c) > maxInLine {
		return multiLine(c)
	}
	return c.inLine()
}

// inLine returns the struct literal in one line, without its type.
func (c composite) inLine() jen.Code { return jen.Values(c...) }

// maxInLine is how many elements a struct literal has in one line.
const maxInLine = 4

// multiLine returns a composite literal with a line for each element.
func multiLine(elements []jen.Code) jen.Code {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, elements...)
}

// list returns the elements of a slice literal: in one line while they are few.
func list(elements []jen.Code) jen.Code {
	if len(elements) > maxListed {
		return multiLine(elements)
	}
	return jen.Values(elements...)
}

// maxListed is how many parameters or elements of a list stand in one line.
const maxListed = 6

// runtimeType names a type of the runtime.
func runtimeType(name string) *jen.Statement { return jen.Qual(pkgTaxonomy, name) }
