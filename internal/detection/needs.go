package detection

import (
	"slices"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/detect"
)

// needs returns the fields of detected errors that only evidence can fill, in the order of the
// codes. A field that a rule sets is among them, because other rules of the code may not set it.
func needs(m *model.Package) []detect.Need {
	var out []detect.Need
	for _, c := range m.Codes {
		if len(c.Rules) == 0 && c != m.Fallback {
			continue
		}
		for _, f := range c.Category.Fields {
			if _, fixed := c.Fixed(f); fixed || !(f.Required || c.Takes(f)) || alwaysSet(m, c, f) {
				continue
			}
			out = append(out, fieldNeeds(c, f, "")...)
		}
	}
	return out
}

// alwaysSet reports whether every way to the code sets the field.
func alwaysSet(m *model.Package, c *model.Code, f *model.Field) bool {
	sets := func(set []model.FieldValue) bool {
		return slices.ContainsFunc(set, func(s model.FieldValue) bool { return s.Field == f })
	}
	return (c != m.Fallback || sets(m.FallbackSet)) && !slices.ContainsFunc(
		c.Rules, func(r *model.Rule) bool { return !sets(r.Set) })
}

// fieldNeeds returns the needs of a field. A required object has those of its required fields, an
// optional one has none.
func fieldNeeds(c *model.Code, f *model.Field, path string) []detect.Need {
	if f.Type == model.ObjectType {
		var out []detect.Need
		for _, inner := range f.Object.Fields {
			if f.Required && inner.Required {
				out = append(out, fieldNeeds(c, inner, path+f.Wire+".")...)
			}
		}
		return out
	}
	if f.Default != nil {
		return nil
	}
	return []detect.Need{{
		Row: row(c), Field: path + f.Wire, From: f.From, Type: f.Type.String(), Words: f.Enum.Words(),
	}}
}
