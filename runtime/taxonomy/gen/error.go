package gen

import (
	"fmt"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// marshalSize is the initial capacity of MarshalJSON's buffer, which fits most errors.
const marshalSize = 512

// Text returns the message that appendMessage appends. It is inlined, so that a short message takes
// one allocation.
func Text[E any](e E, appendMessage func(e E, dst []byte) []byte) string {
	var b [128]byte
	return string(appendMessage(e, b[:0]))
}

// AppendJSON appends e as a JSON object.
//
//go:noinline
func AppendJSON(dst []byte, e taxonomy.Error) []byte {
	w := causeEncoder{left: maxCauses}
	return w.error(dst, e, maxDepth+1)
}

// error appends e with at most depth levels of causes.
func (w *causeEncoder) error(dst []byte, e taxonomy.Error, depth int) []byte {
	t, row := e.Taxonomy(), e.Row()
	dst = appendHead(dst, t, row)
	start := len(dst)
	dst = escapeTail(e.AppendMessage(dst), start)
	if t.Traits(row).Retryable {
		dst = append(dst, `","retryable":true`...)
	} else {
		dst = append(dst, `","retryable":false`...)
	}
	dst = appendIs(appendEffect(dst, declaredEffect(e, t.Traits(row))), t, row, false)
	return append(w.details(append(dst, ','), e, row, depth), '}')
}

// details appends the members from the context on.
func (w *causeEncoder) details(dst []byte, e taxonomy.Error, row taxonomy.Row, depth int) []byte {
	t := e.Taxonomy()
	dst = e.AppendContext(append(dst, `"context":`...))
	if len(t.Constants) > 0 {
		dst = appendConstants(dst, t, row)
	}
	if cause := e.Unwrap(); cause != nil && depth > 1 && w.left > 0 {
		dst = w.cause(append(dst, `,"cause":`...), cause, depth-1)
	}
	return dst
}

// appendConstants appends the constants of a row's code that are on the wire.
func appendConstants(dst []byte, t *taxonomy.Taxonomy, row taxonomy.Row) []byte {
	code := t.Code(row)
	if code == nil {
		return dst
	}
	o, begun := ObjectBuilder{dst}, false
	for i, v := range code.Extras().Constants {
		if v == nil || !t.Constants[i].Wire {
			continue
		}
		if !begun {
			o, begun = o.Begin("constants"), true
		}
		switch name := t.Constants[i].Name; v := v.(type) {
		case string:
			o = o.text(name, v)
		case int:
			o = o.Int(name, taxonomy.Some(v))
		case float64:
			o = o.Float64(name, taxonomy.Some(v))
		case bool:
			o = o.Bool(name, taxonomy.Some(v))
		}
	}
	if begun {
		return o.End().b
	}
	return o.b
}

// appendHead appends the beginning of the JSON of an error of a row, up to its message. The domain
// and the name of the type have no characters that need escaping.
func appendHead(dst []byte, t *taxonomy.Taxonomy, row taxonomy.Row) []byte {
	c := t.Categories[row.Category()]
	if t.Domain != "" {
		dst = append(append(append(dst, `{"domain":"`...), t.Domain...), `","name":"`...)
	} else {
		dst = append(dst, `{"name":"`...)
	}
	code, name := t.Code(row), c.Type
	if code != nil && code.Own != nil {
		name = code.Own.Name
	}
	dst = append(append(dst, name...), `","category":"`...)
	dst = append(appendText(dst, c.Name), `","code":"`...)
	if code != nil {
		dst = appendText(dst, code.Value)
	}
	return append(dst, `","message":"`...)
}

// MarshalJSON returns the JSON that [AppendJSON] appends. It never fails.
//
//go:noinline
func MarshalJSON(e taxonomy.Error) ([]byte, error) {
	return AppendJSON(make([]byte, 0, marshalSize), e), nil
}

// UnknownName returns the error for a strategy or a check that the taxonomy does not declare.
func UnknownName(kind, name string) error { return fmt.Errorf("no %s %q", kind, name) }
