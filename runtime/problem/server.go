package problem

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/errgen/errgen/runtime/internal/wire"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Serve returns a handler that serves by mux, and answers as [Write] does where no pattern of mux
// matches the path (404) or the method (405, with Allow). Wrap nested muxes in Serve, too.
// The error is evidence of the source "http" with the status, which the rules of the table can give
// a code: {source: http, status: 404}. If they give no public code of that status, the document has
// no code, and [OnError] is not called. A panic of a handler of mux is answered as [Handler] does.
func Serve(mux *http.ServeMux, opts ...Option) http.Handler {
	o := optionsOf(opts)
	h := &handler{o, func(w http.ResponseWriter, r *http.Request) error { return serveMux(mux, w, r) }}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if o.requestID != nil {
			id := wire.RequestID(r.Header.Get(HeaderRequestID))
			w.Header().Set(HeaderRequestID, id)
			r = r.WithContext(taxonomy.ContextWith(r.Context(), o.requestID(id)))
		}
		if o.maxBody > 0 && r.Body != nil {
			limited := *r
			limited.Body = http.MaxBytesReader(w, r.Body, o.maxBody)
			r = &limited
		}
		h.ServeHTTP(w, r)
	})
}

func serveMux(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) error {
	if _, pattern := mux.Handler(r); pattern != "" {
		mux.ServeHTTP(w, r)
		return nil
	}
	n := notServed{header: make(http.Header)}
	mux.ServeHTTP(&n, r)
	if n.status != http.StatusNotFound && n.status != http.StatusMethodNotAllowed { // a redirect
		mux.ServeHTTP(w, r)
		return nil
	}
	if allow := n.header["Allow"]; len(allow) > 0 {
		w.Header()["Allow"] = allow
	}
	return newRequestError(n.status, "", nil)
}

// notServed records the response of a ServeMux for a request that no pattern matches.
type notServed struct {
	header http.Header
	status int
}

func (n *notServed) Header() http.Header         { return n.header }
func (n *notServed) WriteHeader(status int)      { n.status = status }
func (n *notServed) Write(b []byte) (int, error) { return len(b), nil }

// requestError is the fault of a request, which is answered with its status.
type requestError struct{ *taxonomy.Evidence }

func newRequestError(status int, kind string, err error) error {
	return &requestError{&taxonomy.Evidence{
		Source: "http", Type: kind, Status: status, Text: http.StatusText(status), Err: err}}
}

func (e *requestError) Unwrap() error { return e.Evidence }

// uncoded returns the view of a request error for which the table has no public code of its status.
func (o *options) uncoded(r *http.Request, err error) (view, bool) {
	if _, typed := taxonomy.First(err, nil); typed {
		return view{}, false
	}
	e, ok := errors.AsType[*requestError](err)
	if !ok {
		return view{}, false
	}
	if o.table.Taxonomy != nil && o.table.Public(o.table.Classify(e.Evidence)).HTTPStatus() == e.Status {
		return view{}, false
	}
	v := view{status: e.Status, kind: "about:blank", title: http.StatusText(e.Status), instance: sentPath(r)}
	return v, true
}

// MaxBody limits the bodies of the requests of [Serve], in bytes. Reading more fails with an
// *[http.MaxBytesError]. A handler that returns it without a code answers with 413; see
// [DecodeJSON].
func MaxBody(n int64) Option { return func(o *options) { o.maxBody = n } }

// DecodeJSON decodes the body of a request, which is one JSON value. Its error is evidence of the
// source "http" with the type "malformed" and the status 400, or with the type "too_large" and the
// status 413. [Handler] answers with that status; see [Serve] for its code.
func DecodeJSON(r *http.Request, v any) error {
	d := json.NewDecoder(r.Body)
	err := d.Decode(v)
	if err == nil {
		var more error
		if _, more = d.Token(); more == io.EOF {
			return nil
		}
		if err = more; err == nil {
			err = errors.New("data follows the JSON value")
		}
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return newRequestError(http.StatusRequestEntityTooLarge, "too_large", err)
	}
	if cancelled := r.Context().Err(); cancelled != nil {
		return cancelled
	}
	return newRequestError(http.StatusBadRequest, "malformed", err)
}

// HeaderRequestID is the header of the id of a request.
const HeaderRequestID = wire.HeaderRequestID

// RequestID makes [Serve] set a field of all errors of a request to its id. The id is that of the
// header [HeaderRequestID] if it has at most 100 letters, digits and -_.:=/+, otherwise a random
// one. The response has it, too:
//
//	problem.Serve(mux, problem.RequestID(errs.RequestID))
func RequestID(field func(id string) taxonomy.Attribute) Option {
	return func(o *options) { o.requestID = field }
}

// Log passes each error to log with the context and the pattern of its request. The function of
// report.Log is one, which is also an option of gRPC and Connect:
//
//	log := report.Log(logger, sink, errs.Table)
//	problem.Log(log)
//	rpc.OnError(log)
func Log(log func(ctx context.Context, operation string, err error)) Option {
	return OnError(func(r *http.Request, err error) { log(r.Context(), r.Pattern, err) })
}

// CountRequests passes the outcome of each request to the sink, once, also if handlers are nested:
// the innermost [Handler] with this option does it. A response that a handler wrote without
// returning an error counts as failed if its status is 400 or above.
func CountRequests(sink report.RequestSink) Option { return func(o *options) { o.requests = sink } }

// countedKey is the key of an *atomic.Bool in the context of a request that [Handler] serves:
// whether it was counted.
type countedKey struct{}

// countable returns a request that nested handlers count once.
func (o *options) countable(r *http.Request) *http.Request {
	if o.requests == nil || r.Context().Value(countedKey{}) != nil {
		return r
	}
	return r.WithContext(context.WithValue(r.Context(), countedKey{}, new(atomic.Bool)))
}

// count counts a request, unless it was counted.
func (o *options) count(r *http.Request, outcome report.Request) {
	if o.requests == nil {
		return
	}
	if counted, nested := r.Context().Value(countedKey{}).(*atomic.Bool); !nested || !counted.Swap(true) {
		wire.Count(r.Context(), o.requests, o.table, o.operationOf(r), outcome)
	}
}

// countAborted counts a request whose handler did not return.
func (o *options) countAborted(r *http.Request) {
	outcome := report.Request{Failed: true}
	if errors.Is(r.Context().Err(), context.Canceled) {
		outcome.Fault = taxonomy.FaultClient
	}
	o.count(r, outcome)
}

// outcomeOf returns the outcome of a request without an error, by the status of its response.
func outcomeOf(status int) report.Request {
	switch {
	case status >= http.StatusInternalServerError:
		return report.Request{Failed: true}
	case status >= http.StatusBadRequest:
		return report.Request{Failed: true, Fault: taxonomy.FaultClient}
	}
	return report.Request{}
}
