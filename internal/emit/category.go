package emit

import (
	"reflect"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// category makes the file of a category, which holds everything about it: its codes, its error and
// the types that only it uses, the table and the rules.
func category(f *jen.File, t *tables, c *model.Category, l *literals) {
	l.use(pkgTaxonomy, pkgGen, pkgFmt, pkgSlog)
	declare(f, codeType(c), codeConstants(c), errorType(c))
	fieldTypes(f, l, typesOf(ownFields(t.m, c)), makes(t.m, c))
	for _, code := range c.Codes {
		switch {
		case code.Abstract:
		case code.Own == nil:
			declare(f, factory(code))
		default:
			t.ownType(f, code, l)
		}
	}
	declare(f, ownBase(c), copies(c), messageMethod(c), feedbackMethod(c))
	declare(f, contextMethod(t.m, c), publicContextMethod(c))
	declare(f, t.categoryTable(c, l), t.categoryRules(c, l), codeMethods(c), errorMethods(c), rowMethod(c),
		hintsMethod(c))
}

// codeType makes the type of a category's codes.
func codeType(c *model.Category) jen.Code {
	return jen.Add(comment(c.CodeType + " is a code of [" + c.Type +
		"]: a target for errors.Is, and an error itself. The zero value is not valid.")).Type().Id(c.CodeType).Uint16()
}

// codeConstants makes the constants of a category's codes, in one block, so that linters see an
// enum.
func codeConstants(c *model.Category) jen.Code {
	if len(c.Codes) == 0 {
		return nil
	}
	return jen.Add(comment("The codes of [" + c.Type + "]. Store their names; their values may change.")).
		Const().DefsFunc(func(g *jen.Group) {
		for i, code := range c.Codes {
			s := g.Add(comment(codeDoc(code)...)).Id(code.Const)
			if i == 0 {
				s.Id(c.CodeType).Op("=").Iota().Op("+").Lit(1)
			}
		}
	})
}

func codeDoc(c *model.Code) []string {
	doc := []string{about(c.Const, c.Doc, " is the code "+c.Value+".")}
	if c.Since != "" {
		doc = append(doc, "Since "+c.Since+".")
	}
	return append(doc, deprecation(c))
}

// errorType makes the struct of a category.
func errorType(c *model.Category) jen.Code {
	return jen.Add(comment(about(c.Type+" is an error of category "+c.Name, c.Doc, ".") +
		" Its factories are the only way to give it a code.")).
		Type().Id(c.Type).StructFunc(func(g *jen.Group) {
		g.Id("base").Types(jen.Id(c.CodeType))
		if len(c.Fields) > 0 {
			g.Line()
		}
		structFields(g, c.Fields, false)
	})
}

// structFields makes the exported fields of a struct; tagged ones are for encoding/json.
func structFields(g *jen.Group, fields []*model.Field, tagged bool) {
	for _, f := range fields {
		doc := strings.TrimSpace(lowerFirst(oneLine(f.Doc)) + shownAs(f))
		if tagged || doc == "" || len(doc) > maxTrailing {
			s := g.Add(comment(aboutField(f.Go, f.Doc, " is "+f.Wire+" in the context.") + shownAs(f))).
				Id(f.Go).Add(fieldType(f))
			if tagged {
				s.Add(tag(f))
			}
			continue
		}
		g.Id(f.Go).Add(fieldType(f)).Comment("// " + doc)
	}
}

// maxTrailing is how long a comment behind a field is at the most.
const maxTrailing = 70

// shownAs says how a field is shown.
func shownAs(f *model.Field) string {
	doc := ""
	switch {
	case f.Sensitive:
		doc = " Only Reveal shows it."
	case f.Scrub && f.MaxLength > 0:
		doc = " Shown masked and cut."
	case f.Scrub:
		doc = " Shown masked."
	case f.MaxLength > 0:
		doc = " Shown cut."
	}
	if f.MessageOnly {
		doc += " In the message only."
	}
	return doc
}

// copies makes the methods that return a changed copy: one for each field that a factory may leave
// out, and one for the cause.
func copies(c *model.Category) jen.Code {
	s := jen.Add(note("Each With method returns a copy of e with the value.")).Line()
	eachCopy(c.Fields, func(name, param string, typ, change jen.Code) {
		s.Line().Add(copyMethod(c, name, param, typ, change))
	})
	return s
}

// eachCopy calls do for each With method: its name, its parameter, and the statement that changes
// e.
func eachCopy(fields []*model.Field, do func(name, param string, typ, change jen.Code)) {
	for _, f := range fields {
		if !f.Required {
			do("With"+f.Go, f.Param, valueType(f), jen.Id("e").Dot(f.Go).Op("=").Add(kept(f, jen.Id(f.Param))))
		}
	}
	do("WithCause", "cause", jen.Error(),
		jen.Qual(pkgGen, "SetCause").Call(jen.Op("&").Id("e").Dot("base"), jen.Id("cause")))
}

func copyMethod(c *model.Category, name, param string, typ, change jen.Code) jen.Code {
	return method(c, name).Params(jen.Id(param).Add(typ)).Op("*").Id(c.Type).
		Block(jen.Return(jen.Qual(pkgGen, "With").Call(jen.Op("*").Id("e"),
			jen.Func().Params(jen.Id("e").Op("*").Id(c.Type)).Add(inOneLine(change)))))
}

// method begins a method of a category's errors.
func method(c *model.Category, name string) *jen.Statement {
	return jen.Func().Params(jen.Id("e").Op("*").Id(c.Type)).Id(name)
}

// contextMethod makes the method that appends the context as JSON.
func contextMethod(m *model.Package, c *model.Category) jen.Code {
	object, fields := jen.Qual(pkgGen, "Object").Call(jen.Id("dst")), c.Fields
	switch {
	case c.Extends():
		object, fields = jen.Id("e").Dot(c.Embedded).Dot(appendContext).Call(object), ownFields(m, c)
	case c.Embedded != "":
		object, fields = jen.Id("e").Dot(appendContext).Call(object), nil
	}
	doc := note("AppendContext appends the context as a JSON object, secrets masked.")
	if c.Extends() {
		doc = jen.Null()
	}
	return jen.Add(doc).Add(method(c, "AppendContext")).Params(jen.Id("dst").Index().Byte()).Index().Byte().
		BlockFunc(func(g *jen.Group) {
			if chain := putChain(fields); chain != nil && c.Embedded != "" {
				g.Return(object.Add(chain).Dot("Close").Call())
				return
			}
			g.Id("o").Op(":=").Add(object)
			putFields(g, "e", fields)
			g.Return(jen.Id("o").Dot("Close").Call())
		})
}

// ofStatements are the types that [putFields] appends by statements.
var ofStatements = []model.Type{model.ObjectType, model.Objects, model.Violations}

// putChain returns the calls that append fields of e, one after the other, or nil if they take
// statements or are long.
func putChain(fields []*model.Field) *jen.Statement {
	calls, width := jen.Null(), 0
	for _, f := range shown(fields) {
		if slices.Contains(ofStatements, f.Type) && !f.Sensitive {
			return nil
		}
		name, args := putCall(f, jen.Id("e").Dot(f.Go))
		calls.Dot(name).Call(args...)
		if width += len(f.Wire) + len(f.Go) + len(f.Const); width > lineWidth {
			return nil
		}
	}
	return calls
}

// publicContextMethod makes the method that appends the public part of the context as JSON; nil
// without one.
func publicContextMethod(c *model.Category) jen.Code {
	var public []*model.Field
	for _, f := range shown(c.Fields) {
		if f.Public {
			public = append(public, f)
		}
	}
	shows := func(code *model.Code) bool { return code.Public && code.ErrorType() == c }
	if len(public) == 0 || !slices.ContainsFunc(c.Codes, shows) {
		return nil
	}
	head := jen.Add(note("AppendPublicContext appends the public fields as a JSON object, secrets masked.")).
		Add(method(c, "AppendPublicContext")).Params(jen.Id("dst").Index().Byte()).Index().Byte()
	if len(public) == len(shown(c.Fields)) {
		return head.Add(returning(jen.Id("e").Dot("AppendContext").Call(jen.Id("dst"))))
	}
	return head.BlockFunc(func(g *jen.Group) {
		g.Id("o").Op(":=").Qual(pkgGen, "Object").Call(jen.Id("dst"))
		putFields(g, "e", public)
		g.Return(jen.Id("o").Dot("Close").Call())
	})
}

// categoryTable makes what the table says of a category.
func (t *tables) categoryTable(c *model.Category, l *literals) jen.Code {
	var codes strings.Builder
	for _, code := range c.Codes {
		codes.WriteString(code.Const + ": " + t.tableCode(code, l) + ",\n")
	}
	elements := []string{"Name: " + quote(c.Name), "Type: " + quote(c.Type), "Zero: (*" + c.Type + ")(nil)"}
	if c.Doc != "" {
		elements = append(elements, "Doc: "+quote(c.Doc))
	}
	if len(c.Fields) > 0 {
		elements = append(elements, "Fields: "+l.of(t.m.Taxonomy.Categories[c.Index].Fields))
	}
	elements = append(elements, "Codes: []taxonomy.Code{\n"+codes.String()+"}")
	return jen.Var().Id(c.Table).Op("=").Qual(pkgTaxonomy, "Category").Op(braces(elements, false))
}

// categoryRules makes the detect rules of a category's codes; nil without any.
func (t *tables) categoryRules(c *model.Category, l *literals) jen.Code {
	var rules strings.Builder
	for _, code := range c.Codes {
		if len(code.Rules) == 0 {
			continue
		}
		rules.WriteString(code.Const + ": {\n")
		for _, r := range code.Rules {
			var more []string
			if set := apply(code, r.Set, code.Set); set != nil {
				more = append(more, "Apply: "+expression(set))
			}
			rules.WriteString(l.fields(reflect.ValueOf(codeRule(r)), more) + ",\n")
		}
		rules.WriteString("},\n")
	}
	if rules.Len() == 0 {
		return nil
	}
	return jen.Var().Id(c.RulesVar).Op("=").Index().Index().Qual(pkgDetect, "CodeRule").Op("{\n" + rules.String() + "}")
}

// codeMethods makes the methods of a category's codes.
func codeMethods(c *model.Category) jen.Code {
	below := ""
	if slices.ContainsFunc(c.Codes, func(code *model.Code) bool { return code.Parent != nil }) {
		below = `
// Is reports whether target is the code, or a code above it.
func (c $C) Is(target error) bool { return gen.IsBelow(c, target) }
// Is reports whether target is the code of e, or a code above it.
func (e *$E) Is(target error) bool { return gen.IsBelow(e.Code(), target) }
`
	}
	return jen.Op(strings.NewReplacer("$C", c.CodeType, "$E", c.Type, "$V", c.Var).Replace(below + `
func (c $C) Error() string                   { return gen.CodeText(c.Row(), &definition) }
func (c $C) String() string                  { return gen.CodeText(c.Row(), &definition) }
func (c $C) Taxonomy() *taxonomy.Taxonomy    { return &definition }
func (c $C) Row() taxonomy.Row               { return taxonomy.At($V, uint16(c)) }
func (c $C) Reaction() taxonomy.Reaction     { return *gen.Reaction($V, uint16(c), &definition) }
func (c $C) MarshalText() ([]byte, error)    { return gen.MarshalCode(c.Row(), &definition) }
func (c *$C) UnmarshalText(text []byte) error { return gen.UnmarshalCode(text, c) }
`))
}

// errorMethods makes the methods of a category's errors that are the same for all.
func errorMethods(c *model.Category) jen.Code {
	return jen.Add(jen.Op(strings.ReplaceAll(`
func (e *$E) Error() string { return gen.Text(e, (*$E).AppendMessage) }
func (e *$E) Format(s fmt.State, verb rune) { gen.Format(s, verb, e) }
func (e *$E) LogValue() slog.Value { return gen.LogValue(e) }
func (e *$E) AppendJSON(dst []byte) []byte { return gen.AppendJSON(dst, e) }
func (e *$E) MarshalJSON() ([]byte, error) { return gen.MarshalJSON(e) }
func (e *$E) UnmarshalJSON(b []byte) error { return gen.UnmarshalAs(b, e) }
func (e *$E) Taxonomy() *taxonomy.Taxonomy { return &definition }
`, "$E", c.Type)))
}
