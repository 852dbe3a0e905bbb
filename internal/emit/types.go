package emit

import (
	"fmt"
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
			eachText(t.texts, func(f *model.Field) string { return f.Const + " = " + cleanFlags(f) })))
	}
	for _, e := range t.enums {
		declare(f, enum(e)...)
	}
	for _, field := range t.objects {
		declare(f, objectType(field.Object), objectClone(field), text("func (v *"+field.Object.Type+
			") appendContext(o gen.ObjectBuilder) gen.ObjectBuilder {\n"+
			calls("o", contextCalls("v", field.Object.Fields))+"return o\n}"))
	}
	for _, field := range t.secrets {
		declare(f, objectType(field.Object), objectClone(field))
	}
	for _, field := range t.sealed {
		declare(f, objectType(field.Object))
	}
	for _, field := range slices.Concat(t.objects, t.secrets, t.sealed) {
		if fills && fillable(field) {
			declare(f, text(objectFrom(field.Object)))
		}
	}
}

// cleanFlags returns the gen.Clean of a field as an expression.
func cleanFlags(f *model.Field) string {
	var flags []string
	if f.Scrub {
		flags = append(flags, "gen.Scrub")
	}
	if f.KeepTail {
		flags = append(flags, "gen.KeepTail")
	}
	switch {
	case len(flags) == 0:
		return "gen.Clean(" + strconv.Itoa(f.MaxLength) + ")"
	case f.MaxLength > 0:
		flags = append(flags, strconv.Itoa(f.MaxLength))
	}
	return strings.Join(flags, " | ")
}

// structFields makes the exported fields of a struct. If tagged is true, they get tags for
// encoding/json.
func structFields(g *jen.Group, fields []*model.Field, tagged bool) {
	for _, f := range fields {
		doc := strings.TrimSpace(oneLine(f.Doc) + shownAs(f))
		if tagged || doc == "" || len(doc) > maxTrailing {
			s := g.Add(comment(about(f.Go, f.Doc, " is "+f.Wire+" in the context.") + shownAs(f))).
				Id(f.Go).Id(fieldType(f))
			if tagged {
				s.Op(tag(f))
			}
			continue
		}
		g.Id(f.Go).Id(fieldType(f)).Comment("// " + doc)
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

// tag returns the struct tag of a field. A wire name may contain a back quote.
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

// enum makes the type of an enum, its values, numbered from one, and its methods.
func enum(e *model.Enum) []jen.Code {
	typ := jen.Add(comment(about(e.Type+" is one of a closed set of words", e.Doc, ".") +
		" The zero value is not valid.")).Type().Id(e.Type).Uint8()
	values := eachText(e.Values, func(v model.EnumValue) string { return v.Const })
	values[0] += " " + e.Type + " = iota + 1"
	return []jen.Code{typ, constBlock("The values of ["+e.Type+"].", values),
		text("var " + e.Var + " = []string{" + quoted(e.Words()) + "}"),
		text(strings.NewReplacer("$E", e.Type, "$V", e.Var).Replace(`
func (v $E) String() string { return gen.EnumWord(uint8(v), $V) }
func (v $E) MarshalText() ([]byte, error) { return gen.MarshalEnum(uint8(v), "$E", $V) }
func (v *$E) UnmarshalText(text []byte) error { return gen.UnmarshalEnum(text, v, "$E", $V) }
`))}
}

// objectType makes the struct of an object.
func objectType(o *model.Object) jen.Code {
	return jen.Add(comment(about(o.Type+" is a part of an error's context", o.Doc, "."))).
		Type().Id(o.Type).StructFunc(func(g *jen.Group) { structFields(g, o.Fields, true) })
}

// objectClone makes the method `clone`, which returns an object in the form of its field. The method
// also wraps the object, so that its callers stay small enough to be inlined. objectClone returns nil
// if an assignment can store the object.
func objectClone(f *model.Field) jen.Code {
	if !convertsParts(f.Object) {
		return nil
	}
	body := ""
	for _, part := range f.Object.Fields {
		switch {
		case !needsConversion(part):
		case part.Optional():
			body += fmt.Sprintf("if x, ok := v.%s.Get(); ok {\nv.%[1]s = %s\n}\n", part.Go, convert(part, "x"))
		default:
			body += "v." + part.Go + " = " + convert(part, "v."+part.Go) + "\n"
		}
	}
	typ, value := fieldType(f), wrap(f, "v")
	if f.Type == model.Objects {
		typ, value = itemType(f), "v"
	}
	return text("// clone returns v with copies of its lists, and without values that are not valid.\n" +
		"func (v " + f.Object.Type + ") clone() " + typ + " {\n" + body + "return " + value + "\n}")
}

// contextCalls returns the calls of a builder that append the fields of owner as JSON, and
// statements for fields that need more.
func contextCalls(owner string, fields []*model.Field) []string {
	return eachText(shown(fields), func(f *model.Field) string {
		value := owner + "." + f.Go
		switch {
		case f.Type.IsObjects() && !f.Sensitive:
			put := "(*" + itemType(f) + ").appendContext"
			if f.Type == model.Violations {
				put = "gen.PutViolation"
			}
			return fmt.Sprintf("o = gen.%s(o, %q, %s, %s)", builderMethod(f, "Objects"), f.Wire, value, put)
		case f.Type != model.ObjectType || f.Sensitive:
			return put(f, value)
		case f.Required:
			return fmt.Sprintf("o = %s.appendContext(o.Begin(%q)).End()", value, f.Wire)
		}
		return fmt.Sprintf("if x, ok := %s.Get(); ok {\no = x.appendContext(o.Begin(%q)).End()\n}", value, f.Wire)
	})
}

// put returns the call of the builder's method that appends a field, with its dot.
func put(f *model.Field, value string) string {
	key := strconv.Quote(f.Wire)
	switch {
	case f.Sensitive:
		return fmt.Sprintf(".%s(%s, !%s.IsZero())", builderMethod(f, "Secret"), key, value)
	case f.Type == model.EnumType:
		return fmt.Sprintf(".%s(%s, %s)", builderMethod(f, "Enum"), key, enumWord(f, value))
	case f.Type == model.Strings:
		return fmt.Sprintf(".%s(%s, %s, %s)", builderMethod(f, "Strings"), key, value, cleaning(f))
	case f.Const != "":
		return fmt.Sprintf(".Clean(%s, %s, %s)", key, opt(f, value), cleaning(f))
	case f.Type == model.JSON:
		return fmt.Sprintf(".%s(%s, %s)", builderMethod(f, "JSON"), key, value)
	default:
		return fmt.Sprintf(".%s(%s, %s)", typeWord(f), key, opt(f, value))
	}
}

// builderMethod returns the name of the builder's method for a field. The methods for fields that may
// be left out begin with Opt.
func builderMethod(f *model.Field, name string) string {
	if f.Required {
		return name
	}
	return "Opt" + name
}
