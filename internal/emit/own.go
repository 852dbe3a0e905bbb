package emit

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// A code with fields has a separate type. A taxonomy can have a thousand of these types, so their
// common methods are in one type for each category, which they embed.

// ownBase returns the type that the types of codes embed, and its methods.
func ownBase(c *model.Category) string {
	names := strings.NewReplacer("$B", c.OwnBase, "$E", c.Type, "$e", c.Embedded, "$F", c.OwnFields)
	var b strings.Builder
	b.WriteString(names.Replace(`
// $e is $E under a name that is not exported, so only this package sets it.
type $e = $E

// $F holds the fields of the category in the errors of codes with fields.
type $F struct{ $e }

// $B has the common methods of the errors of codes with fields.
// It is their first field, and P is their pointer type.
type $B[P any] struct{}

func (o *$B[P]) Error() string { return gen.OwnText(gen.Outer[P](o)) }
func (o *$B[P]) Format(s fmt.State, verb rune) { gen.Format(s, verb, gen.Outer[P](o)) }
func (o *$B[P]) LogValue() slog.Value { return gen.LogValue(gen.Outer[P](o)) }
func (o *$B[P]) AppendJSON(dst []byte) []byte { return gen.AppendJSON(dst, gen.Outer[P](o)) }
func (o *$B[P]) MarshalJSON() ([]byte, error) { return gen.MarshalJSON(gen.Outer[P](o)) }
func (o *$B[P]) UnmarshalJSON(b []byte) error { return gen.UnmarshalAs(b, gen.Outer[P](o)) }
`))
	for _, s := range setters(c.Fields) {
		fmt.Fprintf(&b, "func (o *%s[P]) %s(%s) P { return gen.WithOuter[P](o, func(e *%s) { %s }) }\n",
			c.OwnBase, s.method, s.param, c.Type, s.change)
	}
	b.WriteString("\nfunc (e *" + c.Type + ") appendContext(o gen.ObjectBuilder) gen.ObjectBuilder {\n" +
		calls("o", contextCalls("e", c.Fields)) + "return o\n}")
	return b.String()
}

// ownType makes the type of a code's errors, its factory and its methods.
func (g *generator) ownType(f *jen.File, code *model.Code) {
	c := code.Own
	fields := ownFields(g.m, c)
	declare(f, jen.Add(comment(c.Type+" is an error of ["+code.Const+"], and has the context of ["+
		code.Category.Type+"] too.")).
		Type().Id(c.Type).StructFunc(func(g *jen.Group) {
		g.Id(c.OwnBase).Types(jen.Op("*").Id(c.Type))
		g.Id(c.OwnFields)
		structFields(g, fields, false)
	}))
	g.fieldTypes(f, typesOf(fields), classifiesCode(g.m, code))
	with := setters(fields)
	declare(f, factory(code))
	declareTexts(f, ownMessage(c), g.contextMethod(c),
		withMethods(with[:len(with)-1], c.Type), // the embedded type has WithCause
		publicContextMethod(c), feedbackMethod(c))
	if hasBranches(code) {
		declareTexts(f, rowMethod(c))
	}
	if len(hints(c)) > len(hints(code.Category)) {
		declareTexts(f, hintsMethod(c))
	}
}

// ownMessage returns the method that appends the message of a code with fields.
func ownMessage(c *model.Category) string {
	return "func (e *" + c.Type + ") AppendMessage(dst []byte) []byte " + builderBody("m", "gen.Message(dst)",
		messageCalls(c.Codes[0].Message), fmt.Sprintf(".Coded(dst, uint16(e.Code()), %q)", c.Name))
}

// classifiesCode reports whether evidence can become an error of the code.
func classifiesCode(m *model.Package, c *model.Code) bool {
	for _, code := range m.SourceFallbacks {
		if code == c {
			return true
		}
	}
	return m.Fallback == c || len(c.Rules) > 0
}
