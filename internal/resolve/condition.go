package resolve

import (
	"errors"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

// Fault is a part of a declaration that cannot be what it is meant to be, and where it stands.
type Fault struct {
	Span diag.Span
	Err  error
}

// Condition reads a test of field f. Faulty parts are reported and left out. Lists, objects and
// JSON can only be tested for presence; only numbers, durations and times have an order, only
// strings and enums a prefix.
func Condition(f *model.Field, m spec.Matcher) (model.Cond, []Fault) {
	r := conditionReader{field: f}
	c := model.Cond{Field: f}
	c.Values = r.values(m.Values)
	c.Not = r.values(m.Not)
	c.Min = r.bound(m.Min)
	c.Max = r.bound(m.Max)
	c.Prefix = r.prefix(m.Prefix)
	if m.Present.Set {
		c.Present = &m.Present.V
	}
	return c, r.faults
}

type conditionReader struct {
	field  *model.Field
	faults []Fault
}

func (r *conditionReader) fail(at diag.Span, msg string) {
	r.faults = append(r.faults, Fault{Span: at, Err: errors.New(msg)})
}

func (r *conditionReader) values(lits []spec.Literal) []model.Value {
	var out []model.Value
	for _, lit := range lits {
		if v, ok := r.value(lit); ok {
			out = append(out, v)
		}
	}
	return out
}

func (r *conditionReader) value(lit spec.Literal) (model.Value, bool) {
	if !testable(r.field.Type) {
		r.fail(lit.Span, "a field of type "+r.field.Type.String()+" can only be tested with present")
		return model.Value{}, false
	}
	v, err := Value(r.field, lit)
	if err != nil {
		r.faults = append(r.faults, Fault{Span: lit.Span, Err: err})
	}
	return v, err == nil
}

func (r *conditionReader) bound(lit *spec.Literal) *model.Value {
	if lit == nil {
		return nil
	}
	if testable(r.field.Type) && !ordered(r.field.Type) {
		r.fail(lit.Span, "a field of type "+r.field.Type.String()+" has no order: min and max do not apply")
		return nil
	}
	v, ok := r.value(*lit)
	if !ok {
		return nil
	}
	return &v
}

func (r *conditionReader) prefix(texts []spec.Text) []string {
	var out []string
	for _, t := range texts {
		if r.field.Type != model.String && r.field.Type != model.EnumType {
			r.fail(t.Span, "a field of type "+r.field.Type.String()+" has no prefix")
			continue
		}
		out = append(out, t.V)
	}
	return out
}

func testable(t model.Type) bool {
	return t != model.Strings && t != model.JSON && t != model.ObjectType && !t.IsObjects()
}

func ordered(t model.Type) bool {
	switch t {
	case model.Int, model.Int64, model.Uint64, model.Float64, model.Duration, model.Time:
		return true
	}
	return false
}
