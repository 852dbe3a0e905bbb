package rpc

import (
	"context"
	"errors"
	"io"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// ConnectError returns the Connect error with the public view of err, and nil for nil. [Connect]
// returns it for the errors of a server.
func ConnectError(err error) *connect.Error {
	if err == nil {
		return nil
	}
	return optionsOf(nil).answer(context.Background(), taxonomy.Public(err)).connectError()
}

func (a answer) connectError() *connect.Error {
	e := connect.NewError(connect.Code(a.code), errors.New(a.message))
	for _, d := range a.details {
		if detail, err := connect.NewErrorDetail(d); err == nil {
			e.AddDetail(detail)
		}
	}
	return e
}

// FromConnect returns the error that a Connect server sent, as [FromStatus] does. An error without a
// *connect.Error in its tree is classified by the first table, and nil is nil.
func FromConnect(err error, tables ...taxonomy.Table) error {
	o := &options{tables: tables}
	return o.connectClientError(context.Background(), err)
}

func (o *options) connectClientError(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	a := answer{code: code.Code(connect.CodeOf(err)), message: err.Error()}
	if e, ok := errors.AsType[*connect.Error](err); ok {
		a.message = e.Message()
		for _, detail := range e.Details() {
			if d, err := detail.Value(); err == nil {
				a.details = append(a.details, d)
			}
		}
	}
	return o.received(ctx, a, err)
}

// Connect returns an interceptor for servers and clients, unary calls and streams. A server answers
// with the public view of its errors; a *connect.Error that it made itself is sent unchanged, one
// that it received from another server is not. A client returns the errors that the server sent, as
// [FromConnect] does. A call whose context ended fails with the error of the context.
func Connect(opts ...Option) connect.Interceptor { return &connectInterceptor{optionsOf(opts)} }

type connectInterceptor struct{ *options }

// WrapUnary implements connect.Interceptor.
func (i *connectInterceptor) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		resp, err := next(ctx, req)
		if err == nil {
			return resp, nil
		}
		if req.Spec().IsClient {
			return nil, i.connectClientError(ctx, err)
		}
		return nil, i.connectServerError(ctx, req.Spec().Procedure, err)
	}
}

// WrapStreamingHandler implements connect.Interceptor.
func (i *connectInterceptor) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		return i.connectServerError(ctx, conn.Spec().Procedure, next(ctx, conn))
	}
}

// WrapStreamingClient implements connect.Interceptor.
func (i *connectInterceptor) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return func(ctx context.Context, spec connect.Spec) connect.StreamingClientConn {
		return &connectStream{next(ctx, spec), i.options, ctx}
	}
}

func (o *options) connectServerError(ctx context.Context, procedure string, err error) error {
	if err == nil {
		return nil
	}
	_, typed := taxonomy.First(err, nil)
	if own, ok := errors.AsType[*connect.Error](err); ok && !typed && !connect.IsWireError(own) {
		return own
	}
	return o.fail(ctx, procedure, err).connectError()
}

type connectStream struct {
	connect.StreamingClientConn
	options *options
	ctx     context.Context // of the call, for its end
}

func (s *connectStream) Send(m any) error {
	return s.options.connectClientError(s.ctx, s.StreamingClientConn.Send(m))
}

func (s *connectStream) Receive(m any) error {
	return s.options.connectClientError(s.ctx, s.StreamingClientConn.Receive(m))
}

func (s *connectStream) CloseRequest() error {
	return s.options.connectClientError(s.ctx, s.StreamingClientConn.CloseRequest())
}

func (s *connectStream) CloseResponse() error {
	return s.options.connectClientError(s.ctx, s.StreamingClientConn.CloseResponse())
}
