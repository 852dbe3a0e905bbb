package emit

import "github.com/dave/jennifer/jen"

// declare adds declarations to a file, a blank line after each. A nil declaration is one that the
// taxonomy gives no cause for.
func declare(f *jen.File, decls ...jen.Code) {
	for _, d := range decls {
		if d != nil {
			f.Add(d).Line()
		}
	}
}

// constants makes a block of constants, or a single one.
func constants(doc string, defs []jen.Code) jen.Code {
	head := jen.Add(comment(doc)).Const()
	switch len(defs) {
	case 0:
		return nil
	case 1:
		return head.Add(defs[0])
	default:
		return head.Defs(defs...)
	}
}

// inOneLine is the body of a function that fits behind its head.
func inOneLine(statement jen.Code) jen.Code {
	return jen.Custom(jen.Options{Open: "{ ", Close: " }"}, statement)
}

// returning is the body of a function that returns an expression.
func returning(value ...jen.Code) jen.Code { return inOneLine(jen.Return(value...)) }

func each[T any](list []T, element func(T) jen.Code) []jen.Code {
	out := make([]jen.Code, len(list))
	for i, item := range list {
		out[i] = element(item)
	}
	return out
}
