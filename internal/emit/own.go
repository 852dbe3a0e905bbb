package emit

import (
	"reflect"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// A code with fields has a type of its own. A table can have a thousand of them, so what they have
// in common is in one type that all of a category embed.

// ownBase makes the type that the types of codes embed, and its methods. It is nil if no code of
// the category has fields.
func ownBase(c *model.Category) jen.Code {
	if c.OwnBase == "" {
		return nil
	}
	s := jen.Op(strings.NewReplacer("$B", c.OwnBase, "$E", c.Type, "$e", c.Embedded, "$F", c.OwnFields).Replace(`
// $e is $E under a name that is not exported, so only this package sets it.
type $e = $E

// $F is in the errors of codes with fields.
type $F struct{ $e }

// $B is at the beginning of the errors of codes with fields. T is their type.
type $B[T any] struct{}

func (o *$B[T]) Error() string { return gen.OwnText(gen.Outer[T](o)) }
func (o *$B[T]) Format(s fmt.State, verb rune) { gen.Format(s, verb, gen.Outer[T](o)) }
func (o *$B[T]) LogValue() slog.Value { return gen.LogValue(gen.Outer[T](o)) }
func (o *$B[T]) AppendJSON(dst []byte) []byte { return gen.AppendJSON(dst, gen.Outer[T](o)) }
func (o *$B[T]) MarshalJSON() ([]byte, error) { return gen.MarshalJSON(gen.Outer[T](o)) }
func (o *$B[T]) UnmarshalJSON(b []byte) error { return gen.UnmarshalAs(b, gen.Outer[T](o)) }
func (e *$E) category() *$E { return e }
func (o *$B[T]) with(change func(e *$E)) *T {
	copied := gen.CopyOuter[T](o)
	change(any(copied).(interface{ category() *$E }).category())
	return copied
}
`))
	set := func(name, param string, typ, change jen.Code) {
		s.Line().Func().Params(jen.Id("o").Op("*").Id(c.OwnBase).Types(jen.Id("T"))).Id(name).
			Params(jen.Id(param).Add(typ)).Op("*").Id("T").
			Add(returning(jen.Id("o").Dot("with").
				Call(jen.Func().Params(jen.Id("e").Op("*").Id(c.Type)).Add(inOneLine(change)))))
	}
	eachCopy(c.Fields, set)
	s.Line().Line().Func().Params(jen.Id("e").Op("*").Id(c.Type)).Id(appendContext).
		Params(jen.Id("o").Qual(pkgGen, "ObjectBuilder")).Qual(pkgGen, "ObjectBuilder").BlockFunc(func(g *jen.Group) {
		putFields(g, "e", c.Fields)
		g.Return(jen.Id("o"))
	})
	return s
}

// ownType makes the type of a code's errors, its factory and its methods.
func (t *tables) ownType(f *jen.File, code *model.Code, l *literals) {
	c := code.Own
	fields := ownFields(t.m, c)
	declare(f, jen.Add(comment(c.Type+" is an error of ["+code.Const+"], and has the context of ["+
		code.Category.Type+"] too.")).
		Type().Id(c.Type).StructFunc(func(g *jen.Group) {
		g.Id(c.OwnBase).Types(jen.Id(c.Type))
		g.Id(c.OwnFields)
		structFields(g, fields, false)
	}))
	fieldTypes(f, l, typesOf(fields), made(t.m, code))
	declare(f, factory(code), ownMessage(c), contextMethod(t.m, c))
	s := jen.Null()
	eachCopy(fields, func(name, param string, typ, change jen.Code) {
		if name != "WithCause" {
			s.Line().Add(copyMethod(c, name, param, typ, change))
		}
	})
	declare(f, s, publicContextMethod(c))
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

// ownMessage makes the method that appends the message of a code with fields.
func ownMessage(c *model.Category) jen.Code {
	coded := []jen.Code{jen.Id("dst"), jen.Uint16().Call(jen.Id("e").Dot("Code").Call()), jen.Lit(c.Name)}
	calls := messageCalls(c.Codes[0].Message)
	message, m := []jen.Code{}, jen.Qual(pkgGen, "Message").Call(jen.Id("dst"))
	if len(calls) > 1 {
		message, m = append(message, jen.Id("m").Op(":=").Add(m)), jen.Id("m")
	}
	for i, call := range calls {
		if i+1 < len(calls) {
			message = append(message, jen.Id("m").Op("=").Id("m").Add(call))
		} else {
			m.Add(call)
		}
	}
	return method(c, "AppendMessage").Params(jen.Id("dst").Index().Byte()).Index().Byte().
		Block(append(message, jen.Return(m.Dot("Coded").Call(coded...)))...)
}

// made reports whether evidence can become an error of the code.
func made(m *model.Package, c *model.Code) bool {
	for _, code := range m.SourceFallbacks {
		if code == c {
			return true
		}
	}
	return m.Fallback == c || len(c.Rules) > 0
}

// tableCode returns a code's entry of the table.
func (t *tables) tableCode(c *model.Code, l *literals) string {
	code := *c.Code
	if code.Own == nil {
		return l.fields(reflect.ValueOf(code), nil)
	}
	fields := make([]string, len(code.Own.Fields))
	for i, f := range code.Own.Fields {
		fields[i] = l.value(reflect.ValueOf(f), false)
	}
	own := "Own: &taxonomy.OwnType{Name: " + quote(code.Own.Name) + ", Zero: (*" + c.Own.Type + ")(nil), Fields: " +
		"[]taxonomy.Field{" + strings.Join(fields, ", ") + "}}"
	code.Own = nil
	return l.fields(reflect.ValueOf(code), []string{own})
}
