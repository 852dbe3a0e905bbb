package emit

import (
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
)

// valueType returns the type of f's value in parameters.
func valueType(f *model.Field) string {
	switch f.Type {
	case model.Duration, model.Time:
		return "time." + typeWord(f)
	case model.Strings:
		return "[]string"
	case model.JSON:
		return "json.RawMessage"
	case model.ObjectType:
		return f.Object.Type
	case model.Objects, model.Violations:
		return "[]" + itemType(f)
	case model.EnumType:
		return f.Enum.Type
	default:
		return f.Type.String()
	}
}

// itemType returns the type of an object, or of the items of a list of objects.
func itemType(f *model.Field) string {
	if f.Type == model.Violations {
		return "taxonomy.Violation"
	}
	return f.Object.Type
}

// fieldType returns the type that f has in its struct.
func fieldType(f *model.Field) string {
	switch {
	case f.Sensitive:
		return "taxonomy.Secret[" + valueType(f) + "]"
	case f.Optional():
		return "taxonomy.Opt[" + valueType(f) + "]"
	default:
		return valueType(f)
	}
}

// typeWord returns f's type as it is in the names of the runtime's functions: String, Int64.
func typeWord(f *model.Field) string {
	word, _ := naming.Suffix(f.Type.String())
	return word
}

// convert returns the expression that converts given, a value of f's type, to the type of f's
// field. It copies lists, so that the caller can change them later, and drops enum values that do
// not exist.
func convert(f *model.Field, given string) string {
	switch {
	case f.Type == model.ObjectType && convertsParts(f.Object):
		return given + ".clone()"
	case f.Type == model.Objects && convertsParts(f.Object):
		return "gen.CloneObjects(" + given + ", " + itemType(f) + ".clone)"
	case f.Type.IsObjects():
		return "gen.CloneObjects(" + given + ", nil)"
	case f.Type == model.EnumType && f.Optional():
		return "gen.SomeEnum(" + given + ", " + lastValue(f.Enum) + ")"
	case f.Type == model.EnumType:
		return wrap(f, "gen.Enum("+given+", "+lastValue(f.Enum)+")")
	case f.Type == model.Strings:
		return wrap(f, "gen.CloneStrings("+given+")")
	case f.Type == model.JSON && f.Sensitive:
		return "gen.SecretJSON(" + given + ")"
	case f.Type == model.JSON:
		return wrap(f, "gen.CloneJSON("+given+")")
	default:
		return wrap(f, given)
	}
}

// wrap returns the expression that wraps a value as a secret or an optional value if f is one.
func wrap(f *model.Field, value string) string {
	switch {
	case f.Sensitive:
		return "taxonomy.SecretOf(" + value + ")"
	case f.Optional():
		return "taxonomy.Some(" + value + ")"
	default:
		return value
	}
}

// opt returns a field's value as a taxonomy.Opt.
func opt(f *model.Field, value string) string {
	if f.Optional() {
		return value
	}
	return "taxonomy.Some(" + value + ")"
}

// fixed returns the expression of a value of the taxonomy in the type of f's field.
func fixed(f *model.Field, v model.Value) string {
	value := constant(f, v)
	if f.Optional() || f.Sensitive {
		return wrap(f, typed(f, value))
	}
	return value
}

// cleaning returns the constant that specifies how a field's text is shown, or "0".
func cleaning(f *model.Field) string {
	if f.Const == "" {
		return "0"
	}
	return f.Const
}

// enumWord returns the expression of the word of an enum's value. The word of an absent value is
// empty.
func enumWord(f *model.Field, value string) string {
	if f.Optional() {
		value += ".Or(0)"
	}
	return value + ".String()"
}

// lastValue returns the name of an enum's last value, which equals the number of values.
func lastValue(e *model.Enum) string { return e.Values[len(e.Values)-1].Const }

// convertsParts reports whether storing an object takes more than an assignment.
func convertsParts(o *model.Object) bool {
	for _, f := range o.Fields {
		if needsConversion(f) {
			return true
		}
	}
	return false
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
	var out []*model.Field
	for _, f := range fields {
		if !f.MessageOnly {
			out = append(out, f)
		}
	}
	return out
}
