package emit

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// category makes the file of a category, which contains everything about it: its codes, its error
// and the types that only it uses, the table and the rules.
func (g *generator) category(f *jen.File, c *model.Category) {
	declare(f, documented(c.CodeType+" is a code of ["+c.Type+"]: a target for errors.Is, and an error itself. "+
		"The zero value is not valid.", "type "+c.CodeType+" uint16"), codeConstants(c), errorType(c))
	g.fieldTypes(f, typesOf(ownFields(g.m, c)), classifiesCategory(g.m, c))
	for _, code := range c.Codes {
		switch {
		case code.Abstract:
		case code.Own == nil:
			declare(f, factory(code))
		default:
			g.ownType(f, code)
		}
	}
	if c.OwnBase != "" {
		declareTexts(f, ownBase(c))
	}
	declareTexts(f,
		"// Each With method returns a copy of e with the value.\n\n"+withMethods(setters(c.Fields), c.Type),
		messageMethod(c), feedbackMethod(c), g.contextMethod(c), publicContextMethod(c), methods(c), rowMethod(c),
		hintsMethod(c))
}

// codeConstants makes the constants of a category's codes, in one block, so that linters see an
// enum.
func codeConstants(c *model.Category) jen.Code {
	lines := eachText(c.Codes, func(code *model.Code) string {
		doc := []string{about(code.Const, code.Doc, " is the code "+code.Value+".")}
		if code.Since != "" {
			doc = append(doc, "Since "+code.Since+".")
		}
		return commentText(append(doc, deprecation(code))...) + code.Const
	})
	lines[0] += " " + c.CodeType + " = iota + 1"
	return constBlock("The codes of ["+c.Type+"]. Store their names; their values may change.", lines)
}

// errorType makes the struct of a category.
func errorType(c *model.Category) jen.Code {
	return jen.Add(comment(about(c.Type+" is an error of category "+c.Name, c.Doc, ".") +
		" Create errors with the factories: a literal has no code.")).
		Type().Id(c.Type).StructFunc(func(g *jen.Group) {
		g.Id("base").Types(jen.Id(c.CodeType))
		if len(c.Fields) > 0 {
			g.Line()
		}
		structFields(g, c.Fields, false)
	})
}

// factory makes the function that returns an error of a code.
func factory(c *model.Code) jen.Code {
	typ := c.ErrorType().Type
	return jen.Add(comment(c.Factory+" returns a ["+c.Const+"].", deprecation(c)),
		text("func "+c.Factory+parameters(c.Args)+" *"+typ+" {\nreturn &"+typ+factoryLiteral(c)+"\n}"))
}

// factoryLiteral returns the braces of a factory's literal: the code, and the fields that are
// parameters or fixed, in their order.
func factoryLiteral(c *model.Code) string {
	const maxInLine = 4
	values := []string{"base: gen.Of(" + c.Const + ")"}
	for i, f := range c.Fields() {
		if c.Own != nil && i == len(c.Category.Fields) {
			values = []string{c.Own.OwnFields + ": " + c.Own.OwnFields + "{" + c.Category.Type + "{" +
				strings.Join(values, ", ") + "}}"}
		}
		if c.Takes(f) {
			values = append(values, f.Go+": "+convert(f, f.Param))
		} else if value, ok := c.Fixed(f); ok {
			values = append(values, f.Go+": "+fixed(f, value))
		}
	}
	if len(values) > maxInLine {
		return "{\n" + strings.Join(values, ",\n") + ",\n}"
	}
	return "{" + strings.Join(values, ", ") + "}"
}

// parameters lists fields as parameters. Adjacent parameters of one type share the type.
func parameters(fields []*model.Field) string {
	params := make([]string, len(fields))
	for i, f := range fields {
		params[i] = f.Param
		if i+1 == len(fields) || valueType(f) != valueType(fields[i+1]) {
			params[i] += " " + valueType(f)
		}
	}
	const maxInLine = 6
	if len(params) > maxInLine {
		return "(\n" + strings.Join(params, ",\n") + ",\n)"
	}
	return "(" + strings.Join(params, ", ") + ")"
}

// deprecation returns the paragraph that marks a deprecated code, or "".
func deprecation(c *model.Code) string {
	if c.Extras().Deprecated == "" {
		return ""
	}
	text := "Deprecated: " + sentence(strings.Join(strings.Fields(c.Extras().Deprecated), " "))
	if c.ReplacedBy != nil {
		text += " Use [" + c.ReplacedBy.Const + "]."
	}
	return text
}

// withMethods returns the With methods of a type, which return a changed copy.
func withMethods(list []setter, typ string) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "func (e *%s) %s(%s) *%[1]s {\nreturn gen.With(*e, func(e *%[1]s) { %[4]s })\n}\n",
			typ, s.method, s.param, s.change)
	}
	return b.String()
}

// setter is a With method: its name, its parameter, and the statement that changes e.
type setter struct{ method, param, change string }

// setters returns the With methods for the fields that are not required, and for the cause.
func setters(fields []*model.Field) []setter {
	var out []setter
	for _, f := range fields {
		if !f.Required {
			change := "e." + f.Go + " = " + convert(f, f.Param)
			out = append(out, setter{"With" + f.Go, f.Param + " " + valueType(f), change})
		}
	}
	return append(out, setter{"WithCause", "cause error", "gen.SetCause(&e.base, cause)"})
}

