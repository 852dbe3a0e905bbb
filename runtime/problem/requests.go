package problem

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/errgen/errgen/runtime/internal/wire"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// CountRequests passes the outcome of each request to the sink, once, also if handlers are nested:
// the innermost [Handler] with this option does it. A response that a handler wrote without
// returning an error counts as failed if its status is 400 or above.
func CountRequests(sink report.RequestSink) Option { return func(o *options) { o.requests = sink } }

// countedKey is the key of an *atomic.Bool in the context of a request that [Handler] serves: whether
// it was counted.
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
