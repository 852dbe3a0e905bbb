package gen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/errgen/errgen/runtime/internal/fields"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Unmarshal reads an error of taxonomy t that AppendJSON wrote. If the code, the category or a word
// of an enum is unknown, the code is abstract, or the domain is not t's, it returns a
// *[taxonomy.Unknown], because a newer program may have sent it. The result shares no memory with
// b. It keeps the members that it ignores in memory only if they are in a context of at most 16 KiB,
// or in an Unknown.
func Unmarshal(b []byte, t *taxonomy.Taxonomy) (taxonomy.Error, error) {
	e, err := unmarshal(bytes.TrimSpace(b), t)
	if err != nil {
		return nil, fmt.Errorf("%s: unmarshal error: %w", t.Package, err)
	}
	return e, nil
}

// maxShared is the maximum length in bytes of a context whose texts are parts of one copy of it. A
// text of a longer one is copied, so that it does not keep the context in memory.
const maxShared = 16 << 10

func unmarshal(b []byte, t *taxonomy.Taxonomy) (taxonomy.Error, error) {
	text := string(b)
	if !isValid(text) {
		return nil, json.Unmarshal(b, new(any))
	}
	w, err := readEnvelope(text)
	if err != nil {
		return nil, err
	}
	if w.Code.IsZero() {
		return nil, errors.New(`no "code"`)
	}
	return w.build(text, t, maxDepth)
}

// UnmarshalAs reads an error of the type of e into e. An error of another type is refused.
func UnmarshalAs(b []byte, e taxonomy.Error) error {
	back, err := Unmarshal(b, e.Taxonomy())
	if err != nil {
		return err
	}
	from, to := reflect.ValueOf(back), reflect.ValueOf(e)
	if from.Type() == to.Type() {
		to.Elem().Set(from.Elem())
		return nil
	}
	name, code := e.Taxonomy().Package, echo(taxonomy.CodeOf(back))
	if u, ok := back.(*taxonomy.Unknown); ok && u.Reason() != nil {
		return fmt.Errorf("%s: unmarshal error: code %s: %w", name, code, u.Reason())
	}
	return fmt.Errorf("%s: unmarshal error: code %s is of category %s", name, code, echo(taxonomy.CategoryOf(back)))
}

// envelope is the JSON of an error, or of a cause that is not of a taxonomy.
type envelope struct {
	Domain, Name           string
	Category, Code         taxonomy.Opt[string]
	Message                string
	Retryable              taxonomy.Opt[bool]
	Effect, Reaction       string
	Is                     part
	Context, Cause, Causes part
}

// part is a JSON value that is decoded later, or "".
type part string

// envelopeFields describes the fields of an envelope.
var envelopeFields = []taxonomy.Field{
	{Name: "domain", Type: "string"}, {Name: "name", Type: "string"}, {Name: "category", Type: "string"},
	{Name: "code", Type: "string"}, {Name: "message", Type: "string"}, {Name: "retryable", Type: "bool"},
	{Name: "effect", Type: "string"}, {Name: "reaction", Type: "string"}, {Name: "is", Type: "json"},
	{Name: "context", Type: "json"}, {Name: "cause", Type: "json"}, {Name: "causes", Type: "json"},
}

func readEnvelope(raw string) (w envelope, err error) {
	var d decoder
	list := [...]any{&w.Domain, &w.Name, &w.Category, &w.Code, &w.Message, &w.Retryable, &w.Effect,
		&w.Reaction, &w.Is, &w.Context, &w.Cause, &w.Causes}
	err = d.object(raw, envelopeFields, func(i int) any { return list[i] })
	return w, err
}

var errAbstract = errors.New("the code is abstract")

// build makes the error that w describes, with at most depth levels of causes. w was read from raw.
func (w *envelope) build(raw string, t *taxonomy.Taxonomy, depth int) (taxonomy.Error, error) {
	cause := w.cause(t, depth)
	row, ok := w.find(t)
	if !ok && w.Is != "" && w.Domain == t.Domain {
		return w.buildIs(raw, t, cause)
	}
	code := t.Code(row)
	switch {
	case !ok:
		return w.unknown(raw, t, cause, nil), nil
	case code != nil && code.Abstract:
		return w.unknown(raw, t, cause, errAbstract), nil
	}
	return w.fill(raw, t, row, cause, false)
}

