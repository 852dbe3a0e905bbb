package emit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// types are the declarations that fields need in addition to their struct.
type types struct {
	texts   []*model.Field // with a constant that specifies how they are shown
	enums   []*model.Enum
	objects []*model.Field // whose types are objects; each such type belongs to one field
	secrets []*model.Field // objects that are secret, so that nothing prints or decodes them
	sealed  []*model.Field // secret objects that are stored only as a part of another object
}

// typesOf collects the types of fields, including those of the fields of objects.
func typesOf(fields []*model.Field) types {
	var t types
	t.collect(fields, place{})
	return t
}

// place describes the location of fields: in an object, in a secret, in a secret part of an object.
type place struct{ object, secret, sealed bool }

// collect adds the types of fields in a place.
func (t *types) collect(fields []*model.Field, in place) {
	for _, f := range fields {
		at := place{object: true, secret: in.secret || f.Sensitive, sealed: in.sealed || in.object && f.Sensitive}
		if f.Const != "" && !at.secret {
			t.texts = append(t.texts, f)
		}
		switch f.Type {
		case model.EnumType:
			t.enums = append(t.enums, f.Enum)
		case model.ObjectType, model.Objects:
			t.collect(f.Object.Fields, at)
			list := &t.objects
			if at.sealed {
				list = &t.sealed
			} else if at.secret {
				list = &t.secrets
			}
			*list = append(*list, f)
		}
	}
}

func (t types) empty() bool {
	return len(t.texts)+len(t.enums)+len(t.objects)+len(t.secrets)+len(t.sealed) == 0
}

// ownFields returns the fields of a category without those that all categories have. For the type
// of a code, it returns the fields without those of the code's category.
func ownFields(m *model.Package, c *model.Category) []*model.Field {
	if c.Extends() {
		return c.Fields[len(c.Codes[0].Category.Fields):]
	}
	return slices.DeleteFunc(slices.Clone(c.Fields), func(f *model.Field) bool { return slices.Contains(m.Fields, f) })
}

// fieldTypes declares the types of fields. If fills is true, evidence fills the fields.
func (g *generator) fieldTypes(f *jen.File, t types, fills bool) {
	if len(t.texts) > 0 {
		declare(f, constants("How texts are shown: masked, and cut at a length.",
			codes(t.texts, func(f *model.Field) *jen.Statement {
				return jen.Id(f.Const).Op("=").Add(cleanFlags(f))
			})))
	}
	for _, e := range t.enums {
		enum(f, e)
	}
	for _, field := range t.objects {
		declare(f, objectType(field.Object), objectClone(field),
			contextBuilder("v", field.Object.Type, field.Object.Fields))
	}
	for _, field := range t.secrets {
		declare(f, objectType(field.Object), objectClone(field))
	}
	for _, field := range t.sealed {
		declare(f, objectType(field.Object))
	}
	for _, field := range slices.Concat(t.objects, t.secrets, t.sealed) {
		if fills && fillable(field) {
			declare(f, objectFrom(field.Object))
		}
	}
}

// cleanFlags returns the gen.Clean of a field as an expression.
func cleanFlags(f *model.Field) *jen.Statement {
	var flags []jen.Code
	if f.Scrub {
		flags = append(flags, genName("Scrub"))
	}
	if f.KeepTail {
		flags = append(flags, genName("KeepTail"))
	}
	switch {
	case len(flags) == 0:
		return genName("Clean").Call(jen.Lit(f.MaxLength))
	case f.MaxLength > 0:
		flags = append(flags, jen.Lit(f.MaxLength))
	}
	return operators("|", flags)
}

// structFields makes the exported fields of a struct. If tagged is true, they get tags for
// encoding/json.
func structFields(g *jen.Group, fields []*model.Field, tagged bool) {
	for _, f := range fields {
		doc := strings.TrimSpace(oneLine(f.Doc) + shownAs(f))
		if tagged || doc == "" || len(doc) > maxTrailing {
			s := g.Add(comment(about(f.Go, f.Doc, " is "+f.Wire+" in the context.") + shownAs(f))).
				Id(f.Go).Add(fieldType(f))
			if tagged {
				s.Id(tag(f))
			}
			continue
		}
		g.Id(f.Go).Add(fieldType(f)).Comment("// " + doc)
	}
}

// maxTrailing is the maximum length of a comment after a field.
const maxTrailing = 70

// shownAs describes how a field is shown.
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

// tag returns the struct tag of a field as a literal. Jennifer's Tag does not escape the name,
// which may contain quotes.
func tag(f *model.Field) string {
	key := f.Wire
	switch {
	case f.MessageOnly:
		key = "-"
	case !f.Required:
		key += ",omitzero"
	}
	text := "json:" + strconv.Quote(key)
	if strings.Contains(text, "`") {
		return strconv.Quote(text)
	}
	return "`" + text + "`"
}

