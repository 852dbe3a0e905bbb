package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// valueType returns the type of f's value, as parameters have it.
func valueType(f *model.Field) *jen.Statement {
	switch f.Type {
	case model.Int:
		return jen.Int()
	case model.Int64:
		return jen.Int64()
	case model.Uint64:
		return jen.Uint64()
	case model.Float64:
		return jen.Float64()
	case model.Bool:
		return jen.Bool()
	case model.Duration:
		return jen.Qual(pkgTime, "Duration")
	case model.Time:
		return jen.Qual(pkgTime, "Time")
	case model.Strings:
		return jen.Index().String()
	case model.JSON:
		return jen.Qual(pkgJSON, "RawMessage")
	case model.ObjectType:
		return jen.Id(f.Object.Type)
	case model.Objects, model.Violations:
		return jen.Index().Add(itemType(f))
	case model.EnumType:
		return jen.Id(f.Enum.Type)
	default:
		return jen.String()
	}
}

// itemType returns the type of an object, or of the items of a list of objects.
func itemType(f *model.Field) *jen.Statement {
	if f.Type == model.Violations {
		return jen.Qual(pkgTaxonomy, "Violation")
	}
	return jen.Id(f.Object.Type)
}

// fieldType returns the type that f has in its struct.
func fieldType(f *model.Field) jen.Code {
	switch {
	case f.Sensitive:
		return jen.Qual(pkgTaxonomy, "Secret").Types(valueType(f))
	case f.Optional():
		return jen.Qual(pkgTaxonomy, "Opt").Types(valueType(f))
	default:
		return valueType(f)
	}
}

// typeWord names f's type in the names of the runtime's helpers: String, OptString.
func typeWord(f *model.Field) string {
	switch f.Type {
	case model.Int:
		return "Int"
	case model.Int64:
		return "Int64"
	case model.Uint64:
		return "Uint64"
	case model.Float64:
		return "Float64"
	case model.Bool:
		return "Bool"
	case model.Duration:
		return "Duration"
	case model.Time:
		return "Time"
	case model.Strings:
		return "Strings"
	case model.JSON:
		return "JSON"
	case model.ObjectType:
		return "Object"
	case model.EnumType:
		return "Enum"
	default:
		return "String"
	}
}

// kept returns the expression that stores given, a value of f's type, in f: lists are copied, so
// that the caller's stays the caller's, and an enum's value that does not exist is dropped.
func kept(f *model.Field, given *jen.Statement) jen.Code {
	switch {
	case f.Type == model.ObjectType && keepsParts(f.Object):
		return given.Dot("kept").Call()
	case f.Type == model.Objects && keepsParts(f.Object):
		return jen.Qual(pkgGen, "CloneObjects").Call(given, itemType(f).Dot("kept"))
	case f.Type.IsObjects():
		return jen.Qual(pkgGen, "CloneObjects").Call(given, jen.Nil())
	case f.Type == model.EnumType && f.Optional():
		return jen.Qual(pkgGen, "SomeEnum").Call(given, lastValue(f.Enum))
	case f.Type == model.EnumType:
		return held(f, jen.Qual(pkgGen, "Enum").Call(given, lastValue(f.Enum)))
	case f.Type == model.Strings:
		return held(f, jen.Qual(pkgGen, "CloneStrings").Call(given))
	case f.Type == model.JSON && f.Sensitive:
		return jen.Qual(pkgGen, "SecretJSON").Call(given)
	case f.Type == model.JSON:
		return held(f, jen.Qual(pkgGen, "CloneJSON").Call(given))
	default:
		return held(f, given)
	}
}

// held returns value as f's field holds it.
func held(f *model.Field, value jen.Code) jen.Code {
	switch {
	case f.Sensitive:
		return jen.Qual(pkgTaxonomy, "SecretOf").Call(value)
	case f.Optional():
		return jen.Qual(pkgTaxonomy, "Some").Call(value)
	default:
		return value
	}
}
