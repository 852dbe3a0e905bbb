package report

import (
	"context"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Request is the outcome of a request to a server.
type Request struct {
	// Domain and Operation name the operation of the taxonomy. Operation is empty if no operation
	// has the route or the method of the request.
	Domain, Operation string
	// Code is the code of the error that the request ended with, also if clients get another one. It
	// is empty for a success and for a failure without a code.
	Code string
	// Failed reports whether the request failed.
	Failed bool
	// Fault is who has to act, if the request failed. A request that its client cancelled is the
	// fault of the client.
	Fault taxonomy.Fault
}

// RequestSink receives the outcome of each request, once. problem.CountRequests and
// rpc.CountRequests pass them from servers. The exporters are such sinks. Implementations are safe
// for concurrent use and return quickly. ctx is the context of the request.
type RequestSink interface {
	Request(ctx context.Context, r Request)
}