// enum declares the type of an enum, its values, numbered from one, and its methods.
func enum(f *jen.File, e *model.Enum) {
	words, name := jen.Id(e.Var), jen.Lit(e.Type)
	value := func() *jen.Statement { return jen.Uint8().Call(jen.Id("v")) }
	consts := each(e.Values, func(v model.EnumValue) string { return v.Const })
	declare(f,
		documented(about(e.Type+" is one of a closed set of words", e.Doc, ".")+" The zero value is not valid.",
			jen.Type().Id(e.Type).Uint8()),
		constBlock("The values of ["+e.Type+"].", statements(enumConsts(e.Type, consts))),
		jen.Var().Id(e.Var).Op("=").Index().String().Values(codes(e.Words(), str)...),
		adjacent(
			method("v", e.Type, "String").Params().String().
				Add(returning(genName("EnumWord").Call(value(), words))),
			method("v", e.Type, "MarshalText").Params().Add(bytesAndError(),
				returning(genName("MarshalEnum").Call(value(), name, words))),
			pointerMethod("v", e.Type, "UnmarshalText").Params(jen.Id("text").Index().Byte()).Error().
				Add(returning(genName("UnmarshalEnum").Call(jen.Id("text"), jen.Id("v"), name, words)))))
}

// objectType returns the struct of an object.
func objectType(o *model.Object) jen.Code {
	return documented(about(o.Type+" is a part of an error's context", o.Doc, "."),
		jen.Type().Id(o.Type).StructFunc(func(g *jen.Group) { structFields(g, o.Fields, true) }))
}

// objectClone returns the method `clone`, which returns an object in the form of its field. The
// method also wraps the object, so that its callers stay small enough to be inlined. objectClone
// returns nil if an assignment can store the object.
func objectClone(f *model.Field) jen.Code {
	if !convertsParts(f.Object) {
		return nil
	}
	typ, result := fieldType(f), wrapped(f, jen.Id("v"))
	if f.Type == model.Objects {
		typ, result = itemType(f), jen.Id("v")
	}
	return documented("clone returns v with copies of its lists, and without values that are not valid.",
		method("v", f.Object.Type, "clone").Params().Add(typ).BlockFunc(func(g *jen.Group) {
			for _, part := range f.Object.Fields {
				field := func() *jen.Statement { return jen.Id("v").Dot(part.Go) }
				switch {
				case !needsConversion(part):
				case part.Optional():
					g.Add(ifPresent("x", field())).Block(field().Op("=").Add(converted(part, jen.Id("x"))))
				default:
					g.Add(field()).Op("=").Add(converted(part, field()))
				}
			}
			g.Return(result)
		}))
}

// ifPresent begins an if statement that declares a variable with the value of an optional field,
// and holds if the field has one.
func ifPresent(variable string, field jen.Code) *jen.Statement {
	return jen.If(jen.List(jen.Id(variable), jen.Id("ok")).Op(":=").Add(field).Dot("Get").Call(), jen.Id("ok"))
}

// contextSteps returns the steps of a builder that append the fields of owner as JSON.
func contextSteps(owner string, fields []*model.Field) []step {
	return each(shown(fields), func(f *model.Field) step {
		value, key := jen.Id(owner).Dot(f.Go), jen.Lit(f.Wire)
		appended := func(object jen.Code) *jen.Statement {
			begin := jen.Id("o").Dot("Begin").Call(key)
			return jen.Id("o").Op("=").Add(object).Dot("appendContext").Call(begin).Dot("End").Call()
		}
		switch {
		case f.Type.IsObjects() && !f.Sensitive:
			put := jen.Parens(jen.Op("*").Add(itemType(f))).Dot("appendContext")
			if f.Type == model.Violations {
				put = genName("PutViolation")
			}
			return step{statement: jen.Id("o").Op("=").Add(genName(builderMethod(f, "Objects"))).
				Call(jen.Id("o"), key, value, put)}
		case f.Type != model.ObjectType || f.Sensitive:
			return put(f, key, value)
		case f.Required:
			return step{statement: appended(value)}
		}
		return step{statement: ifPresent("x", value).Block(appended(jen.Id("x")))}
	})
}

// put returns the call of the builder's method that appends a field.
func put(f *model.Field, key, value jen.Code) step {
	switch {
	case f.Sensitive:
		return calling(builderMethod(f, "Secret"), key, jen.Op("!").Add(value).Dot("IsZero").Call())
	case f.Type == model.EnumType:
		return calling(builderMethod(f, "Enum"), key, enumWord(f, value))
	case f.Type == model.Strings:
		return calling(builderMethod(f, "Strings"), key, value, cleaning(f))
	case f.Const != "":
		return calling("Clean", key, opt(f, value), cleaning(f))
	case f.Type == model.JSON:
		return calling(builderMethod(f, "JSON"), key, value)
	default:
		return calling(typeWord(f), key, opt(f, value))
	}
}

// builderMethod returns the name of the builder's method for a field. The methods for fields that
// may be left out begin with Opt.
func builderMethod(f *model.Field, name string) string {
	if f.Required {
		return name
	}
	return "Opt" + name
}
