package taxonomy

import (
	"cmp"
	"slices"
	"time"
)

// internalError is the message of an error without a public code.
const internalError = "internal error"

// PublicError is an error with public fields.
type PublicError interface {
	Error
	// AppendPublicContext appends the public fields as a JSON object, secrets masked.
	AppendPublicContext(dst []byte) []byte
}

// AsPublic returns a public error or code as a PublicError. If it has no public fields, its public
// context is empty.
func AsPublic(c Coded) PublicError {
	switch c := c.(type) {
	case PublicError:
		return c
	case Error:
		return fieldless{c}
	}
	return fieldless{codeError{c}}
}

// fieldless makes an error without public fields a [PublicError].
type fieldless struct{ typed }

type typed = Error // embedded under another name than that of its method

func (fieldless) AppendPublicContext(dst []byte) []byte { return append(dst, "{}"...) }

// codeError makes a code an [Error] without a context.
type codeError struct{ Coded }

func (codeError) Unwrap() error                     { return nil }
func (e codeError) AppendMessage(dst []byte) []byte { return append(dst, e.Error()...) }
func (codeError) AppendContext(dst []byte) []byte   { return append(dst, "{}"...) }
func (codeError) AppendJSON(dst []byte) []byte      { return dst }

// PublicView is the part of an error that clients may see: its code, its message and its public
// fields. If the code is internal, the view has the public fallback of the taxonomy, without
// fields. If the error is of no taxonomy, the view has no code and the message "internal error".
// The zero PublicView is the view of nil.
type PublicView struct {
	c       Coded // nil without a public code
	code    *Code
	overlay *Profile
	row     Row
	failed  bool // the error is not nil
}

// Public returns the public view of the first error of any taxonomy in err's tree (see [First]).
// Use [Table.Public] to get a code for errors of no taxonomy too.
func Public(err error) PublicView {
	if err == nil {
		return PublicView{}
	}
	c, ok := First(err, nil)
	if !ok {
		return PublicView{failed: true}
	}
	return publicView(c.Taxonomy(), c)
}

// Public returns the public view of the first error of the table's taxonomy in err's tree. The view
// of any other error is that of an internal code.
func (t Table) Public(err error) PublicView {
	if err == nil {
		return PublicView{}
	}
	c, _ := First(err, t.Taxonomy)
	v := publicView(t.Taxonomy, c)
	v.overlay = t.Overlay
	return v
}

// publicView returns the view of an error of taxonomy t; c may be nil.
func publicView(t *Taxonomy, c Coded) PublicView {
	if c != nil {
		row := c.Row()
		if code := t.Code(row); code != nil && code.Public {
			return PublicView{c: c, code: code, row: row, failed: true}
		}
	}
	row, ok := t.Find(t.PublicFallback)
	if !ok {
		return PublicView{failed: true}
	}
	c = t.New(row, nil)
	return PublicView{c: c, code: t.Code(row), row: row, failed: true}
}

// AppendPublicJSON appends the JSON of err's public view; see [PublicView.AppendJSON].
func AppendPublicJSON(dst []byte, err error) []byte {
	if e, ok := err.(PublicError); ok { // the usual case, without the cost of Public
		t, row := e.Taxonomy(), e.Row()
		if code := t.Code(row); code != nil && code.Public {
			traits := &code.Traits
			if row.Branch() != 0 {
				traits = t.Traits(row)
			}
			return t.AppendPublic(dst, e, row, traits)
		}
	}
	return Public(err).AppendJSON(dst)
}

// Err returns the error that the view shows: the error itself, a code, or an error of the
// taxonomy's public fallback. It is nil if no code is public. Clients must not see all of it.
func (v PublicView) Err() Coded { return v.c }

// Row returns the row of the error that the view shows.
func (v PublicView) Row() Row { return v.row }

// Describe returns the description of the code, or nil. It must not be changed.
func (v PublicView) Describe() *Code { return v.code }

