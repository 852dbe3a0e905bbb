package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// types are what fields need besides the struct that they stand in.
type types struct {
	texts   []*model.Field // with a constant that says how they are shown
	enums   []*model.Enum
	objects []*model.Field // whose types are objects; each such type belongs to one field
	secrets []*model.Field // likewise, but never shown, so that nothing shows or reads them
}

// typesOf collects what fields need, those of objects included.
func typesOf(fields []*model.Field) types {
	var t types
	t.collect(fields, false)
	return t
}

func (t *types) collect(fields []*model.Field, secret bool) {
	for _, f := range fields {
		secret := secret || f.Sensitive
		if f.Const != "" && !secret {
			t.texts = append(t.texts, f)
		}
		switch f.Type {
		case model.EnumType:
			t.enums = append(t.enums, f.Enum)
		case model.ObjectType:
			t.collect(f.Object.Fields, secret)
			if secret {
				t.secrets = append(t.secrets, f)
				continue
			}
			t.objects = append(t.objects, f)
		}
	}
}

func (t types) empty() bool { return len(t.texts)+len(t.enums)+len(t.objects)+len(t.secrets) == 0 }

// ownFields are the fields of a category that are not those of every category.
func ownFields(m *model.Package, c *model.Category) []*model.Field {
	return slices.DeleteFunc(slices.Clone(c.Fields), func(f *model.Field) bool { return slices.Contains(m.Fields, f) })
}

// fieldTypes declares what fields need.
func fieldTypes(f *jen.File, t types) {
	if len(t.texts) > 0 {
		declare(f, cleanConstants(t.texts))
	}
	for _, e := range t.enums {
		declare(f, enum(e)...)
	}
	for _, field := range t.objects {
		declare(f, object(field)...)
	}
	for _, field := range t.secrets {
		declare(f, objectType(field.Object), objectKept(field))
	}
}
