package sample

import (
	"maps"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
)

// variants adds cases with odd values of fields: texts that are too long or secret, minimal
// objects, words that do not exist.
func (s *set) variants(code *model.Code, fields []*model.Field) {
	base := Base(code)
	for _, f := range fields {
		for _, v := range variantsOf(f) {
			s.add(base.With(f, v))
		}
	}
}

// Hosts distributes the fields of a category to its codes. The cases of a code test the odd values
// of its fields, so that each field is tested once.
func Hosts(c *model.Category) map[*model.Code][]*model.Field {
	hosts := map[*model.Code][]*model.Field{}
	for _, f := range c.Fields {
		if code := host(f, c); code != nil {
			hosts[code] = append(hosts[code], f)
		}
	}
	for _, code := range c.Codes {
		if code.OwnType == nil {
			continue
		}
		for _, f := range code.OwnType.Fields[len(c.Fields):] {
			if _, fixed := code.Fixed(f); !fixed && (!f.Required || code.HasParam(f)) {
				hosts[code] = append(hosts[code], f)
			}
		}
	}
	return hosts
}

// host returns the code whose cases test the odd values of f: the first one whose text shows f, or
// else the first one that permits any value of f.
func host(f *model.Field, c *model.Category) *model.Code {
	var candidates []*model.Code
	for _, code := range c.Codes {
		if _, fixed := code.Fixed(f); !fixed && (!f.Required || code.HasParam(f)) {
			candidates = append(candidates, code)
		}
	}
	if i := slices.IndexFunc(candidates, func(code *model.Code) bool { return shows(code, f) }); i >= 0 {
		return candidates[i]
	}
	if len(candidates) == 0 {
		return nil
	}
	return candidates[0]
}

// variantsOf returns the odd values of a field.
func variantsOf(f *model.Field) []model.Value {
	switch {
	case f.Sensitive:
		return nil
	case f.Type == model.String:
		return textVariants(f, func(s string) model.Value { return model.Value{Type: model.String, Str: s} })
	case f.Type == model.Strings:
		return textVariants(f, func(s string) model.Value {
			return model.Value{Type: model.Strings, Strings: []string{s, f.Wire + " 2"}}
		})
	case f.Type == model.EnumType:
		return []model.Value{NoWord(f)}
	case f.Type == model.ObjectType:
		return objectVariants(f)
	case f.Type == model.Objects:
		var out []model.Value
		for _, v := range objectVariants(f) {
			out = append(out, model.Value{Type: model.Objects, Objects: []model.Context{v.Object}})
		}
		return out
	}
	return nil
}

func textVariants(f *model.Field, value func(string) model.Value) []model.Value {
	var out []model.Value
	if f.MaxLength > 0 {
		out = append(out, value(long(f)))
	}
	if s, ok := secret(f); ok {
		out = append(out, value(s))
	}
	return out
}

func objectVariants(f *model.Field) []model.Value {
	out := []model.Value{Minimal(f)}
	for _, part := range f.Object.Fields {
		for _, v := range variantsOf(part) {
			o := model.Value{Type: model.ObjectType, Object: maps.Clone(Minimal(f).Object)}
			o.Object[part] = v
			out = append(out, o)
		}
	}
	return out
}

// secrets are texts that contain a secret.
var secrets = []string{
	"Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789",
	"password=correct-horse-battery-staple",
	"https://user:correct-horse@example.org/",
}

// long returns a text that f cuts.
func long(f *model.Field) string {
	return "first " + strings.Repeat("x", f.MaxLength) + " last"
}

// secret returns a text that f masks in part. If f masks nothing, ok is false.
func secret(f *model.Field) (text string, ok bool) {
	for _, s := range secrets {
		if s != f.Clean(s) {
			return s, true
		}
	}
	return "", false
}

// twoLines returns a text of two lines.
func twoLines(f *model.Field) string { return "some " + f.Wire + "\nsecond line" }
