package emit

import (
	"reflect"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// A code with fields has a type of its own, which embeds the type of its category. There may be
// hundreds of them, so each method is on one line where it can be.

// ownType makes the type of a code's errors, its factory and its methods.
func (t *tables) ownType(f *jen.File, code *model.Code, l *literals) {
	c := code.Own
	declare(f, jen.Add(comment(c.Type+" is a ["+code.Category.Type+"] with the context of ["+code.Const+"].")).
		Type().Id(c.Type).StructFunc(func(g *jen.Group) {
		g.Id(c.Embedded).Line()
		structFields(g, ownFields(t.m, c), false)
	}))
	fieldTypes(f, l, typesOf(ownFields(t.m, c)), made(t.m, code))
	declare(f, factory(code), ownMethods(t.m, c), copies(c))
	if hasBranches(code) {
		declare(f, rowMethod(c))
	}
	if code.Feedback != nil {
		declare(f, feedbackMethod(c))
	}
	if len(hints(c)) > len(hints(code.Category)) {
		declare(f, hintsMethod(c))
	}
}

// ownMethods makes the methods that the type of a code has in place of those of its category.
func ownMethods(m *model.Package, c *model.Category) jen.Code {
	var pointers []string
	for _, f := range ownFields(m, c) {
		pointers = append(pointers, expression(fieldPointer(f, jen.Id("e").Dot(f.Go))))
	}
	return jen.Add(appendMethods(m, c)).Line().Op(strings.NewReplacer("$E", c.Type, "$B", c.Embedded,
		"$list", strings.Join(pointers, ", ")).Replace(`
func (e *$E) Error() string { return gen.Text(e, (*$E).AppendMessage) }
func (e *$E) Format(s fmt.State, verb rune) { gen.Format(s, verb, e) }
func (e *$E) LogValue() slog.Value { return gen.LogValue(e) }
func (e *$E) AppendJSON(dst []byte) []byte { return gen.AppendJSON(dst, e) }
func (e *$E) MarshalJSON() ([]byte, error) { return gen.MarshalJSON(e) }
func (e *$E) UnmarshalJSON(b []byte) error { return gen.UnmarshalAs(b, e) }
func (e *$E) list() []any { return append(e.$B.list(), $list) }
`))
}

// appendMethods makes the methods that append the message and the context.
func appendMethods(m *model.Package, c *model.Category) jen.Code {
	coded := []jen.Code{jen.Id("dst"), jen.Uint16().Call(jen.Id("e").Dot("Code").Call()), jen.Lit(c.Name)}
	calls := messageCalls(c.Codes[0].Message)
	begun := jen.Qual(pkgGen, "Message").Call(jen.Id("dst"))
	var message []jen.Code
	if len(calls) == 1 {
		message = []jen.Code{jen.Return(begun.Add(calls[0]).Dot("Coded").Call(coded...))}
	} else {
		message = append([]jen.Code{jen.Id("m").Op(":=").Add(begun)}, messageParts(c.Codes[0].Message)...)
		message = append(message, jen.Return(jen.Id("m").Dot("Coded").Call(coded...)))
	}
	return jen.Add(note("AppendMessage appends the message.")).
		Add(method(c, "AppendMessage")).Params(jen.Id("dst").Index().Byte()).Index().Byte().Block(message...).
		Line().Line().Add(contextMethod(m, c))
}

// made reports whether evidence can become an error of the code.
func made(m *model.Package, c *model.Code) bool { return m.Fallback == c || len(c.Rules) > 0 }

// ownCode returns a code's entry of the table with the description of its own type.
func (t *tables) tableCode(c *model.Code, l *literals) string {
	code := *t.m.RuntimeCode(c)
	if code.Own == nil {
		return l.fields(reflect.ValueOf(code), nil)
	}
	category := c.Category
	own := l.fields(reflect.ValueOf(*code.Own), []string{
		"New: func(cause error) taxonomy.Error {\nreturn &" + c.Own.Type + "{" + c.Own.Embedded + ": " + category.Type +
			"{base: gen.Made[" + category.CodeType + "](uint16(" + c.Const + "), cause)}}\n}"})
	code.Own = nil
	return l.fields(reflect.ValueOf(code), []string{"Own: &taxonomy.OwnType" + own})
}
