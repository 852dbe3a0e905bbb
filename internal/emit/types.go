package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// types are the declarations that fields need besides their struct.
type types struct {
	texts   []*model.Field // with a constant that says how they are shown
	enums   []*model.Enum
	objects []*model.Field // whose types are objects; each such type belongs to one field
	secrets []*model.Field // likewise, but never shown, so that nothing shows or reads them
	sealed  []*model.Field // secrets within objects: these come with the object, so that nothing stores them either
}

// typesOf collects what fields need, those of objects included.
func typesOf(fields []*model.Field) types {
	var t types
	t.collect(fields, place{})
	return t
}

// place is where fields stand.
type place struct{ object, secret, sealed bool }

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
			list := t.listOf(at)
			*list = append(*list, f)
		}
	}
}

// listOf returns the list for objects of a place.
func (t *types) listOf(at place) *[]*model.Field {
	switch {
	case at.sealed:
		return &t.sealed
	case at.secret:
		return &t.secrets
	default:
		return &t.objects
	}
}

func (t types) empty() bool {
	return len(t.texts)+len(t.enums)+len(t.objects)+len(t.secrets)+len(t.sealed) == 0
}

// ownFields are the fields of a category that are not those of every category, or the fields of a
// code that are not those of its category.
func ownFields(m *model.Package, c *model.Category) []*model.Field {
	if c.Extends() {
		return c.Fields[len(c.Codes[0].Category.Fields):]
	}
	return slices.DeleteFunc(slices.Clone(c.Fields), func(f *model.Field) bool { return slices.Contains(m.Fields, f) })
}

// fieldTypes declares what fields need; fills reports whether evidence fills the fields.
func fieldTypes(f *jen.File, l *literals, t types, fills bool) {
	if len(t.texts) > 0 {
		declare(f, cleanConstants(t.texts))
	}
	for _, e := range t.enums {
		l.use(pkgGen)
		declare(f, enum(e)...)
	}
	for _, field := range t.objects {
		declare(f, object(field)...)
	}
	for _, field := range t.secrets {
		declare(f, objectType(field.Object), objectKept(field))
	}
	for _, field := range t.sealed {
		declare(f, objectType(field.Object))
	}
	for _, field := range slices.Concat(t.objects, t.secrets, t.sealed) {
		if fills && fillable(field) {
			declare(f, objectFrom(l, field.Object))
		}
	}
}

// cleanConstants makes the constants that say how texts are shown.
func cleanConstants(fields []*model.Field) jen.Code {
	return constants("How texts are shown: masked, and cut at a length.",
		each(fields, func(f *model.Field) jen.Code {
			return jen.Id(f.Const).Op("=").Add(cleanFlags(f))
		}))
}

func cleanFlags(f *model.Field) jen.Code {
	var flags []jen.Code
	if f.Scrub {
		flags = append(flags, jen.Qual(pkgGen, "Scrub"))
	}
	if f.KeepTail {
		flags = append(flags, jen.Qual(pkgGen, "KeepTail"))
	}
	switch {
	case len(flags) == 0:
		return jen.Qual(pkgGen, "Clean").Call(jen.Lit(f.MaxLength))
	case f.MaxLength > 0:
		flags = append(flags, jen.Lit(f.MaxLength))
	}
	return joined("|", flags)
}
