package resolve

import (
	"errors"
	"slices"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

// Fault is a part of a declaration that is not valid, and its place.
type Fault struct {
	Span diag.Span
	Err  error
}

var (
	ordered = []model.Type{model.Int, model.Int64, model.Uint64, model.Float64, model.Duration, model.Time}
	// onlyPresent are the types without any other test.
	onlyPresent = []model.Type{model.Strings, model.JSON, model.ObjectType, model.Objects, model.Violations}
)

// Condition reads a test of field f. It reports faulty parts and leaves them out. Lists, objects
// and JSON can only be tested for presence. Only numbers, durations and times have an order, and
// only strings and enums have a prefix.
func Condition(f *model.Field, m spec.Matcher) (model.Cond, []Fault) {
	c := model.Cond{Field: f}
	var faults []Fault
	refuse := func(at diag.Span, why string) {
		faults = append(faults, Fault{at, errors.New("a field of type " + f.Type.String() + why)})
	}
	values := func(lits ...spec.Literal) []model.Value {
		var out []model.Value
		for _, lit := range lits {
			if slices.Contains(onlyPresent, f.Type) {
				refuse(lit.Span, " can only be tested with present")
			} else if v, err := Value(f, lit); err != nil {
				faults = append(faults, Fault{lit.Span, err})
			} else {
				out = append(out, v)
			}
		}
		return out
	}
	bound := func(lit *spec.Literal) *model.Value {
		if lit == nil {
			return nil
		}
		if !slices.Contains(ordered, f.Type) && !slices.Contains(onlyPresent, f.Type) {
			refuse(lit.Span, " has no order: min and max do not apply")
		} else if v := values(*lit); v != nil {
			return &v[0]
		}
		return nil
	}
	c.Values, c.Not = values(m.Values...), values(m.Not...)
	c.Min, c.Max = bound(m.Min), bound(m.Max)
	for _, t := range m.Prefix {
		if f.Type == model.String || f.Type == model.EnumType {
			c.Prefix = append(c.Prefix, t.V)
		} else {
			refuse(t.Span, " has no prefix")
		}
	}
	if m.Present.Set {
		c.Present = &m.Present.V
	}
	return c, faults
}
