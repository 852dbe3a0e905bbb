package gen

import "github.com/errgen/errgen/runtime/taxonomy"

// marshalSize is the room that MarshalJSON begins with: enough for most errors.
const marshalSize = 512

// AppendJSON appends e, an error of the category, as a JSON object.
//
//go:noinline
func AppendJSON(dst []byte, e taxonomy.Error, category int) []byte {
	w := causeEncoder{left: maxCauses}
	return w.error(dst, e, category, maxDepth+1)
}

// error appends e, an error of the category, with depth levels at the most.
func (w *causeEncoder) error(dst []byte, e taxonomy.Error, category, depth int) []byte {
	t := e.Taxonomy()
	code, traits := lookup(e, t)
	dst = appendHead(dst, t, &t.Categories[category])
	dst = append(appendText(dst, code), `","message":"`...)
	start := len(dst)
	dst = escapeTail(e.AppendMessage(dst), start)
	if traits.Retryable {
		dst = append(dst, `","retryable":true,"context":`...)
	} else {
		dst = append(dst, `","retryable":false,"context":`...)
	}
	dst = e.AppendContext(dst)
	if cause := e.Unwrap(); cause != nil && depth > 1 && w.left > 0 {
		dst = w.cause(append(dst, `,"cause":`...), cause, depth-1)
	}
	return append(dst, '}')
}

// appendHead appends how the JSON of a category's errors begins, up to the code's value. The type
// is a Go identifier, which needs no escaping.
func appendHead(dst []byte, t *taxonomy.Taxonomy, c *taxonomy.Category) []byte {
	if c.JSONHead != "" {
		return append(dst, c.JSONHead...)
	}
	if t.Domain != "" {
		dst = append(dst, `{"domain":"`...)
		dst = append(appendText(dst, t.Domain), `","name":"`...)
	} else {
		dst = append(dst, `{"name":"`...)
	}
	dst = append(append(dst, c.Type...), `","category":"`...)
	return append(appendText(dst, c.Name), `","code":"`...)
}

// MarshalJSON returns what [AppendJSON] appends. It never fails.
//
//go:noinline
func MarshalJSON(e taxonomy.Error, category int) ([]byte, error) {
	return AppendJSON(make([]byte, 0, marshalSize), e, category), nil
}

// lookup returns the code's wire value, "" without a code, and the row's traits.
func lookup(e taxonomy.Coded, t *taxonomy.Taxonomy) (string, *taxonomy.RowTraits) {
	row := e.Row()
	if int(row) >= len(t.Rows) {
		row = taxonomy.RowNone
	}
	traits := &t.Rows[row]
	if n := int(traits.Code) - 1; uint(n) < uint(len(t.Codes)) {
		return t.Codes[n].Value, traits
	}
	return "", traits
}
