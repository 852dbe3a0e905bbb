package sample

import (
	"slices"
	"time"

	"github.com/errgen/errgen/internal/model"
)

// around returns values of a field at and around every bound of the conditions, which all test the
// field.
func around(f *model.Field, conds []model.Cond) []model.Value {
	var out []model.Value
	add := func(values ...model.Value) {
		for _, v := range values {
			if !slices.ContainsFunc(out, v.Equal) {
				out = append(out, v)
			}
		}
	}
	for _, c := range conds {
		if c.Min != nil {
			add(near(*c.Min, -1)...)
			add(*c.Min)
		}
		if c.Max != nil {
			add(*c.Max)
			add(near(*c.Max, 1)...)
		}
		add(c.Values...)
		add(c.Not...)
		for _, p := range c.Prefix {
			add(prefixed(f, p)...)
		}
	}
	switch f.Type {
	case model.Bool:
		add(model.Value{Type: model.Bool}, model.Value{Type: model.Bool, Bool: true})
	case model.EnumType:
		for i := range f.Enum.Values {
			add(Word(f, i+1))
		}
	default:
		add(other(f, out))
	}
	return out
}

// beside returns the neighbours of the single values that the conditions list.
func beside(conds []model.Cond) []model.Value {
	var out []model.Value
	for _, c := range conds {
		for _, v := range slices.Concat(c.Values, c.Not) {
			out = append(out, near(v, -1)...)
			out = append(out, near(v, 1)...)
		}
	}
	return out
}

// near returns the value one step from v, unless that is out of range or the type has no steps.
func near(v model.Value, step int64) []model.Value {
	w := v
	switch v.Type {
	case model.Int, model.Int64:
		w.Int += step
	case model.Uint64:
		w.Uint += uint64(step)
	case model.Float64:
		w.Float += float64(step) / 2
	case model.Duration:
		w.Duration += time.Duration(step) * time.Millisecond
	case model.Time:
		w.Time = w.Time.Add(time.Duration(step) * time.Second)
	default:
		return nil
	}
	if int64(w.Compare(v)) != step {
		return nil
	}
	return []model.Value{w}
}

// prefixed returns texts that begin with p, and one that contains p in another place. For an enum
// it returns nil, because around returns all words.
func prefixed(f *model.Field, p string) []model.Value {
	if f.Type != model.String {
		return nil
	}
	return []model.Value{
		{Type: model.String, Str: p}, {Type: model.String, Str: p + "x"}, {Type: model.String, Str: "x" + p},
	}
}

// other returns a value that is not among the values.
func other(f *model.Field, values []model.Value) model.Value {
	for i := 0; ; i++ {
		v := Value(f, i)
		if f.Type == model.String && i > 0 {
			v.Str += " other"
		}
		if i > len(values) || !slices.ContainsFunc(values, v.Equal) {
			return v
		}
	}
}
