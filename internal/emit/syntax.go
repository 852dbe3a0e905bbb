package emit

import (
	"github.com/dave/jennifer/jen"
)

// declare adds declarations to a file, with a blank line after each. It skips nil declarations.
func declare(f *jen.File, decls ...jen.Code) {
	for _, d := range decls {
		if d != nil {
			f.Add(d).Line()
		}
	}
}

// adjacent returns declarations without blank lines between them, or nil if there are none.
func adjacent(decls ...jen.Code) jen.Code {
	if len(decls) == 0 {
		return nil
	}
	return jen.Custom(jen.Options{Multi: true}, decls...)
}

// documented returns a declaration with its comment.
func documented(doc string, decl jen.Code) jen.Code { return jen.Add(comment(doc), decl) }

// constants returns a block of constants, or a single one without a block.
func constants(doc string, defs []jen.Code) jen.Code {
	if len(defs) == 1 {
		return documented(doc, jen.Const().Add(defs[0]))
	}
	return constBlock(doc, defs)
}

// constBlock returns a block of constants, or nil if there are none.
func constBlock(doc string, defs []jen.Code) jen.Code {
	if len(defs) == 0 {
		return nil
	}
	return documented(doc, jen.Const().Defs(defs...))
}

// enumConsts returns the definitions of constants of a type that are numbered from one.
func enumConsts(typ string, names []string) []*jen.Statement {
	defs := each(names, func(name string) *jen.Statement { return jen.Id(name) })
	defs[0].Id(typ).Op("=").Iota().Op("+").Lit(1)
	return defs
}

// method begins a method of a type; pointerMethod, one of a pointer to it.
func method(receiver, typ, name string) *jen.Statement {
	return jen.Func().Params(jen.Id(receiver).Id(typ)).Id(name)
}

func pointerMethod(receiver, typ, name string) *jen.Statement {
	return jen.Func().Params(jen.Id(receiver).Op("*").Id(typ)).Id(name)
}

// inLine returns statements as a body on one line.
func inLine(statements ...jen.Code) jen.Code {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ";"}, statements...)
}

// returning returns a body on one line that returns values.
func returning(values ...jen.Code) jen.Code { return inLine(jen.Return(values...)) }

// onLines returns the elements of a composite literal in braces, each on a line.
func onLines(elements ...jen.Code) jen.Code {
	if len(elements) == 0 {
		return jen.Values()
	}
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, elements...)
}

// few returns the elements of a composite literal in braces: on one line, or each on a line if
// there are many.
func few(elements ...jen.Code) jen.Code {
	const maxInLine = 4
	if len(elements) > maxInLine {
		return onLines(elements...)
	}
	return jen.Values(elements...)
}

// keyed returns an element of a composite literal.
func keyed(key string, value jen.Code) jen.Code { return jen.Id(key).Op(":").Add(value) }

// addressOf returns the address of a variable.
func addressOf(name string) *jen.Statement { return jen.Op("&").Id(name) }

// definition returns the address of the taxonomy's definition, which most methods pass on.
func definition() *jen.Statement { return addressOf("definition") }

// str returns a string as a literal; see [quote].
func str(s string) *jen.Statement { return jen.Id(quote(s)) }

// operators joins expressions by an operator.
func operators(op string, terms []jen.Code) *jen.Statement {
	s := &jen.Statement{}
	for i, t := range terms {
		if i > 0 {
			s.Op(op)
		}
		s.Add(t)
	}
	return s
}

// call is a call of a method in a chain.
type call struct {
	method string
	args   []jen.Code
}

// step is a part of a chain: calls, or a statement that ends the chain before it.
type step struct {
	calls     []call
	statement jen.Code
}

func calling(method string, args ...jen.Code) step { return step{calls: []call{{method, args}}} }

// chained appends calls to an expression.
func chained(s *jen.Statement, calls ...call) *jen.Statement {
	for _, c := range calls {
		s.Dot(c.method).Call(c.args...)
	}
	return s
}

// maxChain is the maximum number of calls in a statement.
const maxChain = 4

// assignments returns the statements that make the steps with a builder, several calls in each.
func assignments(builder string, steps []step) []jen.Code {
	var out []jen.Code
	var calls []call
	flush := func() {
		if len(calls) > 0 {
			out = append(out, jen.Id(builder).Op("=").Add(chained(jen.Id(builder), calls...)))
		}
		calls = nil
	}
	for _, s := range steps {
		if s.statement != nil || len(calls)+len(s.calls) > maxChain {
			flush()
		}
		if calls = append(calls, s.calls...); s.statement != nil {
			out = append(out, s.statement)
		}
	}
	flush()
	return out
}

// builderBody returns the body of a function that makes steps with a builder and returns its
// result: one expression if it is short, otherwise statements.
func builderBody(builder string, begin *jen.Statement, steps []step, end ...call) jen.Code {
	var all []call
	short := true
	for _, s := range steps {
		all = append(all, s.calls...)
		short = short && s.statement == nil
	}
	if short && len(all) <= maxChain {
		return jen.Block(jen.Return(chained(begin, append(all, end...)...)))
	}
	body := append([]jen.Code{jen.Id(builder).Op(":=").Add(begin)}, assignments(builder, steps)...)
	return jen.Block(append(body, jen.Return(chained(jen.Id(builder), end...)))...)
}

// each returns the result of a function for each item.
func each[T, U any](list []T, of func(T) U) []U {
	out := make([]U, len(list))
	for i, item := range list {
		out[i] = of(item)
	}
	return out
}

// codes is each for functions that return parts of a statement.
func codes[T any, C jen.Code](list []T, of func(T) C) []jen.Code {
	return each(list, func(item T) jen.Code { return of(item) })
}

// statements returns statements as parts of another one.
func statements(list []*jen.Statement) []jen.Code {
	return codes(list, func(s *jen.Statement) jen.Code { return s })
}
