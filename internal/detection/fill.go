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
	context, _ := gen.Filled(m.Taxonomy.Fields(taxonomy.At(code.Category.Index, uint16(code.Ordinal))), ev)
	read(ctx, code.Fields(), context)
	for _, x := range slices.Concat(set, code.Sets) {
		ctx[x.Field] = x.Value
	}
	return code, ctx
}

// read adds the values of a context of [gen.Filled] to ctx.
func read(ctx model.Context, fields []*model.Field, context map[string]any) {
	for _, f := range fields {
		if v, ok := context[f.Wire]; ok {
			ctx[f] = modelValue(f, v)
		}
	}
}

func modelValue(f *model.Field, v any) model.Value {
	out := model.Value{Type: f.Type}
	switch v := v.(type) {
	case string:
		out.Str, out.Index = v, slices.Index(f.Enum.Words(), v)+1
	case json.RawMessage:
		if f.Default != nil && string(v) == f.Default.JSON() {
			return *f.Default
		}
		out.Str = string(v)
	case map[string]any:
		out.Object = make(model.Context)
		read(out.Object, f.Object.Fields, v)
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
