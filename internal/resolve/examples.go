package resolve

import (
	"time"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func example(c *model.Code, d *spec.Example, place int) *model.Example {
	x := &model.Example{Place: place, Code: c, Doc: d.Raw.Flow(), Evidence: Evidence(d), Is: d.Is.V, As: d.As.V}
	if d.Want != nil {
		x.Want = want(c, d.Want)
	}
	return x
}

// Evidence returns the evidence of an example. Names of system errors and signals are canonical, as
// those of evidence at run time are. A value that cannot be read is left out.
func Evidence(d *spec.Example) taxonomy.Evidence {
	var ev taxonomy.Evidence
	setKeys(&ev, d)
	ev.Signal, ev.Errno = detect.Canonical(ev.Signal), detect.Canonical(ev.Errno)
	if d.ExitCode.Set {
		ev.ExitCode = taxonomy.Some(d.ExitCode.V)
	}
	if d.RetryAfter.Set {
		ev.RetryAfter = taxonomy.Some(d.RetryAfter.V)
	}
	if at, err := time.Parse(time.RFC3339Nano, d.ResetAt.V); err == nil {
		ev.ResetAt = at.UTC()
	}
	for _, a := range d.Attributes {
		if ev.Attributes == nil {
			ev.Attributes = make(map[string]string, len(d.Attributes))
		}
		ev.Attributes[a.Name.V] = a.Value.Text
	}
	return ev
}

func want(c *model.Code, d *spec.Want) *model.Want {
	w := &model.Want{Reaction: d.Reaction.V}
	if d.Retryable.Set {
		w.Retryable = &d.Retryable.V
	}
	if d.Recoverability.Set {
		r := word[taxonomy.Recoverability](d.Recoverability)
		w.Recoverability = &r
	}
	if d.Severity.Set {
		s := word[taxonomy.Severity](d.Severity)
		w.Severity = &s
	}
	for _, a := range d.Context {
		if f := c.ErrorType().Field(a.Field.V); f != nil {
			if v, err := wantedValue(f, a.Value); err == nil {
				w.Context = append(w.Context, model.FieldValue{Field: f, Value: v})
			}
		}
	}
	return w
}

// wantedValue is [Value] that also reads objects. Unknown fields of an object are left out.
func wantedValue(f *model.Field, lit spec.Literal) (model.Value, error) {
	if f.Type != model.ObjectType || lit.Kind != spec.LitMap {
		return Value(f, lit)
	}
	v := model.Value{Type: model.ObjectType, Object: make(model.Context)}
	for _, entry := range lit.Keys {
		inner := f.Object.Field(entry.Key.V)
		if inner == nil {
			continue
		}
		value, err := wantedValue(inner, entry.Value)
		if err != nil {
			return model.Value{}, err
		}
		v.Object[inner] = value
	}
	return v, nil
}