// contextMethod returns the method that appends the context as JSON.
func (g *generator) contextMethod(c *model.Category) string {
	head := "func (e *" + c.Type + ") AppendContext(dst []byte) []byte "
	doc := "// AppendContext appends the context as a JSON object, secrets masked.\n"
	switch {
	case c.Extends():
		begin := "e." + c.Embedded + ".appendContext(gen.Object(dst))"
		return head + builderBody("o", begin, contextCalls("e", ownFields(g.m, c)), ".Close()")
	case c.Embedded != "":
		return doc + head + "{\nreturn e.appendContext(gen.Object(dst)).Close()\n}"
	}
	return doc + head + builderBody("o", "gen.Object(dst)", contextCalls("e", c.Fields), ".Close()")
}

// publicContextMethod returns the method that appends the public part of the context as JSON. If no
// public code has public fields, it returns "".
func publicContextMethod(c *model.Category) string {
	public := slices.DeleteFunc(shown(c.Fields), func(f *model.Field) bool { return !f.Public })
	shows := func(code *model.Code) bool { return code.Public && code.ErrorType() == c }
	if len(public) == 0 || !slices.ContainsFunc(c.Codes, shows) {
		return ""
	}
	head := `// AppendPublicContext appends the public fields as a JSON object, secrets masked.
func (e *` + c.Type + ") AppendPublicContext(dst []byte) []byte "
	if len(public) == len(shown(c.Fields)) {
		return head + "{ return e.AppendContext(dst) }"
	}
	return head + builderBody("o", "gen.Object(dst)", contextCalls("e", public), ".Close()")
}

// categoryTable returns the table of a category.
func (g *generator) categoryTable(c *model.Category) string {
	codes := ""
	for _, code := range c.Codes {
		codes += code.Const + ": {\n" + aligned(packed(g.tableCode(code))) + "},\n"
	}
	category := *g.m.Taxonomy.Categories[c.Index]
	category.Codes = nil
	return "\nvar " + c.Table + " = taxonomy.Category" + g.fields(reflect.ValueOf(category),
		[]string{"Zero: (*" + c.Type + ")(nil)", "Codes: []taxonomy.Code{\n" + codes + "}"}) + "\n"
}

// tableCode returns the elements of a code's entry of the table.
func (g *generator) tableCode(c *model.Code) []string {
	code := *c.Code
	if code.Own == nil {
		return g.elements(reflect.ValueOf(code))
	}
	fields := eachText(code.Own.Fields, func(f taxonomy.Field) string { return g.value(reflect.ValueOf(f), false) })
	own := "Own: &taxonomy.OwnType{Name: " + quote(code.Own.Name) + ", Zero: (*" + c.Own.Type + ")(nil), Fields: " +
		"[]taxonomy.Field{" + strings.Join(fields, ", ") + "}}"
	code.Own = nil
	return append(g.elements(reflect.ValueOf(code)), own)
}

// categoryRules returns the detection rules of a category's codes. If there are none, it returns
// "".
func (g *generator) categoryRules(c *model.Category) string {
	var rules strings.Builder
	for _, code := range c.Codes {
		if len(code.Rules) == 0 {
			continue
		}
		rules.WriteString(code.Const + ": {\n")
		for _, r := range code.Rules {
			var more []string
			if len(r.Set)+len(code.Set) > 0 {
				more = append(more, "Apply: "+apply(code, r.Set, code.Set))
			}
			rules.WriteString(g.fields(reflect.ValueOf(codeRule(r)), more) + ",\n")
		}
		rules.WriteString("},\n")
	}
	if rules.Len() == 0 {
		return ""
	}
	return "\nvar " + c.RulesVar + " = [][]detect.CodeRule{\n" + rules.String() + "}\n"
}

// methods returns the methods of codes and errors that have the same form in all categories.
func methods(c *model.Category) string {
	below := ""
	if slices.ContainsFunc(c.Codes, func(code *model.Code) bool { return code.Parent != nil }) {
		below = `
// Is reports whether target is the code, or a code above it.
func (c $C) Is(target error) bool { return gen.IsBelow(c, target) }
// Is reports whether target is the code of e, or a code above it.
func (e *$E) Is(target error) bool { return gen.IsBelow(e.Code(), target) }
`
	}
	return strings.NewReplacer("$C", c.CodeType, "$E", c.Type, "$V", c.Var, "$T", c.Table).Replace(below + `
func (c $C) Error() string                   { return gen.CodeMessage(c.Row(), &definition) }
func (c $C) String() string                  { return gen.CodeText(c.Row(), &definition) }
func (c $C) Taxonomy() *taxonomy.Taxonomy    { return &definition }
func (c $C) Row() taxonomy.Row               { return taxonomy.At($V, uint16(c)) }
func (c $C) Reaction() taxonomy.Reaction     { return *gen.Reaction(&$T, uint16(c), &definition) }
func (c $C) Format(s fmt.State, verb rune)   { gen.FormatCode(s, verb, c) }
func (c $C) LogValue() slog.Value            { return gen.LogCode(c) }
func (c $C) MarshalText() ([]byte, error)    { return gen.MarshalCode(c.Row(), &definition) }
func (c *$C) UnmarshalText(text []byte) error { return gen.UnmarshalCode(text, c) }

func (e *$E) Error() string { return gen.Text(e, (*$E).AppendMessage) }
func (e *$E) Format(s fmt.State, verb rune) { gen.Format(s, verb, e) }
func (e *$E) LogValue() slog.Value { return gen.LogValue(e) }
func (e *$E) AppendJSON(dst []byte) []byte { return gen.AppendJSON(dst, e) }
func (e *$E) MarshalJSON() ([]byte, error) { return gen.MarshalJSON(e) }
func (e *$E) UnmarshalJSON(b []byte) error { return gen.UnmarshalAs(b, e) }
func (e *$E) Taxonomy() *taxonomy.Taxonomy { return &definition }
`)
}
