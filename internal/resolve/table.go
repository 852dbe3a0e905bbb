package resolve

import (
	"reflect"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// tableCode returns a code's entry in the table, without its traits.
func tableCode(c *model.Code) taxonomy.Code {
	out := taxonomy.Code{
		Value: c.Value, Number: c.Number, Since: c.Since, Message: c.MessageText, Doc: c.Doc, Resolution: c.Resolution,
		NumberZero: c.Numbered && c.Number == 0, Set: model.SetJSON(c.Set), Public: c.Public,
	}
	extra := taxonomy.Extras{Deprecated: c.Deprecated, Aliases: c.Aliases, Names: c.Names, Prevent: c.Prevent}
	if c.Key != c.Value {
		out.Key = c.Key
	}
	if out.Abstract = c.Abstract; c.Parent != nil {
		out.Parent = uint16(c.Parent.Ordinal)
	}
	for _, v := range c.Constants {
		extra.Constants = append(extra.Constants, v.Any())
	}
	if c.ReplacedBy != nil {
		extra.ReplacedBy = c.ReplacedBy.Value
	}
	if !reflect.ValueOf(extra).IsZero() {
		out.Extra = &extra
	}
	if c.Own != nil {
		out.Own = &taxonomy.OwnType{Name: c.Own.Type, Fields: tableFields(c.Own.Fields[len(c.Category.Fields):])}
	}
	for _, g := range c.Groups {
		out.Groups |= 1 << g.Bit
	}
	for _, f := range c.Args {
		if !f.Required {
			out.Takes = append(out.Takes, f.Wire)
		}
	}
	return out
}

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
