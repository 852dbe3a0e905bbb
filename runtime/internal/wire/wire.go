// Package wire contains the shared code of transports: the public view that a server sends, and the
// typed error that a client decodes from it.
package wire

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// HeaderRequestID is the header of the id of a request, over HTTP and RPC.
const HeaderRequestID = "X-Request-Id"

const maxRequestID = 100

// RequestID returns the id that a client sent if it is valid, otherwise a random one.
func RequestID(sent string) string {
	const valid = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:=/+"
	if sent != "" && len(sent) <= maxRequestID && strings.Trim(sent, valid) == "" {
		return sent
	}
	return rand.Text()
}

// PublicView returns the public view of an error, which a client may see, and the error for the
// server's own reports. The table classifies the error, unless the table is zero. Both get the
// attributes of the context, also if the view is of a public code that replaces an internal one.
func PublicView(ctx context.Context, t taxonomy.Table, err error) (taxonomy.PublicView, error) {
	public := taxonomy.Public
	if t.Taxonomy != nil {
		err, public = t.Classify(err), t.Public
	}
	err = taxonomy.Attach(err, taxonomy.ContextAttributes(ctx)...)
	return withAttributes(ctx, public, err), err
}

// withAttributes returns the public view of err. The error that it shows has the attributes of the
// context.
func withAttributes(ctx context.Context, public func(error) taxonomy.PublicView, err error) taxonomy.PublicView {
	v := public(err)
	attributes := taxonomy.ContextAttributes(ctx)
	if c := v.Err(); c != nil && len(attributes) > 0 {
		v = public(taxonomy.Attach(c, attributes...))
	}
	return v
}

// Guard compares the code that a client would see with those that an operation declares. If the
// operation does not declare it, the returned error is a *[taxonomy.Undeclared] with err; and if
// hide is set, the view is that of the table's public fallback. A nil operation declares every
// code.
func Guard(ctx context.Context, t taxonomy.Table, o *taxonomy.Operation, hide bool, v taxonomy.PublicView, err error) (
	taxonomy.PublicView, error) {
	code := v.Code()
	if o == nil || code == "" || o.Declares(code) {
		return v, err
	}
	if hide {
		if t.Taxonomy == nil {
			t.Taxonomy = v.Err().Taxonomy()
		}
		v = withAttributes(ctx, t.Public, errHidden)
	}
	return v, &taxonomy.Undeclared{Operation: o.Name, Code: code, Err: err}
}

// Outcome returns the outcome of a request that failed with err, without its operation. ctx is the
// context of the request. A request that its client cancelled has no code.
func Outcome(ctx context.Context, err error) report.Request {
	if errors.Is(err, context.Canceled) && errors.Is(ctx.Err(), context.Canceled) {
		return report.Request{Failed: true, Fault: taxonomy.FaultClient}
	}
	return report.Request{Failed: true, Code: taxonomy.CodeOf(err), Fault: taxonomy.FaultOf(err)}
}

// Count passes the outcome of a request for an operation to a sink. The operation can be nil, and
// so can the sink.
func Count(ctx context.Context, s report.RequestSink, t taxonomy.Table, o *taxonomy.Operation, r report.Request) {
	if s == nil {
		return
	}
	if t.Taxonomy != nil {
		r.Domain = t.Taxonomy.Domain
	}
	if o != nil {
		r.Operation = o.Name
	}
	s.Request(ctx, r)
}

// LogFailed logs the error of a request or a call, with the stack of a panic.
func LogFailed(ctx context.Context, message string, err error, attrs ...slog.Attr) {
	attrs = append(attrs, taxonomy.ReplaceAttr(nil, slog.Any("err", err)))
	if p, ok := errors.AsType[*taxonomy.Panic](err); ok {
		attrs = append(attrs, slog.String("stack", string(p.Stack)))
	}
	slog.LogAttrs(ctx, slog.LevelError, message, attrs...)
}

// errHidden is of no taxonomy, so its public view is the public fallback.
var errHidden = errors.New("undeclared error")

// IsNil reports whether err is nil, or a nil pointer to an error of a taxonomy, whose methods
// panic.
func IsNil(err error) bool {
	if _, ok := err.(taxonomy.Error); !ok {
		return err == nil
	}
	v := reflect.ValueOf(err)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// Parts are the members of an error in a response. Its JSON is that of an error.
type Parts struct {
	Domain    string          `json:"domain,omitempty"`
	Code      string          `json:"code"`
	Message   string          `json:"message"`
	Retryable bool            `json:"retryable"`
	Effect    string          `json:"effect,omitempty"`
	Reaction  string          `json:"reaction,omitempty"`
	Is        []string        `json:"is,omitempty"`
	Context   json.RawMessage `json:"context,omitempty"`
	// HTTP, GRPC and RetryAfter are those of the response. Only an error with an unknown code needs
	// them.
	HTTP       int                         `json:"-"`
	GRPC       int                         `json:"-"`
	RetryAfter taxonomy.Opt[time.Duration] `json:"-"`
}

// Table returns the first table with the domain of the error. If the error has no domain, it also
// accepts a table that has the code.
func (p *Parts) Table(tables []taxonomy.Table) (taxonomy.Table, bool) {
	for _, t := range tables {
		if _, known := t.Taxonomy.Find(p.Code); t.Taxonomy.Domain == p.Domain || known && p.Domain == "" {
			return t, p.Code != ""
		}
	}
	return taxonomy.Table{}, false
}

// Error returns the error of the table's taxonomy, a *[taxonomy.Unknown] if the taxonomy does not
// have the code, or nil if the context cannot be read.
func (p *Parts) Error(t taxonomy.Table) taxonomy.Error {
	b, err := json.Marshal(p)
	if err != nil {
		return nil
	}
	e, err := gen.Unmarshal(b, t.Taxonomy)
	if err != nil {
		return nil
	}
	if u, ok := e.(*taxonomy.Unknown); ok {
		w := u.Wire()
		w.HTTP, w.GRPC, w.RetryAfter = p.HTTP, p.GRPC, p.RetryAfter
		e = taxonomy.NewUnknown(t.Taxonomy, w)
	}
	return e
}

// Effect returns the word of the effect that the code of a public view declares, or "".
func Effect(v taxonomy.PublicView) string {
	if e := v.Effect(); e != taxonomy.EffectUnspecified {
		return e.String()
	}
	return ""
}

// Is returns what the error of a public view also is; see [taxonomy.Taxonomy.AppendIs].
func Is(v taxonomy.PublicView) []string {
	if v.Err() == nil {
		return nil
	}
	return v.Err().Taxonomy().AppendIs(nil, v.Row(), true)
}

// Reaction returns the name of the reaction that a `when` branch selects for an error, if it
// differs from the reaction of the code, otherwise "". The name is sent because the client does not
// have the internal fields that select it.
func Reaction(v taxonomy.PublicView) string {
	if c := v.Err(); c != nil && c.Row().Branch() != 0 {
		if r := c.Taxonomy().Traits(c.Row()).Reaction; r != c.Taxonomy().Code(c.Row()).Reaction {
			return r.Name
		}
	}
	return ""
}
