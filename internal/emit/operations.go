package emit

import "github.com/dave/jennifer/jen"

// operations makes the file of the operations that the program offers.
func (g *generator) operations(f *jen.File) {
	for _, o := range g.m.Operations {
		declare(f, documented(about(o.Var, o.Value.Doc, " is the operation "+o.Value.Name+"."), variable(o.Var,
			g.print(*o.Value))))
	}
}
