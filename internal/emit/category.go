package emit

import (
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
	declare(f, codeType(c), codeConstants(c), errorType(c))
	g.fieldTypes(f, typesOf(ownFields(g.m, c)), classifiesCategory(g.m, c))
	for _, code := range c.Codes {
		switch {
		case code.Abstract:
		case code.OwnType == nil:
			declare(f, factory(code))
		default:
			g.ownType(f, code)
		}
	}
	if c.Embedded != "" {
		declare(f, embeddedType(c), contextBuilder("e", c.Type, c.Fields))
	}
	declare(f, jen.Comment("// Each With method returns a copy of e with the value."),
		withMethods(setters(c.Fields, "e"), c.Type), messageMethod(c), feedbackMethod(c),
		g.contextMethod(c), publicContextMethod(c), belowMethods(c), codeMethods(c), errorMethods(c),
		rowMethod(c), hintsMethod(c), g.categoryTable(c), g.categoryRules(c), g.categoryExamples(c),
		categorySummary(c))
}

// codeType returns the type of a category's codes.
func codeType(c *model.Category) jen.Code {
	return documented(c.CodeType+" is a code of ["+c.Type+"]: a target for errors.Is, and an error itself. "+
		"The zero value is not valid.", jen.Type().Id(c.CodeType).Uint16())
}

// codeConstants returns the constants of a category's codes, in one block, so that linters see an
// enum.
func codeConstants(c *model.Category) jen.Code {
	defs := enumConsts(c.CodeType, each(c.Codes, func(code *model.Code) string { return code.Const }))
	return constBlock("The codes of ["+c.Type+"]. Store their names; their values may change.",
		each(c.Codes, func(code *model.Code) jen.Code {
			since := ""
			if code.Since != "" {
				since = "Since " + code.Since + "."
			}
			doc := about(code.Const, code.Doc, " is the code "+code.Value+".")
			return jen.Add(comment(doc, since, deprecation(code)), defs[code.Ordinal-1])
		}))
}

// errorType returns the struct of a category.
func errorType(c *model.Category) jen.Code {
	return documented(about(c.Type+" is an error of category "+c.Name, c.Doc, ".")+
		" Create errors with the factories: a literal has no code.",
		jen.Type().Id(c.Type).StructFunc(func(g *jen.Group) {
			g.Id("base").Types(jen.Id(c.CodeType))
			if len(c.Fields) > 0 {
				g.Line()
			}
			structFields(g, c.Fields, false)
		}))
}

// factory returns the function that returns an error of a code.
func factory(c *model.Code) jen.Code {
	typ := c.ErrorType().Type
	return jen.Add(comment(c.Factory+" returns a ["+c.Const+"].", deprecation(c))).
		Func().Id(c.Factory).Add(parameters(c.Args)).Op("*").Id(typ).
		Block(jen.Return(addressOf(typ).Add(factoryValues(c))))
}

// factoryValues returns the elements of a factory's literal: the code, and the fields that are
// parameters or fixed, in their order.
func factoryValues(c *model.Code) jen.Code {
	values := []jen.Code{keyed("base", genName("Of").Call(jen.Id(c.Const)))}
	for i, f := range c.Fields() {
		if c.OwnType != nil && i == len(c.Category.Fields) {
			values = []jen.Code{embedded(c, jen.Values(values...))}
		}
		if c.HasParam(f) {
			values = append(values, keyed(f.Go, converted(f, jen.Id(f.Param))))
		} else if value, ok := c.Fixed(f); ok {
			values = append(values, keyed(f.Go, fixed(f, value)))
		}
	}
	return few(values...)
}

// embedded returns the element that sets the category's part of an error of a code with fields.
func embedded(c *model.Code, values jen.Code) jen.Code {
	return keyed(c.Category.Embedded, jen.Id(c.Category.Embedded).Add(values))
}

// parameters returns fields as parameters. Adjacent parameters of one type share the type.
func parameters(fields []*model.Field) jen.Code {
	params := make([]jen.Code, len(fields))
	for i, f := range fields {
		param := jen.Id(f.Param)
		if i+1 == len(fields) || !sameType(f, fields[i+1]) {
			param.Add(valueType(f))
		}
		params[i] = param
	}
	const maxInLine = 6
	return jen.Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: len(params) > maxInLine}, params...)
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
func withMethods(list []setter, typ string) jen.Code {
	return adjacent(codes(list, func(s setter) jen.Code {
		change := jen.Func().Params(jen.Id("e").Op("*").Id(typ)).Add(inLine(s.change))
		return pointerMethod("e", typ, s.method).Params(s.param).Op("*").Id(typ).
			Block(jen.Return(genName("With").Call(jen.Op("*").Id("e"), change)))
	})...)
}

// setter is a With method: its name, its parameter, and the statement that changes an error.
type setter struct {
	method        string
	param, change jen.Code
}

