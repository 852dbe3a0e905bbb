package details

import (
	"context"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errgen/errgen/runtime/internal/wire"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Call is a call of a server, which is counted once.
type Call struct {
	// RequestID is the id of the call, or empty without the option.
	RequestID string
	// Abort is the value of the panics that [Call.Run] passes on, or nil.
	Abort any

	client  context.Context // without the limit of the server
	options *Options
	method  string
	counted bool
}

// Start begins a call whose client sent a request id or an empty text. The caller defers
// [Call.End], and runs the handler in [Call.Run].
func (o *Options) Start(ctx context.Context, method, requestID string) *Call {
	c := &Call{options: o, method: method}
	if o.RequestID != nil {
		c.RequestID = wire.RequestID(requestID)
		ctx = taxonomy.ContextWith(ctx, o.RequestID(c.RequestID))
	}
	c.client = ctx
	return c
}

// Run calls a handler, for at most the limit if that is not 0, and returns a panic as an error.
func (c *Call) Run(limit time.Duration, handler func(context.Context) error) (err error) {
	ctx := c.client
	if limit > 0 {
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ctx = limited
	}
	defer func() {
		if v := recover(); v != nil {
			if v == c.Abort {
				panic(v)
			}
			err = taxonomy.PanicEvidence(v)
		}
	}()
	return handler(ctx)
}

// Succeed counts a success.
func (c *Call) Succeed() { c.count(report.Request{}) }

// Refuse counts a status that is sent without a code of a taxonomy. The faults follow the semantic
// conventions of OpenTelemetry for the spans of servers.
func (c *Call) Refuse(status code.Code) {
	r := report.Request{Failed: true, Fault: taxonomy.FaultClient}
	switch status {
	case code.Code_UNKNOWN, code.Code_DEADLINE_EXCEEDED, code.Code_UNIMPLEMENTED, code.Code_INTERNAL,
		code.Code_UNAVAILABLE, code.Code_DATA_LOSS:
		r.Fault = taxonomy.FaultServer
	}
	c.count(r)
}

// End counts a call that was not counted, because its handler did not return, as a failure.
func (c *Call) End() { c.count(report.Request{Failed: true}) }

func (c *Call) count(r report.Request) {
	if c.counted {
		return
	}
	c.counted = true
	t := c.options.table()
	wire.Count(c.client, c.options.Requests, t, t.Taxonomy.OperationByRPC(c.method), r)
}
