package wire

import (
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// reach is how far a request got, as far as its transport says. What may have left counts as sent:
// the zero reach is of a request of which nobody knows.
type reach struct{ at atomic.Int32 }

const (
	reachUnknown    int32 = iota // the transport tells nothing
	reachNothing                 // it is over before a transport was asked
	reachConnecting              // there is no connection yet on which it could be sent
	reachConnected
)

// follow returns the request with a trace that tells how far it gets.
func (r *reach) follow(req *http.Request) *http.Request {
	return req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		// A transport that tries again on another connection has had one.
		GetConn: func(string) { r.at.CompareAndSwap(reachUnknown, reachConnecting) },
		GotConn: func(httptrace.GotConnInfo) { r.at.Store(reachConnected) },
	}))
}

// notSent reports whether nothing of the request can have left: there was no connection, or it was
// not trusted.
func (r *reach) notSent() bool {
	at := r.at.Load()
	return at == reachNothing || at == reachConnecting
}

// Unused reports whether it is certain that the server did no work for the request: it answered
// with the status of a failure, or never got it. A request that broke off, timed out or was
// cancelled after it was sent may have been worked on.
func (x *Exchange) Unused() bool {
	if x.Status != 0 {
		return x.Status >= http.StatusMultipleChoices
	}
	return x.reach.notSent()
}