// fill makes the error of a row with the context of w. If lenient is true, values that the row's
// fields cannot have are left out.
func (w *envelope) fill(raw string, t *taxonomy.Taxonomy, row taxonomy.Row, cause error, lenient bool) (
	taxonomy.Error, error) {
	e, code := t.New(row, cause), t.Code(row)
	if w.Context != "" {
		context := string(w.Context)
		d := decoder{path: append(make([]string, 0, 4), "context"), copies: len(context) > maxShared, lenient: lenient}
		if !d.copies {
			context = strings.Clone(context)
		}
		if err := d.object(context, t.Fields(row), fields.At(e)); err != nil {
			return nil, err
		}
		if d.unknownWord != nil && !lenient {
			return w.unknown(raw, t, cause, d.unknownWord), nil
		}
	}
	if code != nil && code.Public && len(code.When) > 0 && !w.Retryable.IsZero() {
		w.keepSent(e, code)
	}
	w.keepEffect(e)
	return e, nil
}

// find looks up the row of the code, or of the category for an error without a code.
func (w *envelope) find(t *taxonomy.Taxonomy) (row taxonomy.Row, ok bool) {
	if w.Domain != "" && w.Domain != t.Domain {
		return 0, false
	}
	if code := w.Code.Or(""); code != "" {
		return t.Find(code)
	}
	for i, c := range t.Categories {
		if c.Name == w.Category.Or("") {
			return taxonomy.At(i, 0), true
		}
	}
	return 0, false
}

// unknown returns an Unknown with the parts of w unchanged. Reason is nil if the code or the domain
// is unknown, otherwise it is the fault in w.
func (w *envelope) unknown(raw string, t *taxonomy.Taxonomy, cause, reason error) taxonomy.Error {
	wire := taxonomy.Wire{
		Domain: strings.Clone(w.Domain), Name: strings.Clone(w.Name), Category: strings.Clone(w.Category.Or("")),
		Code: strings.Clone(w.Code.Or("")), Message: strings.Clone(w.Message),
		Is: w.is(), Retryable: w.Retryable.Or(false), Effect: EffectOfWord(w.Effect), Raw: []byte(raw), Cause: cause,
		Reason: reason,
	}
	if w.Context != "" {
		wire.Context = []byte(w.Context)
	}
	return taxonomy.NewUnknown(t, wire)
}

// remote is an error from the wire that is not of a taxonomy.
type remote struct {
	text  string
	cause error
}

func (e *remote) Error() string { return e.text }
func (e *remote) Unwrap() error { return e.cause }

// remoteJoin is a remote with several causes.
type remoteJoin struct {
	text   string
	causes []error
}

func (e *remoteJoin) Error() string   { return e.text }
func (e *remoteJoin) Unwrap() []error { return e.causes }

// readCause returns the cause that raw describes. It never fails: a cause that is not a valid
// error, or is nested too deep, becomes its text.
func readCause(raw string, t *taxonomy.Taxonomy, depth int) error {
	if raw[0] == '"' {
		return errors.New(strings.Clone(unquote(raw)))
	}
	w, err := readEnvelope(raw)
	if err != nil || depth == 0 {
		return errors.New(strings.Clone(causeText.Text(raw)))
	}
	if !w.Code.IsZero() && !w.Category.IsZero() {
		e, err := w.build(raw, t, depth-1)
		if err != nil {
			return w.unknown(raw, t, w.cause(t, depth-1), err)
		}
		return e
	}
	if w.Causes == "" || w.Causes[0] != '[' {
		return &remote{text: strings.Clone(w.Message), cause: w.cause(t, depth-1)}
	}
	join := &remoteJoin{text: strings.Clone(w.Message)}
	for s := (scanner{b: string(w.Causes)}); s.next(']') && len(join.causes) < maxCauses; {
		if value := s.value(); value[0] != 'n' {
			join.causes = append(join.causes, readCause(value, t, depth-1))
		}
	}
	return join
}

// cause returns the cause, or nil.
func (w *envelope) cause(t *taxonomy.Taxonomy, depth int) error {
	if w.Cause == "" {
		return nil
	}
	return readCause(string(w.Cause), t, depth)
}
