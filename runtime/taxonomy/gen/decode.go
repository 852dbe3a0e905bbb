package gen

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Unmarshal reads an error of taxonomy t as AppendJSON wrote it. A code or a category that is
// unknown, or a domain that is not t's, gives a *[taxonomy.Unknown]; so does a word that an enum
// does not have, which a newer program may have sent. The result shares no memory with b.
func Unmarshal(b []byte, t *taxonomy.Taxonomy) (taxonomy.Error, error) {
	e, err := unmarshal(b, t)
	if err != nil {
		return nil, fmt.Errorf("%s: unmarshal error: %w", t.Package, err)
	}
	return e, nil
}

// UnmarshalAs reads an error of the type of e into e. An error of another type is refused.
//
//go:noinline
func UnmarshalAs(b []byte, e taxonomy.Error) error {
	back, err := Unmarshal(b, e.Taxonomy())
	if err != nil {
		return err
	}
	from, to := reflect.ValueOf(back), reflect.ValueOf(e)
	if from.Type() != to.Type() {
		return wrongType(back)
	}
	to.Elem().Set(from.Elem())
	return nil
}

// wrongType is the error of reading e as a type that it is not of.
func wrongType(e taxonomy.Error) error {
	if u, ok := e.(*taxonomy.Unknown); ok && u.Reason() != nil {
		return fmt.Errorf("%s: unmarshal error: code %s: %w", u.Taxonomy().Package, echo(u.Code()), u.Reason())
	}
	return fmt.Errorf("%s: unmarshal error: code %s is of category %s",
		e.Taxonomy().Package, echo(taxonomy.CodeOf(e)), echo(taxonomy.CategoryOf(e)))
}

var errNotObject = errors.New("not a JSON object")

func unmarshal(b []byte, t *taxonomy.Taxonomy) (taxonomy.Error, error) {
	if !json.Valid(b) {
		var raw json.RawMessage
		if err := json.Unmarshal(b, &raw); err != nil {
			return nil, err
		}
		return nil, errNotObject
	}
	d := decoder{t: t, scanner: scanner{b: b}}
	d.space()
	if d.peek() != '{' {
		return nil, errNotObject
	}
	w, err := d.envelope()
	if err != nil {
		return nil, err
	}
	if !w.hasCode {
		return nil, errors.New(`no "code"`)
	}
	return d.build(&w)
}

// envelope is what the JSON of an error says besides its context; texts are still as written, in
// quotes.
type envelope struct {
	domain, name, category, code, message []byte
	context, cause, causes, reaction      []byte
	raw                                   []byte
	retryable, hasRetryable, hasCode      bool
}

// envelope reads the object that the decoder stands at.
func (d *decoder) envelope() (envelope, error) {
	var w envelope
	start := d.pos
	for d.nextKey() {
		value := d.value()
		switch string(d.key) {
		case "domain":
			w.domain = value
		case "name":
			w.name = value
		case "category":
			w.category = value
		case "code":
			w.code, w.hasCode = value, true
		case "message":
			w.message = value
		case "retryable":
			if value[0] != 't' && value[0] != 'f' && value[0] != 'n' {
				return w, errors.New("retryable: not a bool")
			}
			w.retryable, w.hasRetryable = value[0] == 't', value[0] != 'n'
		case "reaction":
			w.reaction = value
		case "context":
			w.context = value
		case "cause":
			w.cause = value
		case "causes":
			w.causes = value
		}
	}
	w.raw = d.b[start:d.pos]
	return w, w.check()
}

// check returns an error if a member has the wrong type. It replaces null by nil.
func (w *envelope) check() error {
	for _, f := range [...]struct {
		name  string
		value *[]byte
	}{
		{"domain", &w.domain}, {"name", &w.name}, {"category", &w.category}, {"code", &w.code}, {"message", &w.message},
		{"reaction", &w.reaction},
	} {
		v := *f.value
		switch {
		case v == nil:
		case v[0] == 'n':
			*f.value = nil
		case v[0] != '"':
			return errors.New(f.name + ": not a string")
		}
	}
	if w.context != nil && w.context[0] != '{' {
		if w.context[0] != 'n' {
			return errors.New("context: not an object")
		}
		w.context = nil
	}
	return nil
}

// build makes the error that w describes.
func (d *decoder) build(w *envelope) (taxonomy.Error, error) {
	if w.cause != nil {
		d.cause = d.readCause(w.cause)
	}
	row, ok := d.find(w)
	if code := d.t.Code(row); !ok || code != nil && code.Abstract {
		return d.unknown(w, nil), nil
	}
	c := d.t.Categories[row.Category()]
	e := d.t.New(row, d.cause)
	if w.context != nil {
		d.scanner = scanner{b: w.context}
		d.fields(d.t.Fields(row), c.List(e))
	}
	if d.err != nil {
		return nil, d.err
	}
	if d.unknownEnum != nil {
		return d.unknown(w, d.unknownEnum), nil
	}
	if code := d.t.Code(row); code != nil && code.Public && len(code.When) > 0 && w.hasRetryable {
		w.keepSent(e, code)
	}
	return e, nil
}

// find looks up the row of the code, or of the category for an error without a code.
func (d *decoder) find(w *envelope) (row taxonomy.Row, ok bool) {
	var buf [64]byte
	t := d.t
	if w.domain != nil && string(appendUnquoted(buf[:0], w.domain)) != t.Domain {
		return 0, false
	}
	if value := appendUnquoted(buf[:0], w.code); len(value) > 0 {
		return t.Find(string(value))
	}
	category := appendUnquoted(buf[:0], w.category)
	for i := range t.Categories {
		if t.Categories[i].Name == string(category) {
			return taxonomy.At(i, 0), true
		}
	}
	return 0, false
}

// unknown returns an Unknown with the parts of w unchanged. reason is nil if the code or the domain
// is unknown, otherwise it is the fault in w.
func (d *decoder) unknown(w *envelope, reason error) taxonomy.Error {
	return taxonomy.NewUnknown(d.t, taxonomy.Wire{
		Domain:    unquote(w.domain),
		Name:      unquote(w.name),
		Category:  unquote(w.category),
		Code:      unquote(w.code),
		Message:   unquote(w.message),
		Retryable: w.retryable,
		Context:   json.RawMessage(w.context),
		Raw:       json.RawMessage(w.raw),
		Cause:     d.cause,
		Reason:    reason,
	})
}
