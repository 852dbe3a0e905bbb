package resolve

import (
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func tableFields(fields []*model.Field) []taxonomy.Field {
	var out []taxonomy.Field
	for _, f := range fields {
		x := taxonomy.Field{
			Name: f.Wire, Type: f.Type.String(), Enum: f.Enum.Words(), From: f.From, MaxLength: f.MaxLength,
			Required: f.Required, Sensitive: f.Sensitive, Scrub: f.Scrub, KeepTail: f.KeepTail,
			MessageOnly: f.MessageOnly, Public: f.Public,
		}
		if f.Object != nil {
			x.Fields = tableFields(f.Object.Fields)
			if f.Type == model.Violations {
				x.Fields[2].Required = false // the code
			}
		}
		if f.Default != nil {
			x.Default = f.Default.JSON()
		}
		out = append(out, x)
	}
	return out
}

const defaultLikely = 0.5

func prevention(d *spec.Prevention) *taxonomy.Prevention {
	if d == nil {
		return nil
	}
	return &taxonomy.Prevention{
		Check: d.Check.V, Throttle: d.Throttle.V, Concurrency: d.Concurrency.V, Likely: d.Likely.Or(defaultLikely),
	}
}
