package details

import (
	"context"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errgen/errgen/runtime/internal/wire"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Call is a call of a server, which is counted once.
type Call struct {
	ctx     context.Context
	options *Options
	method  string
	counted bool
}

// Start begins a call. The caller defers [Call.End].
func (o *Options) Start(ctx context.Context, method string) *Call {
	return &Call{ctx: ctx, options: o, method: method}
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

// End counts a call that was not counted, because its handler panicked, as a failure.
func (c *Call) End() { c.count(report.Request{Failed: true}) }

func (c *Call) count(r report.Request) {
	if c.counted {
		return
	}
	c.counted = true
	t := c.options.table()
	wire.Count(c.ctx, c.options.Requests, t, t.Taxonomy.OperationByRPC(c.method), r)
}