// Code returns the code's value on the wire, or "".
func (v PublicView) Code() string {
	if v.code != nil {
		return v.code.Value
	}
	return ""
}

// Message returns the message.
func (v PublicView) Message() string { return string(v.AppendMessage(nil)) }

// AppendMessage appends the message.
func (v PublicView) AppendMessage(dst []byte) []byte {
	switch {
	case v.c != nil:
		return AsPublic(v.c).AppendMessage(dst)
	case v.failed:
		return append(dst, internalError...)
	}
	return dst
}

// AppendContext appends the public fields as a JSON object, secrets masked.
func (v PublicView) AppendContext(dst []byte) []byte {
	if v.c == nil {
		return append(dst, "{}"...)
	}
	return AsPublic(v.c).AppendPublicContext(dst)
}

// AppendJSON appends the view as the JSON of an error, which the client's UnmarshalError reads. The
// only cause in it is the first error of a taxonomy below, if its code is public. The view of nil
// is "null".
func (v PublicView) AppendJSON(dst []byte) []byte {
	switch {
	case !v.failed:
		return append(dst, "null"...)
	case v.c == nil:
		return append(dst, `{"code":"","message":"`+internalError+`","retryable":false,"context":{}}`...)
	}
	traits := v.Traits()
	return v.c.Taxonomy().AppendPublic(dst, AsPublic(v.c), v.row, &traits)
}

// MarshalJSON returns what AppendJSON appends.
func (v PublicView) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// Traits returns the traits of the row of the error that the view shows: its HTTP status, whether
// it is retryable and so on. Without a code they are zero, and the reaction aborts.
func (v PublicView) Traits() Traits {
	if v.c == nil {
		return abortTraits
	}
	return Table{Taxonomy: v.c.Taxonomy(), Overlay: v.overlay}.Row(v.row)
}

// Retryable reports whether the client's call may succeed unchanged.
func (v PublicView) Retryable() bool { return v.Traits().Retryable }

// Effect returns what the failure means for the client: the effect that the code declares.
func (v PublicView) Effect() Effect {
	if v.c == nil {
		return EffectUnspecified
	}
	return DeclaredEffect(v.c)
}

// HTTPStatus returns the HTTP status of a response with the error, as the function [HTTPStatus]
// does.
func (v PublicView) HTTPStatus() int {
	if !v.failed {
		return httpOK
	}
	return int(cmp.Or(v.Traits().HTTP, httpInternalServerError))
}

// GRPCCode returns the number of the canonical status code of google.rpc.Code, as the function
// [GRPCCode] does.
func (v PublicView) GRPCCode() int {
	if !v.failed {
		return grpcOK
	}
	return int(cmp.Or(v.Traits().GRPC, grpcUnknown))
}

// HelpURL returns the address of the code's help, or "".
func (v PublicView) HelpURL() string {
	if v.c == nil {
		return ""
	}
	return HelpURL(v.c)
}

// RetryAfter returns the wait before the client's next call, if the error has a public field from
// retry_after.
func (v PublicView) RetryAfter() Opt[time.Duration] {
	d := HintsOf(v.c).RetryAfter
	if d.IsZero() || !v.fills("retry_after") {
		return Opt[time.Duration]{}
	}
	return d
}

// ResetAt returns the time from which the client's next call can succeed, if the error has a public
// field from reset_at.
func (v PublicView) ResetAt() Opt[time.Time] {
	at := HintsOf(v.c).ResetAt
	if at.IsZero() || !v.fills("reset_at") {
		return Opt[time.Time]{}
	}
	return at
}

// fills reports whether the error has a public field that is filled from evidence of this name.
func (v PublicView) fills(from string) bool {
	e, ok := v.c.(Error)
	return ok && slices.ContainsFunc(e.Taxonomy().Fields(v.row), func(f Field) bool {
		return f.Public && slices.Contains(f.From, from)
	})
}
