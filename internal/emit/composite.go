package emit

import (
	"github.com/dave/jennifer/jen"
)

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

// maxListed is the greatest number of parameters or list elements on one line.
const maxListed = 6

// runtimeType names a type of the runtime.
func runtimeType(name string) *jen.Statement { return jen.Qual(pkgTaxonomy, name) }
