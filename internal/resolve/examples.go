package resolve

import (
	"time"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// example reads an example. Names of system errors and signals are made canonical, as those of
// evidence at run time are.
func example(e entry, d *spec.Example, place int) *model.Example {
	x := &model.Example{Place: place, Code: e.code, Doc: exampleDoc(d)}
	for _, entry := range d.Entries {
		evidence(x, entry.Key.V, entry.Value)
	}
	x.Evidence.Errno = detect.CanonicalErrno(x.Evidence.Errno)
	x.Evidence.Signal = detect.CanonicalSignal(x.Evidence.Signal)
	if d.Want != nil {
		x.Want = want(d.Want, e.fields)
	}
	return x
}

// evidence adds one entry of an example. What cannot be read is left out.
func evidence(x *model.Example, key string, lit spec.Literal) {
	ev := &x.Evidence
	switch key {
	case "status":
		ev.Status = wholeNumber(lit).Or(0)
	case "exit_code":
		ev.ExitCode = wholeNumber(lit)
	case "files":
		for _, file := range lit.Items {
			ev.Files = append(ev.Files, file.Text)
		}
	case "retry_after":
		if d, err := time.ParseDuration(lit.Text); err == nil {
			ev.RetryAfter = taxonomy.Some(d)
		}
	case "reset_at":
		if at, err := time.Parse(time.RFC3339Nano, lit.Text); err == nil {
			ev.ResetAt = at.UTC()
		}
	case "attributes":
		for _, attribute := range lit.Keys {
			if ev.Attributes == nil {
				ev.Attributes = make(map[string]string, len(lit.Keys))
			}
			ev.Attributes[attribute.Key.V] = attribute.Value.Text
		}
	default:
		if dst := textOf(x, key); dst != nil {
			*dst = lit.Text
		}
	}
}

// textOf returns where an example keeps a text, or nil.
func textOf(x *model.Example, key string) *string {
	ev := &x.Evidence
	switch key {
	case "source":
		return &ev.Source
	case "op":
		return &ev.Op
	case "type":
		return &ev.Type
	case "code":
		return &ev.Code
	case "signal":
		return &ev.Signal
	case "errno":
		return &ev.Errno
	case "text":
		return &ev.Text
	case "output":
		return &ev.Output
	case "credential":
		return &ev.Credential
	case "is":
		return &x.Is
	case "as":
		return &x.As
	}
	return nil
}

func wholeNumber(lit spec.Literal) taxonomy.Opt[int] {
	var v model.Value
	if fillInt(&v, lit) != nil {
		return taxonomy.Opt[int]{}
	}
	return taxonomy.Some(int(v.Int))
}

func want(d *spec.Want, fields map[string]*model.Field) *model.Want {
	w := &model.Want{Reaction: d.Reaction.V}
	if d.Retryable.Set {
		w.Retryable = &d.Retryable.V
	}
	if d.Recoverability.Set {
		w.Recoverability = new(taxonomy.Recoverability)
		*w.Recoverability = word[taxonomy.Recoverability](d.Recoverability)
	}
	if d.Severity.Set {
		w.Severity = new(taxonomy.Severity)
		*w.Severity = word[taxonomy.Severity](d.Severity)
	}
	for _, a := range d.Context {
		f := fields[a.Field.V]
		if f == nil {
			continue
		}
		if v, err := wantedValue(f, a.Value); err == nil {
			w.Context = append(w.Context, model.FieldValue{Field: f, Value: v})
		}
	}
	return w
}

// wantedValue is Value, but that an object can be given, key by key.
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
