package emit

import (
	"strconv"

	"github.com/dave/jennifer/jen"
)

// composite collects the elements of a struct literal, in order; zero values are left out.
type composite []jen.Code

func (c *composite) add(name string, value jen.Code) {
	*c = append(*c, jen.Id(name).Op(":").Add(value))
}

// code adds an element as source. The table has many thousands, and one token for each is what
// keeps making it cheap.
func (c *composite) code(name, value string) {
	*c = append(*c, jen.Op(name+": "+value))
}

func (c *composite) text(name, s string) {
	if s != "" {
		c.code(name, strconv.Quote(s))
	}
}

func (c *composite) number(name string, n int) {
	if n != 0 {
		c.code(name, strconv.Itoa(n))
	}
}

func (c *composite) flag(name string, v bool) {
	if v {
		c.code(name, "true")
	}
}

// address adds the address of a variable.
func (c *composite) address(name, variable string) { c.code(name, "&"+variable) }

// constant adds one of the runtime's constants, which needs the file to import the runtime in any
// case; "" is the zero one.
func (c *composite) constant(name, constant string) {
	if constant != "" {
		c.code(name, "taxonomy."+constant)
	}
}

// list adds a slice of one of the runtime's types, an element a line.
func (c *composite) list(name string, typ jen.Code, elements []jen.Code) {
	if len(elements) > 0 {
		c.add(name, jen.Index().Add(typ).Add(multiLine(elements)))
	}
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
const maxInLine = 2

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

// runtimePointer begins the address of a literal of one of the runtime's types.
func runtimePointer(name string) *jen.Statement { return jen.Op("&").Add(runtimeType(name)) }

// runtimeType names a type of the runtime.
func runtimeType(name string) *jen.Statement { return jen.Qual(pkgTaxonomy, name) }
