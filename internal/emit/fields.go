package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
)

// valueType returns the type of f's value in parameters.
func valueType(f *model.Field) *jen.Statement {
	switch f.Type {
	case model.Duration, model.Time:
		return jen.Qual("time", typeWord(f))
	case model.Strings:
		return jen.Index().String()
	case model.JSON:
		return jen.Qual("encoding/json", "RawMessage")
	case model.ObjectType:
		return jen.Id(f.Object.Type)
	case model.Objects, model.Violations:
		return jen.Index().Add(itemType(f))
	case model.EnumType:
		return jen.Id(f.Enum.Type)
	default:
		return jen.Id(f.Type.String())
	}
}

// sameType reports whether the values of two fields have one type.
func sameType(a, b *model.Field) bool {
	return a.Type == b.Type && a.Object == b.Object && a.Enum == b.Enum
}

// itemType returns the type of an object, or of the items of a list of objects.
func itemType(f *model.Field) *jen.Statement {
	if f.Type == model.Violations {
		return taxonomyName("Violation")
	}
	return jen.Id(f.Object.Type)
}

// fieldType returns the type that f has in its struct.
func fieldType(f *model.Field) *jen.Statement {
	switch {
	case f.Sensitive:
		return taxonomyName("Secret").Types(valueType(f))
	case f.Optional():
		return taxonomyName("Opt").Types(valueType(f))
	default:
		return valueType(f)
	}
}

// typeWord returns f's type as it is in the names of the runtime's functions: String, Int64.
func typeWord(f *model.Field) string {
	word, _ := naming.Suffix(f.Type.String())
	return word
}

// converted returns the expression that converts given, a value of f's type, to the type of f's
// field. It copies lists, so that the caller can change them later, and drops enum values that do
// not exist.
func converted(f *model.Field, given jen.Code) *jen.Statement {
	switch {
	case f.Type == model.ObjectType && convertsParts(f.Object):
		return jen.Add(given).Dot("clone").Call()
	case f.Type == model.Objects && convertsParts(f.Object):
		return genName("CloneObjects").Call(given, itemType(f).Dot("clone"))
	case f.Type.IsObjects():
		return genName("CloneObjects").Call(given, jen.Nil())
	case f.Type == model.EnumType && f.Optional():
		return genName("SomeEnum").Call(given, lastValue(f.Enum))
	case f.Type == model.EnumType:
		return wrapped(f, genName("Enum").Call(given, lastValue(f.Enum)))
	case f.Type == model.Strings:
		return wrapped(f, genName("CloneStrings").Call(given))
	case f.Type == model.JSON && f.Sensitive:
		return genName("SecretJSON").Call(given)
	case f.Type == model.JSON:
		return wrapped(f, genName("CloneJSON").Call(given))
	default:
		return wrapped(f, given)
	}
}

// wrapped returns the expression that wraps a value as a secret or an optional value if f is one.
func wrapped(f *model.Field, value jen.Code) *jen.Statement {
	switch {
	case f.Sensitive:
		return taxonomyName("SecretOf").Call(value)
	case f.Optional():
		return taxonomyName("Some").Call(value)
	default:
		return jen.Add(value)
	}
}

// opt returns a field's value as a taxonomy.Opt.
func opt(f *model.Field, value jen.Code) jen.Code {
	if f.Optional() {
		return value
	}
	return taxonomyName("Some").Call(value)
}

// fixed returns the expression of a value of the taxonomy in the type of f's field.
func fixed(f *model.Field, v model.Value) *jen.Statement {
	value := constant(f, v)
	if f.Optional() || f.Sensitive {
		return wrapped(f, typed(f, value).code())
	}
	return value.code()
}

// cleaning returns the constant that specifies how a field's text is shown, or 0.
func cleaning(f *model.Field) jen.Code {
	if f.Const == "" {
		return jen.Lit(0)
	}
	return jen.Id(f.Const)
}

// enumWord returns the expression of the word of an enum's value. The word of an absent value is
// empty.
func enumWord(f *model.Field, value jen.Code) *jen.Statement {
	s := jen.Add(value)
	if f.Optional() {
		s.Dot("Or").Call(jen.Lit(0))
	}
	return s.Dot("String").Call()
}

// lastValue returns the name of an enum's last value, which equals the number of values.
func lastValue(e *model.Enum) jen.Code { return jen.Id(e.Values[len(e.Values)-1].Const) }

// convertsParts reports whether storing an object takes more than an assignment.
func convertsParts(o *model.Object) bool {
	return slices.ContainsFunc(o.Fields, needsConversion)
}

// needsConversion reports whether storing a field takes more than an assignment.
func needsConversion(f *model.Field) bool {
	switch f.Type {
	case model.Strings, model.JSON, model.EnumType, model.Objects, model.Violations:
		return !f.Sensitive
	case model.ObjectType:
		return !f.Sensitive && convertsParts(f.Object)
	default:
		return false
	}
}

// shown returns the fields without those that are in the message only.
func shown(fields []*model.Field) []*model.Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f *model.Field) bool { return f.MessageOnly })
}
