package gen

import (
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// appendIs appends the member `is`, with the comma before it, if the code of the row has parents or
// aliases; see [taxonomy.Taxonomy.AppendIs].
func appendIs(dst []byte, t *taxonomy.Taxonomy, row taxonomy.Row, public bool) []byte {
	if c := t.Code(row); c == nil || c.Parent == 0 && c.Extra == nil {
		return dst
	}
	var room [taxonomy.MaxIs]string
	return appendList(dst, `,"is":`, t.AppendIs(room[:0], row, public))
}

// AppendIs appends the member `is` of an error's public view, with the comma before it.
func AppendIs(dst []byte, v taxonomy.PublicView) []byte {
	if v.Err() == nil {
		return dst
	}
	return appendIs(dst, v.Err().Taxonomy(), v.Row(), true)
}

func appendList(dst []byte, key string, list []string) []byte {
	if len(list) == 0 {
		return dst
	}
	dst = append(dst, key...)
	for i, value := range list {
		dst = appendString(append(dst, "[,"[min(i, 1)]), value)
	}
	return append(dst, ']')
}

// is returns the beginning of the list of what the error also is. Elements that are not texts are
// left out.
func (w *envelope) is() (list []string) {
	if w.Is == "" || w.Is[0] != '[' {
		return nil
	}
	for s := (scanner{b: string(w.Is)}); len(list) < taxonomy.MaxIs && s.next(']'); {
		if value := s.value(); value[0] == '"' && len(value) <= taxonomy.MaxIsBytes {
			list = append(list, strings.Clone(unquote(value)))
		}
	}
	return list
}

// buildIs makes the error for a code that the taxonomy does not have: that of the code which it
// also is.
func (w *envelope) buildIs(raw string, t *taxonomy.Taxonomy, cause error) (taxonomy.Error, error) {
	row, ok := t.FindIs(w.is())
	if code := t.Code(row); !ok || code.Abstract {
		return w.unknown(raw, t, cause, nil), nil
	}
	return w.fill(raw, t, row, &received{code: strings.Clone(w.Code.Or("")), error: cause}, true)
}

// received is the cause of an error whose sender gave it a code that this program does not have. It
// keeps that code without making all errors larger.
type received struct {
	error // the cause, or nil
	code  string
}

// SentCode returns the code that the sender gave the error, if this program does not have it,
// otherwise "".
func (b *Base[C]) SentCode() string {
	if r, ok := b.cause.(*received); ok {
		return r.code
	}
	return ""
}
