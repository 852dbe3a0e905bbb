package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// category makes the file of a category: its codes, its error and the types that only it uses.
func category(f *jen.File, c *model.Category, own types) {
	declare(f, codeType(c), codeConstants(c))
	declare(f, codeMethods(c)...)
	declare(f, rowConstants(c), errorType(c))
	fieldTypes(f, own)
	for _, code := range c.Codes {
		declare(f, factory(code))
	}
	declare(f, copies(c)...)
	declare(f, identity(c)...)
	declare(f, rowMethod(c), hintsMethod(c), messageMethod(c), feedbackMethod(c), contextMethod(c))
	declare(f, printing(c)...)
	declare(f, logMethod(c))
	if len(shown(c.Fields)) > 0 {
		declare(f, decoding("e", c.Type, c.Fields))
	}
}
