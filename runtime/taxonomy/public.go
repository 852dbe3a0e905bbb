package taxonomy

import (
	"slices"
	"time"
)

// internalError is the message of an error without a public code.
const internalError = "internal error"

// PublicView is the part of an error that clients may see: its code, its message and its public
// fields. An error of an internal code has the code and the message that its taxonomy declares for
// that, and no fields. An error of no taxonomy has no code, and the message "internal error". The
// zero PublicView is that of nil.
type PublicView struct {
	c       Coded // nil without a public code
	overlay *Profile
	failed  bool // the error is not nil
}

// Public returns the public view of the first error of any taxonomy in err's tree (see [First]).
// [Table.Public] also has a code for errors of no taxonomy.
func Public(err error) PublicView {
	if err == nil {
		return PublicView{}
	}
	c, ok := First(err, nil)
	if !ok {
		return PublicView{failed: true}
	}
	if code := c.Taxonomy().Code(c.Row()); code == nil || !code.Public {
		c = c.Taxonomy().publicFallback()
	}
	return PublicView{c: c, failed: true}
}

// Public returns the public view of the first error of the table's taxonomy in err's tree. Any other
// error is shown as one of an internal code.
func (t Table) Public(err error) PublicView {
	if err == nil {
		return PublicView{}
	}
	v := PublicView{overlay: t.Overlay, failed: true}
	c, ok := First(err, t.Taxonomy)
	if ok && t.Taxonomy.isPublic(c) {
		v.c = c
	} else {
		v.c = t.Taxonomy.publicFallback()
	}
	return v
}

func (t *Taxonomy) isPublic(c Coded) bool {
	code := t.Code(c.Row())
	return code != nil && code.Public
}

// publicFallback returns the error that clients see in place of an internal one, or nil.
func (t *Taxonomy) publicFallback() Coded {
	if t.PublicFallback == "" {
		return nil
	}
	row, ok := t.Find(t.PublicFallback)
	if !ok {
		return nil
	}
	return t.Categories[row.Category()].New(uint16(row.Code()), nil)
}

// AppendPublicJSON appends the JSON of err's public view; see [PublicView.AppendJSON].
func AppendPublicJSON(dst []byte, err error) []byte { return Public(err).AppendJSON(dst) }

// Err returns the error that the view shows: the error itself, a code, or an error of the
// taxonomy's public fallback. It is nil if no code is public. Clients must not see all of it.
func (v PublicView) Err() Coded { return v.c }

// Describe returns the description of the code, or nil. It must not be changed.
func (v PublicView) Describe() *Code {
	if v.c == nil {
		return nil
	}
	return v.c.Taxonomy().Code(v.c.Row())
}

// Code returns the code's value on the wire, or "".
func (v PublicView) Code() string {
	if code := v.Describe(); code != nil {
		return code.Value
	}
	return ""
}

// Message returns the message.
func (v PublicView) Message() string { return string(v.AppendMessage(nil)) }

// AppendMessage appends the message.
func (v PublicView) AppendMessage(dst []byte) []byte {
	switch e := v.c.(type) {
	case Error:
		return e.AppendMessage(dst)
	case nil:
		if v.failed {
			dst = append(dst, internalError...)
		}
		return dst
	default:
		return append(dst, e.Error()...)
	}
}

// AppendContext appends the public fields as a JSON object, secrets masked.
func (v PublicView) AppendContext(dst []byte) []byte {
	if e, ok := v.c.(interface{ AppendPublicContext(dst []byte) []byte }); ok {
		return e.AppendPublicContext(dst)
	}
	return append(dst, "{}"...)
}

// AppendJSON appends the view as a JSON object of the form that an error has, which the client's
// UnmarshalError reads. The only causes in it are those of public codes. It is "null" for nil.
func (v PublicView) AppendJSON(dst []byte) []byte {
	switch {
	case !v.failed:
		return append(dst, "null"...)
	case v.c == nil || v.c.Taxonomy().AppendPublic == nil:
		return append(dst, `{"code":"","message":"`+internalError+`","retryable":false,"context":{}}`...)
	}
	return v.c.Taxonomy().AppendPublic(dst, v)
}

// MarshalJSON returns what AppendJSON appends.
func (v PublicView) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// Traits returns the traits of the row of the error that the view shows: its HTTP status, whether
// it is retryable and so on. Without a code they are zero, and the reaction aborts.
func (v PublicView) Traits() Traits {
	if v.c == nil {
		return nothing
	}
	t := v.c.Taxonomy()
	if v.overlay == nil {
		return *t.Traits(v.c.Row())
	}
	return Table{Taxonomy: t, Overlay: v.overlay}.Row(v.c.Row())
}

// Retryable reports whether the client's call may succeed unchanged.
func (v PublicView) Retryable() bool { return v.Traits().Retryable }

// HTTPStatus returns the HTTP status of a response with the error, as the function [HTTPStatus]
// does.
func (v PublicView) HTTPStatus() int {
	if !v.failed {
		return httpOK
	}
	if status := v.Traits().HTTP; status != 0 {
		return int(status)
	}
	return httpInternalServerError
}

// GRPCCode returns the number of the canonical status code of google.rpc.Code, as the function
// [GRPCCode] does.
func (v PublicView) GRPCCode() int {
	if !v.failed {
		return grpcOK
	}
	if code := v.Traits().GRPC; code != 0 {
		return int(code)
	}
	return grpcUnknown
}

// HelpURL returns the address of the code's help, or "".
func (v PublicView) HelpURL() string {
	if v.c == nil {
		return ""
	}
	return HelpURL(v.c)
}

// RetryAfter returns how long the client should wait before the next call, if the error has a
// public field for that.
func (v PublicView) RetryAfter() Opt[time.Duration] {
	if v.fills("retry_after") {
		return HintsOf(v.c).RetryAfter
	}
	return Opt[time.Duration]{}
}

// ResetAt returns when the next call makes sense, if the error has a public field for that.
func (v PublicView) ResetAt() Opt[time.Time] {
	if v.fills("reset_at") {
		return HintsOf(v.c).ResetAt
	}
	return Opt[time.Time]{}
}

// fills reports whether the evidence of a name fills a public field of the error.
func (v PublicView) fills(from string) bool {
	e, ok := v.c.(Error)
	return ok && slices.ContainsFunc(e.Taxonomy().Categories[e.Row().Category()].Fields, func(f Field) bool {
		return f.Public && slices.Contains(f.From, from)
	})
}

// Cause returns the view of the first error of a taxonomy below the one that the view shows, if its
// code is public.
func (v PublicView) Cause() (PublicView, bool) {
	e, ok := v.c.(Error)
	if !ok {
		return PublicView{}, false
	}
	cause := e.Unwrap()
	if cause == nil {
		return PublicView{}, false
	}
	c, ok := First(cause, nil)
	if !ok || !c.Taxonomy().isPublic(c) {
		return PublicView{}, false
	}
	return PublicView{c: c, failed: true}, true
}