// setters returns the With methods for the fields that are not required, and for the cause. name is
// the variable of the error that they change.
func setters(fields []*model.Field, name string) []setter {
	var out []setter
	for _, f := range fields {
		if !f.Required {
			out = append(out, setter{"With" + f.Go, jen.Id(f.Param).Add(valueType(f)),
				jen.Id(name).Dot(f.Go).Op("=").Add(converted(f, jen.Id(f.Param)))})
		}
	}
	return append(out, setter{"WithCause", jen.Id("cause").Error(),
		genName("SetCause").Call(jen.Op("&").Id(name).Dot("base"), jen.Id("cause"))})
}

// appendMethod begins a method of errors that appends to bytes.
func appendMethod(typ, name string) *jen.Statement {
	return pointerMethod("e", typ, name).Params(jen.Id("dst").Index().Byte()).Index().Byte()
}

// newObject returns the call that begins a JSON object.
func newObject() *jen.Statement { return genName("Object").Call(jen.Id("dst")) }

// closing is the call that ends a JSON object.
var closing = call{method: "Close"}

// contextMethod returns the method that appends the context as JSON.
func (g *generator) contextMethod(c *model.Category) jen.Code {
	method := appendMethod(c.Type, "AppendContext")
	if c.Extends() {
		begin := jen.Id("e").Dot(c.Embedded).Dot("appendContext").Call(newObject())
		return method.Add(builderBody("o", begin, contextSteps("e", ownFields(g.m, c)), closing))
	}
	doc := comment("AppendContext appends the context as a JSON object, secrets masked.")
	if c.Embedded != "" {
		return doc.Add(method).Block(jen.Return(
			chained(jen.Id("e").Dot("appendContext").Call(newObject()), closing)))
	}
	return doc.Add(method, builderBody("o", newObject(), contextSteps("e", c.Fields), closing))
}

// publicContextMethod returns the method that appends the public part of the context as JSON. If no
// public code has public fields, it returns nil.
func publicContextMethod(c *model.Category) jen.Code {
	public := slices.DeleteFunc(shown(c.Fields), func(f *model.Field) bool { return !f.Public })
	shows := func(code *model.Code) bool { return code.Public && code.ErrorType() == c }
	if len(public) == 0 || !slices.ContainsFunc(c.Codes, shows) {
		return nil
	}
	method := comment("AppendPublicContext appends the public fields as a JSON object, secrets masked.").
		Add(appendMethod(c.Type, "AppendPublicContext"))
	if len(public) == len(shown(c.Fields)) {
		return method.Add(returning(jen.Id("e").Dot("AppendContext").Call(jen.Id("dst"))))
	}
	return method.Add(builderBody("o", newObject(), contextSteps("e", public), closing))
}

// categoryTable returns the table of a category.
func (g *generator) categoryTable(c *model.Category) jen.Code {
	entries := concat(raw("[]"), qualified(taxonomyPath, "Code"), raw("{"))
	for _, code := range c.Codes {
		entries.write("\n" + code.Const + ": {")
		entries.add(packed(g.tableCode(code)))
		entries.write("\n},")
	}
	entries.write("\n}")
	category := *g.m.Taxonomy.Categories[c.Index]
	category.Codes = nil
	return variable(c.Table, concat(qualified(taxonomyPath, "Category"), g.fields(reflect.ValueOf(category),
		element("Zero", raw("(*"+c.Type+")(nil)")), element("Codes", entries))))
}

// variable returns the declaration of a variable with its value.
func variable(name string, value literal) *jen.Statement {
	return jen.Var().Id(name).Op("=").Add(value.code())
}

// tableCode returns the elements of a code's entry of the table.
func (g *generator) tableCode(c *model.Code) []literal {
	code := *c.Code
	if code.Own == nil {
		return g.elements(reflect.ValueOf(code))
	}
	fields := each(code.Own.Fields, func(f taxonomy.Field) literal { return g.value(reflect.ValueOf(f), false) })
	own := braces([]literal{
		element("Name", raw(quote(code.Own.Name))), element("Zero", raw("(*"+c.OwnType.Type+")(nil)")),
		element("Fields", concat(raw("[]"), qualified(taxonomyPath, "Field"), braces(fields, true)))}, true)
	code.Own = nil
	return append(g.elements(reflect.ValueOf(code)),
		element("Own", concat(raw("&"), qualified(taxonomyPath, "OwnType"), own)))
}

