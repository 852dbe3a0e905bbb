package problem

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"

	"github.com/errgen/errgen/runtime/internal/wire"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Option configures [Handler] and [Write].
type Option func(*options)

// ByTable classifies the errors that are not of the table's taxonomy: an error that no rule
// matches, and a panic, become its fallback.
func ByTable(t taxonomy.Table) Option { return func(o *options) { o.table = t } }

// OnError sets the function that receives each error, before it is written: the classified error
// with all its causes. The client sees its public view only. If the client cancelled the request,
// err wraps [context.Canceled], and the context of r is cancelled. By default, slog.Default logs an
// error if its status or the status of the response is 500 or above, with the stack of a panic. A
// request that its client cancelled is not logged.
func OnError(f func(r *http.Request, err error)) Option { return func(o *options) { o.onError = f } }

// RespondWith sets the function that writes the responses in place of problem documents, for a
// service that keeps the format of its responses. status is the one that [Write] would send: it
// differs from v.HTTPStatus() for a request that its client cancelled. If a request cannot be served
// or decoded and no public code has its status, v is the zero PublicView. [Localize] has no effect.
func RespondWith(f func(w http.ResponseWriter, r *http.Request, status int, v taxonomy.PublicView)) Option {
	return func(o *options) { o.respond = f }
}

// For sets the operation that the handler serves. By default it is the one of the table whose http
// is the pattern of the request ([http.Request.Pattern]), also below a mux that removed a prefix.
func For(o taxonomy.Operation) Option { return func(opts *options) { opts.operation = &o } }

// HideUndeclared sends the public fallback in place of a public code that the operation does not
// declare. By default the code is sent. In both cases the function of [OnError] receives a
// *[taxonomy.Undeclared], which wraps the error; without that function, slog.Default logs it.
func HideUndeclared() Option { return func(o *options) { o.hide = true } }

// Localize sets the function that returns the detail of a document in a language that the client
// accepts, and the language, as in BCP 47. accept are the values of Accept-Language. Package
// localize/negotiate has such a function. The response gets Content-Language, and Vary names
// Accept-Language. By default the detail is the public message.
func Localize(f func(accept []string, v taxonomy.PublicView) (language, message string)) Option {
	return func(o *options) { o.localize = f }
}

// options are the settings of Handler and Write.
type options struct {
	table   taxonomy.Table
	onError func(r *http.Request, err error)
	respond func(w http.ResponseWriter, r *http.Request, status int, v taxonomy.PublicView)
	// operation is nil if the pattern of the request decides; hide replaces codes that it does not
	// declare.
	operation *taxonomy.Operation
	hide      bool
	localize  func(accept []string, v taxonomy.PublicView) (language, message string)
	requests  report.RequestSink // or nil
	// The settings of Serve.
	requestID func(id string) taxonomy.Attribute
	maxBody   int64
}

var defaults options

func optionsOf(opts []Option) *options {
	if len(opts) == 0 {
		return &defaults
	}
	o := new(options)
	for _, option := range opts {
		option(o)
	}
	return o
}

type handler struct {
	*options
	serve func(w http.ResponseWriter, r *http.Request) error
}

// Handler returns a handler that answers with the error of serve, as [Write] does. If serve already
// began a response, only [OnError] receives the error. A panic is answered like an error. If the
// response began, a panic aborts it, so that the client sees an incomplete response. A panic with
// [http.ErrAbortHandler] is passed on.
func Handler(serve func(w http.ResponseWriter, r *http.Request) error, opts ...Option) http.Handler {
	return &handler{optionsOf(opts), serve}
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t := &writer{ResponseWriter: w}
	r = h.countable(r)
	defer h.countAborted(r)
	err, panicked := h.recovered(t, r)
	if wire.IsNil(err) {
		h.count(r, outcomeOf(t.status))
	} else {
		h.fail(w, r, err, t.began)
	}
	if panicked && t.began {
		panic(http.ErrAbortHandler)
	}
}

