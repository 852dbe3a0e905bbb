package detection

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// Fill returns the code of a rule, or the fallback if rule is nil, and the context of the error:
// the values that the code sets, those that the rule (or the fallback) sets, those of the evidence,
// and defaults. Without a rule and a fallback the code is nil.
func Fill(m *model.Package, rule *model.Rule, ev *taxonomy.Evidence) (code *model.Code, ctx model.Context) {
	code, set := m.Fallback, m.FallbackSet
	if own := m.SourceFallbacks[ev.Source]; own != nil {
		code, set = own, nil
	}
	if rule != nil {
		code, set = rule.Code, rule.Set
	}
	if code == nil {
		return nil, nil
	}
	ctx = make(model.Context)
	for _, f := range code.Fields() {
		if v, ok := value(code, set, f, ev); ok {
			ctx[f] = v
		}
	}
	return code, ctx
}

func value(code *model.Code, set []model.FieldValue, f *model.Field, ev *taxonomy.Evidence) (model.Value, bool) {
	if v, ok := code.Fixed(f); ok {
		return v, true
	}
	if i := slices.IndexFunc(set, func(s model.FieldValue) bool { return s.Field == f }); i >= 0 {
		return set[i].Value, true
	}
	return fromEvidence(f, ev)
}

func fromEvidence(f *model.Field, ev *taxonomy.Evidence) (model.Value, bool) {
	if f.Type == model.ObjectType {
		return object(f, ev)
	}
	if v, ok := read(f, ev); ok {
		return v, true
	}
	if f.Default != nil {
		return *f.Default, true
	}
	return model.Value{}, false
}

// object fills an object that is required, or that evidence has values for. Defaults alone do not
// make an object.
func object(f *model.Field, ev *taxonomy.Evidence) (model.Value, bool) {
	if !f.Required && !hasValues(f.Object, ev) {
		return model.Value{}, false
	}
	v := model.Value{Type: model.ObjectType, Object: make(model.Context)}
	for _, inner := range f.Object.Fields {
		if filled, ok := fromEvidence(inner, ev); ok {
			v.Object[inner] = filled
		}
	}
	return v, true
}

// hasValues reports whether evidence has a value for an object.
func hasValues(o *model.Object, ev *taxonomy.Evidence) bool {
	return slices.ContainsFunc(o.Fields, func(f *model.Field) bool {
		if f.Type == model.ObjectType {
			return hasValues(f.Object, ev)
		}
		_, ok := read(f, ev)
		return ok
	})
}

// read returns the first value that evidence has for f.
func read(f *model.Field, ev *taxonomy.Evidence) (model.Value, bool) {
	for _, from := range f.From {
		if v, ok := gen.Read(ev, from, f.Type.String(), f.Enum.Words()); ok {
			return modelValue(f, v), true
		}
	}
	return model.Value{}, false
}

// modelValue converts what [gen.Read] returns.
func modelValue(f *model.Field, v any) model.Value {
	out := model.Value{Type: f.Type}
	switch v := v.(type) {
	case string:
		out.Str = v
	case json.RawMessage:
		out.Str = string(v)
	case uint8:
		out.Index, out.Str = int(v), f.Enum.Values[v-1].Wire
	case int:
		out.Int = int64(v)
	case int64:
		out.Int = v
	case uint64:
		out.Uint = v
	case float64:
		out.Float = v
	case bool:
		out.Bool = v
	case time.Duration:
		out.Duration = v
	case time.Time:
		out.Time = v
	case []string:
		out.Strings = v
	}
	return out
}
