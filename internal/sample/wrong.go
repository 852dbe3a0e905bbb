package sample

import (
	"strconv"

	"github.com/errgen/errgen/internal/model"
)

// WrongContext is a context that cannot be read, and the path of the value that is at fault.
type WrongContext struct{ JSON, Path string }

// Wrong returns, for each field that is read, a context in which it has a value of another type.
func Wrong(fields []*model.Field) []WrongContext { return contexts(fields, wrongValue) }

// Strange returns, for each enum that is read, a context in which it has a word that does not
// exist.
func Strange(fields []*model.Field) []WrongContext {
	return contexts(fields, func(f *model.Field) string {
		if f.Type == model.EnumType {
			return `"no such word"`
		}
		return ""
	})
}

// contexts returns a context for each field that is read and has a value; "" is none.
func contexts(fields []*model.Field, value func(*model.Field) string) []WrongContext {
	var out []WrongContext
	for _, f := range fields {
		if f.MessageOnly || f.Sensitive {
			continue
		}
		key := strconv.Quote(f.Wire)
		if v := value(f); v != "" {
			out = append(out, WrongContext{JSON: "{" + key + ":" + v + "}", Path: f.Wire})
		}
		if f.Type != model.ObjectType {
			continue
		}
		for _, part := range contexts(f.Object.Fields, value) {
			out = append(out, WrongContext{JSON: "{" + key + ":" + part.JSON + "}", Path: f.Wire + "." + part.Path})
		}
	}
	return out
}

// wrongValue returns JSON that is no value of f; "" when there is none.
func wrongValue(f *model.Field) string {
	switch f.Type {
	case model.JSON:
		return ""
	case model.String, model.EnumType:
		return "1"
	default:
		return `"no such value"`
	}
}

// SparseObject is an object off the wire that holds what is not known, and what it is read as.
type SparseObject struct {
	JSON  string
	Value model.Value
}

// Sparse returns such objects for a field of type object and the objects in it.
func Sparse(f *model.Field) []SparseObject {
	if f.Type != model.ObjectType || f.Sensitive || f.MessageOnly {
		return nil
	}
	out := []SparseObject{{`{"no such field":[1,{}]}`, Zero(f)}}
	if full := Value(f, 0); JSON(f.Object.Fields, full.Object) != "{}" {
		out = append(out, SparseObject{`{"no such field":[1,{}],` + JSON(f.Object.Fields, full.Object)[1:], full})
	}
	for _, part := range f.Object.Fields {
		for _, o := range Sparse(part) {
			v := Zero(f)
			v.Object[part] = o.Value
			out = append(out, SparseObject{"{" + strconv.Quote(part.Wire) + ":" + o.JSON + "}", v})
		}
	}
	return out
}