// recovered calls serve, and returns a panic as an error.
func (h *handler) recovered(w http.ResponseWriter, r *http.Request) (err error, panicked bool) {
	defer func() {
		v := recover()
		if v == http.ErrAbortHandler {
			panic(v)
		}
		if v != nil {
			err, panicked = taxonomy.PanicEvidence(v), true
		}
	}()
	return h.serve(w, r), false
}

// fail reports err, and answers with it unless a response began.
func (o *options) fail(w http.ResponseWriter, r *http.Request, err error, began bool) {
	_, isRequestError := errors.AsType[*requestError](err)
	if _, large := errors.AsType[*http.MaxBytesError](err); large && !isRequestError {
		err = newRequestError(http.StatusRequestEntityTooLarge, "too_large", err)
	}
	v, ok := o.uncoded(r, err)
	if ok && !began {
		o.count(r, outcomeOf(v.status))
	} else {
		v = o.report(r, err)
	}
	switch {
	case began:
	case o.respond != nil:
		o.respond(w, r, v.status, v.PublicView)
	default:
		if o.localize != nil && v.code != "" {
			language, detail := o.localize(r.Header["Accept-Language"], v.PublicView)
			w.Header().Set("Content-Language", language)
			w.Header().Add("Vary", "Accept-Language")
			v.detail = detail
		}
		write(w, r, v)
	}
}

// report classifies, counts and reports err, and returns what the client sees of it.
func (o *options) report(r *http.Request, err error) view {
	public, err := wire.PublicView(r.Context(), o.table, err)
	public, err = wire.Guard(r.Context(), o.table, o.operationOf(r), o.hide, public, err)
	if o.requests != nil {
		o.count(r, wire.Outcome(r.Context(), err))
	}
	v := viewOf(r, err, public)
	_, undeclared := errors.AsType[*taxonomy.Undeclared](err)
	switch {
	case o.onError != nil:
		o.onError(r, err)
	case v.status == StatusClientClosedRequest:
	case undeclared, max(v.status, taxonomy.HTTPStatus(err)) >= http.StatusInternalServerError:
		wire.LogFailed(r.Context(), "request failed", err,
			slog.String("method", r.Method), slog.String("path", r.URL.Path))
	}
	return v
}

// operationOf returns the operation that a request is for, or nil.
func (o *options) operationOf(r *http.Request) *taxonomy.Operation {
	if o.operation != nil || r.Pattern == "" {
		return o.operation
	}
	if prefix, below := strings.CutSuffix(sentPath(r), r.URL.EscapedPath()); below && prefix != "" {
		if found := o.table.Taxonomy.OperationByRoute(r.Method, prefix, r.Pattern); found != nil {
			return found
		}
	}
	return o.table.Taxonomy.OperationByRoute(r.Method, "", r.Pattern)
}

// writer records whether a response began. It forwards the optional methods of the underlying writer
// that programs look for.
type writer struct {
	http.ResponseWriter
	began  bool
	status int // as the handler set it, or 0
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *writer) WriteHeader(status int) {
	if status >= http.StatusOK || status == http.StatusSwitchingProtocols { // others are informational
		if !w.began {
			w.status = status
		}
		w.began = true
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) Write(b []byte) (int, error) {
	w.began = true
	return w.ResponseWriter.Write(b)
}

// ReadFrom lets the underlying writer use sendfile.
func (w *writer) ReadFrom(r io.Reader) (n int64, err error) {
	began := w.began
	w.began = true // if r panics, a part can be sent
	n, err = io.Copy(w.ResponseWriter, r)
	w.began = began || n > 0
	return n, err
}

func (w *writer) Flush() { _ = w.FlushError() }

// FlushError is the form of Flush that http.ResponseController calls.
func (w *writer) FlushError() error {
	err := http.NewResponseController(w.ResponseWriter).Flush()
	w.began = w.began || !errors.Is(err, http.ErrNotSupported)
	return err
}

func (w *writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	w.began = w.began || err == nil
	return conn, rw, err
}