// categoryRules returns the detection rules of a category's codes. If there are none, it returns
// nil.
func (g *generator) categoryRules(c *model.Category) jen.Code {
	var lists []jen.Code
	for _, code := range c.Codes {
		if len(code.Rules) > 0 {
			lists = append(lists, keyed(code.Const, onLines(codes(code.Rules, func(r *model.Rule) *jen.Statement {
				var more []literal
				if len(r.Set)+len(code.Sets) > 0 {
					more = append(more, element("Apply", expression(apply(code, r.Set, code.Sets), "apply")))
				}
				return g.fields(reflect.ValueOf(codeRule(r)), more...).code()
			})...)))
		}
	}
	if len(lists) == 0 {
		return nil
	}
	return jen.Var().Id(c.RulesVar).Op("=").Index().Index().Add(detectName("CodeRule"), onLines(lists...))
}

// belowMethods returns the methods that match codes above a code, or nil if no code has a parent.
func belowMethods(c *model.Category) jen.Code {
	if !slices.ContainsFunc(c.Codes, func(code *model.Code) bool { return code.Above != nil }) {
		return nil
	}
	matches := func(code *jen.Statement) *jen.Statement {
		return jen.Params(jen.Id("target").Error()).Bool().
			Add(returning(genName("IsBelow").Call(code, jen.Id("target"))))
	}
	return adjacent(
		documented("Is reports whether target is the code, or a code above it.",
			method("c", c.CodeType, "Is").Add(matches(jen.Id("c")))),
		documented("Is reports whether target is the code of e, or a code above it.",
			pointerMethod("e", c.Type, "Is").Add(matches(jen.Id("e").Dot("Code").Call()))))
}

// codeMethods returns the methods of codes that have the same form in all categories.
func codeMethods(c *model.Category) jen.Code {
	of := func(name string) *jen.Statement { return method("c", c.CodeType, name) }
	code, row := jen.Id("c"), jen.Id("c").Dot("Row").Call()
	number := jen.Uint16().Call(jen.Id("c"))
	return adjacent(
		of("Error").Params().String().Add(returning(genName("CodeMessage").Call(row, definition()))),
		of("String").Params().String().Add(returning(genName("CodeText").Call(row, definition()))),
		of("Taxonomy").Params().Op("*").Add(taxonomyName("Taxonomy"), returning(definition())),
		of("Row").Params().Add(taxonomyName("Row"), returning(taxonomyName("At").Call(jen.Id(c.Var), number))),
		of("Reaction").Params().Add(taxonomyName("Reaction"),
			returning(jen.Op("*").Add(genName("Reaction")).Call(addressOf(c.Table), number, definition()))),
		of("Format").Params(formatParameters()...).
			Add(inLine(genName("FormatCode").Call(jen.Id("s"), jen.Id("verb"), code))),
		of("LogValue").Params().Qual("log/slog", "Value").Add(returning(genName("LogCode").Call(code))),
		of("MarshalText").Params().Add(bytesAndError(), returning(genName("MarshalCode").Call(row, definition()))),
		pointerMethod("c", c.CodeType, "UnmarshalText").Params(jen.Id("text").Index().Byte()).Error().
			Add(returning(genName("UnmarshalCode").Call(jen.Id("text"), code))))
}

// errorMethods returns the methods of errors that have the same form in all categories.
func errorMethods(c *model.Category) jen.Code {
	of := func(name string) *jen.Statement { return pointerMethod("e", c.Type, name) }
	text := genName("Text").Call(jen.Id("e"), jen.Parens(jen.Op("*").Id(c.Type)).Dot("AppendMessage"))
	return adjacent(append([]jen.Code{of("Error").Params().String().Add(returning(text))},
		append(encodingMethods(of, jen.Id("e")),
			of("Taxonomy").Params().Op("*").Add(taxonomyName("Taxonomy"), returning(definition())))...)...)
}

// encodingMethods returns the methods that print, encode and decode an error.
func encodingMethods(of func(name string) *jen.Statement, err jen.Code) []jen.Code {
	return []jen.Code{
		of("Format").Params(formatParameters()...).
			Add(inLine(genName("Format").Call(jen.Id("s"), jen.Id("verb"), err))),
		of("LogValue").Params().Qual("log/slog", "Value").Add(returning(genName("LogValue").Call(err))),
		of("AppendJSON").Params(jen.Id("dst").Index().Byte()).Index().Byte().
			Add(returning(genName("AppendJSON").Call(jen.Id("dst"), err))),
		of("MarshalJSON").Params().Add(bytesAndError(), returning(genName("MarshalJSON").Call(err))),
		of("UnmarshalJSON").Params(jen.Id("b").Index().Byte()).Error().
			Add(returning(genName("UnmarshalAs").Call(jen.Id("b"), err))),
	}
}

// formatParameters returns the parameters of a method Format.
func formatParameters() []jen.Code {
	return []jen.Code{jen.Id("s").Qual("fmt", "State"), jen.Id("verb").Rune()}
}

// bytesAndError returns the results of methods that encode.
func bytesAndError() jen.Code { return jen.Params(jen.Index().Byte(), jen.Error()) }
