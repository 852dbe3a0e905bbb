package gen

import "github.com/errgen/errgen/runtime/taxonomy"

// marshalSize is the room that MarshalJSON begins with: enough for most errors.
const marshalSize = 512

// AppendJSON appends e, an error of the category, as a JSON object.
//
//go:noinline
func AppendJSON(dst []byte, e taxonomy.Error, category int) []byte {
	t := e.Taxonomy()
	c := &t.Categories[category]
	code, traits := lookup(e, t)
	if c.Head != "" {
		dst = append(dst, c.Head...)
	} else {
		dst = appendHead(dst, t, c)
	}
	dst = append(appendText(dst, code), `","message":"`...)
	start := len(dst)
	dst = escapeTail(e.AppendMessage(dst), start)
	if traits.Retryable {
		dst = append(dst, `","retryable":true,"context":`...)
	} else {
		dst = append(dst, `","retryable":false,"context":`...)
	}
	dst = e.AppendContext(dst)
	if cause := e.Unwrap(); cause != nil {
		dst = append(dst, `,"cause":`...)
		dst = appendCause(dst, cause)
	}
	return append(dst, '}')
}

// appendHead appends what [taxonomy.Category.Head] is when generated code does not say it.
func appendHead(dst []byte, t *taxonomy.Taxonomy, c *taxonomy.Category) []byte {
	dst = append(dst, '{')
	if t.Domain != "" {
		dst = append(appendText(append(dst, `"domain":"`...), t.Domain), `",`...)
	}
	dst = append(appendText(append(dst, `"name":"`...), c.Type), `","category":"`...)
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
