// Package problem sends and reads errors over HTTP as the problem documents of RFC 9457.
//
//	mux.Handle("GET /orders/{id}", problem.Handler(getOrder, problem.ByTable(errs.Table)))
//
// getOrder is a func(http.ResponseWriter, *http.Request) error. A client gets the typed error back:
//
//	resp, err := client.Do(req)
//	…
//	err = problem.Read(resp, errs.Table) // nil unless the status is 400 or above
//
// Only the public view of an error is sent: see [taxonomy.Public].
package problem

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/internal/wire"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

const (
	// ContentType is the media type of a problem document.
	ContentType = "application/problem+json"
	// StatusClientClosedRequest is the status for a request that its client cancelled. It is not in
	// the registry of HTTP, but common: only logs and metrics see it.
	StatusClientClosedRequest = 499
)

// Write answers r with the public view of err: a problem document, or a line of plain text if the
// client does not accept JSON. A nil err writes nothing. Write classifies, reports and logs err as
// [Handler] with the same options does.
//
//   - type is the code's help URL, else about:blank;
//   - title is the first sentence of the code's doc; with about:blank it is the name of the status;
//   - status is the code's HTTP status, else 500; it is 499 if the client cancelled the request and
//     err wraps [context.Canceled];
//   - detail is the public message, instance the path of the request as the client sent it;
//   - code, domain, context, retryable, effect and is are as in the error's JSON. If the error is of
//     no taxonomy, these members and detail are absent.
//
// Attributes of the request's context are set in the error ([taxonomy.ContextWith]), also in one
// that is shown in place of an internal one. Retry-After is set if the public view has a hint for
// it. Write sets Content-Type and Vary, and removes Content-Length. A HEAD request gets no body.
func Write(w http.ResponseWriter, r *http.Request, err error, opts ...Option) {
	if !wire.IsNil(err) {
		optionsOf(opts).fail(w, r, err, false)
	}
}

func write(w http.ResponseWriter, r *http.Request, v view) {
	h := w.Header()
	h.Del("Content-Length")
	h.Add("Vary", "Accept")
	h.Set("X-Content-Type-Options", "nosniff")
	if v.retryAfter != "" {
		h.Set("Retry-After", v.retryAfter)
	}
	room := buffers.Get().(*[]byte)
	defer buffers.Put(room)
	b := (*room)[:0]
	if acceptsJSON(r.Header["Accept"]) {
		h.Set("Content-Type", ContentType)
		b = v.appendJSON(b)
	} else {
		h.Set("Content-Type", "text/plain; charset=utf-8")
		b = v.appendText(b)
	}
	w.WriteHeader(v.status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(b) // the client is gone, and nothing else can be sent to it
	}
	if cap(b) <= maxKept {
		*room = b
	}
}

// maxKept bounds the buffers that are reused, in bytes.
const maxKept = 16 << 10

var buffers = sync.Pool{New: func() any { return new(make([]byte, 0, 1024)) }}

// view is what a client sees of an error.
type view struct {
	taxonomy.PublicView
	code       string // empty for an error without a public code
	status     int
	kind       string // the member type
	title      string
	detail     string
	instance   string
	retryAfter string
}

func viewOf(r *http.Request, err error, public taxonomy.PublicView) view {
	v := view{PublicView: public, status: StatusClientClosedRequest, kind: "about:blank",
		title: "Client Closed Request", instance: sentPath(r)}
	if errors.Is(err, context.Canceled) && errors.Is(r.Context().Err(), context.Canceled) {
		return v
	}
	v.status = v.HTTPStatus()
	v.title = http.StatusText(v.status)
	if v.code = v.Code(); v.code == "" {
		return v
	}
	v.detail, v.retryAfter = v.Message(), retryAfter(v.PublicView)
	if help := v.HelpURL(); help != "" {
		v.kind = help
		v.title = cmp.Or(firstSentence(v.Describe().Doc), v.title)
	}
	return v
}

// maxInstance bounds the path in a response, in bytes.
const maxInstance = 1024

// sentPath returns the path of the request as the client sent it, which http.StripPrefix and other
// middleware change in r.URL. A path that begins with two slashes, which is an address of another
// host as a reference, is "", and so is one of more than [maxInstance] bytes.
func sentPath(r *http.Request) string {
	path := r.URL.EscapedPath()
	if sent, _, _ := strings.Cut(r.RequestURI, "?"); sent != path {
		if u, err := url.ParseRequestURI(sent); err == nil {
			path = u.EscapedPath()
		}
	}
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || len(path) > maxInstance {
		return ""
	}
	return path
}

func (v *view) appendJSON(b []byte) []byte {
	o := gen.Object(b).String("type", taxonomy.Some(v.kind)).OptEnum("title", v.title).
		Int("status", taxonomy.Some(v.status)).OptEnum("detail", v.detail).OptEnum("instance", v.instance)
	if v.code == "" {
		return o.Close()
	}
	o = o.OptEnum("domain", v.Err().Taxonomy().Domain).OptEnum("code", v.code).
		Bool("retryable", taxonomy.Some(v.Retryable())).OptEnum("effect", wire.Effect(v.PublicView)).
		OptEnum("reaction", wire.Reaction(v.PublicView))
	b = o.Close()
	b = append(gen.AppendIs(b[:len(b)-1], v.PublicView), `,"context":`...)
	return append(v.AppendContext(b), '}')
}

func (v *view) appendText(b []byte) []byte {
	if v.code == "" {
		return append(append(b, v.title...), '\n')
	}
	return append(append(append(append(b, v.code...), ": "...), v.detail...), '\n')
}

// retryAfter returns the value of Retry-After: whole seconds, or a date.
func retryAfter(v taxonomy.PublicView) string {
	if d, ok := v.RetryAfter().Get(); ok && d >= 0 {
		return strconv.FormatFloat(math.Ceil(d.Seconds()), 'f', -1, 64)
	}
	if at, ok := v.ResetAt().Get(); ok {
		return at.Add(time.Second - 1).UTC().Format(http.TimeFormat)
	}
	return ""
}

// firstSentence returns the first sentence of a doc without its full stop, which suits a title.
func firstSentence(doc string) string {
	sentence, _, _ := strings.Cut(doc, ". ")
	return strings.TrimSuffix(strings.TrimSpace(sentence), ".")
}

// acceptsJSON reports whether a client with these Accept headers reads problem documents. The most
// specific range that matches decides; application/json counts as application/problem+json.
func acceptsJSON(headers []string) bool {
	best, accepted := 0, len(headers) == 0
	for item := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		kind, _, _ := strings.Cut(item, ";")
		specific := mediaRanges[strings.ToLower(strings.TrimSpace(kind))]
		if wanted := !hasZeroWeight(item); specific > best || specific == best && specific > 0 && wanted {
			best, accepted = specific, wanted
		}
	}
	return accepted
}

// mediaRanges contains the media ranges that include problem documents. A more specific range has a
// larger number.
var mediaRanges = map[string]int{ContentType: 3, "application/json": 3, "application/*": 2, "*/*": 1}

// hasZeroWeight reports whether a media range has a weight of 0, which refuses it.
func hasZeroWeight(item string) bool {
	_, parameters, _ := strings.Cut(item, ";")
	for p := range strings.SplitSeq(parameters, ";") {
		if name, value, _ := strings.Cut(strings.TrimSpace(p), "="); strings.EqualFold(name, "q") {
			weight, err := strconv.ParseFloat(value, 64)
			return err == nil && weight == 0
		}
	}
	return false
}
