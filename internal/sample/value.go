package sample

import (
	"math"
	"time"

	"github.com/errgen/errgen/internal/model"
)

// Value returns a value for f that is not zero. If the type permits, the value differs from those
// for other indexes.
func Value(f *model.Field, index int) model.Value {
	v := model.Value{Type: f.Type}
	switch f.Type {
	case model.String:
		v.Str = "some " + f.Wire
	case model.Int:
		v.Int = int64(3 + index)
	case model.Int64:
		v.Int = math.MaxInt64 - int64(index)
	case model.Uint64:
		v.Uint = math.MaxUint64 - uint64(index)
	case model.Float64:
		v.Float = 0.5 + float64(index)
	case model.Bool:
		v.Bool = true
	case model.Duration:
		v.Duration = time.Duration(index)*time.Second + 1500*time.Millisecond
	case model.Time:
		v.Time = time.Date(2026, time.January, 2, 3, 4, index%60, 0, time.UTC)
	case model.Strings:
		v.Strings = []string{f.Wire + " 1", f.Wire + " 2"}
	case model.JSON:
		v.Str = `{"some":"` + f.Wire + `"}`
	case model.EnumType:
		v = Word(f, 1+index%len(f.Enum.Values))
	case model.ObjectType:
		v.Object = fullObject(f, 0)
	case model.Objects, model.Violations:
		v.Objects = []model.Context{fullObject(f, 0), fullObject(f, 1)}
	}
	return v
}

// fullObject returns an object with a value for every field. The values depend on index.
func fullObject(f *model.Field, index int) model.Context {
	ctx := model.Context{}
	for i, part := range f.Object.Fields {
		ctx[part] = Value(part, i+index)
	}
	return ctx
}

// Word returns the value of an enum with the given index, from 1.
func Word(f *model.Field, index int) model.Value {
	return model.Value{Type: model.EnumType, Index: index, Str: f.Enum.Values[index-1].Wire}
}

// NoWord returns a value that an enum does not have. Its Index is the negated number of the value,
// because the model treats a negative Index as no value.
func NoWord(f *model.Field) model.Value {
	return model.Value{Type: model.EnumType, Index: -len(f.Enum.Values) - 1}
}

// Empty returns the empty value of f, which messages treat as absent, if its type has one.
func Empty(f *model.Field) (model.Value, bool) {
	if f == nil {
		return model.Value{}, false
	}
	v := model.Value{Type: f.Type}
	switch f.Type {
	case model.String:
		return v, true
	case model.Strings:
		v.Strings = []string{}
		return v, true
	case model.Objects, model.Violations:
		v.Objects = []model.Context{}
		return v, true
	}
	return v, false
}

// Zero returns the value of a required field that was not set.
func Zero(f *model.Field) model.Value {
	v := model.Value{Type: f.Type}
	if f.Type == model.ObjectType {
		v.Object = ZeroContext(f.Object.Fields)
	}
	return v
}

// ZeroContext returns the context of an error whose fields were not set: zero values of the
// required fields. It has no secrets, because they can be absent even if they are required.
func ZeroContext(fields []*model.Field) model.Context {
	ctx := model.Context{}
	for _, f := range fields {
		if f.Required && !f.Sensitive {
			ctx[f] = Zero(f)
		}
	}
	return ctx
}

// Minimal returns a value of an object field with only the required fields of the object.
func Minimal(f *model.Field) model.Value {
	v := model.Value{Type: model.ObjectType, Object: model.Context{}}
	for i, part := range f.Object.Fields {
		switch {
		case part.Required && part.Type == model.ObjectType:
			v.Object[part] = Minimal(part)
		case part.Required:
			v.Object[part] = Value(part, i)
		}
	}
	return v
}
