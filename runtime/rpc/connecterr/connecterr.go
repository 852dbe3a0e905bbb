// Package connecterr sends and reads errors over Connect, with the details of google.rpc that
// clients of any language read. Servers and clients use its interceptor:
//
//	connect.WithInterceptors(connecterr.Interceptor(rpc.ByTable(errs.Table)))
//
// Package rpc lists the details and has the options.
package connecterr

import (
	"context"
	"errors"
	"io"
	"net/http"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errgen/errgen/runtime/internal/wire"
	"github.com/errgen/errgen/runtime/rpc"
	"github.com/errgen/errgen/runtime/rpc/internal/details"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// New returns the Connect error with the public view of err, and nil for nil. [Interceptor] returns
// it for the errors of a server.
func New(err error) *connect.Error {
	if err == nil {
		return nil
	}
	return errorOf(details.New().Answer(context.Background(), taxonomy.Public(err)))
}

func errorOf(a details.Answer) *connect.Error {
	e := connect.NewError(connect.Code(a.Code), errors.New(a.Message))
	for _, d := range a.Details {
		if detail, err := connect.NewErrorDetail(d); err == nil {
			e.AddDetail(detail)
		}
	}
	return e
}

// From returns the error that the server sent, if one of the tables has its domain or code.
// Otherwise it classifies err by the first table. Without tables it returns a *[taxonomy.Evidence].
// The result wraps err. If err is nil, so is the result.
func From(err error, tables ...taxonomy.Table) error {
	return clientError(context.Background(), &details.Options{Tables: tables}, err)
}

func clientError(ctx context.Context, o *details.Options, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	a := details.Answer{Code: code.Code(connect.CodeOf(err)), Message: err.Error()}
	if e, ok := errors.AsType[*connect.Error](err); ok {
		a.Message = e.Message()
		for _, detail := range e.Details() {
			if d, err := detail.Value(); err == nil {
				a.Details = append(a.Details, d)
			}
		}
	}
	return o.Received(ctx, a, err)
}

// Localize sets the LocalizedMessage by the header Accept-Language of a call. Package
// localize/negotiate has a function for it.
func Localize(f func(accept []string, v taxonomy.PublicView) (language, message string)) rpc.Option {
	return rpc.Localize(func(ctx context.Context, v taxonomy.PublicView) (string, string) {
		var accept []string
		if call, ok := connect.CallInfoForHandlerContext(ctx); ok {
			accept = call.RequestHeader()["Accept-Language"]
		}
		return f(accept, v)
	})
}

// Interceptor returns an interceptor for servers and clients, unary calls and streams. A server
// answers with the public view of its errors and panics, and passes a panic with
// [http.ErrAbortHandler] on. It sends a *connect.Error unchanged, unless it received that from
// another server. A client returns the errors that the server sent, as [From] does. A call whose
// context ended fails with the error of the context.
func Interceptor(opts ...rpc.Option) connect.Interceptor { return &interceptor{details.New(opts...)} }

type interceptor struct{ options *details.Options }

// WrapUnary implements connect.Interceptor.
func (i *interceptor) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		if req.Spec().IsClient {
			resp, err := next(ctx, req)
			if wire.IsNil(err) {
				return resp, nil
			}
			return nil, clientError(ctx, i.options, err)
		}
		call := i.options.Start(ctx, req.Spec().Procedure, req.Header().Get(wire.HeaderRequestID))
		call.Abort = http.ErrAbortHandler
		defer call.End()
		if info, ok := connect.CallInfoForHandlerContext(ctx); ok && call.RequestID != "" {
			info.ResponseHeader().Set(wire.HeaderRequestID, call.RequestID)
		}
		var resp connect.AnyResponse
		err := call.Run(i.options.CallLimit, func(ctx context.Context) (err error) {
			resp, err = next(ctx, req)
			return err
		})
		if err = serverError(call, err); err != nil {
			return nil, err
		}
		return resp, nil
	}
}

// WrapStreamingHandler implements connect.Interceptor.
func (i *interceptor) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		call := i.options.Start(ctx, conn.Spec().Procedure, conn.RequestHeader().Get(wire.HeaderRequestID))
		call.Abort = http.ErrAbortHandler
		defer call.End()
		if call.RequestID != "" {
			conn.ResponseHeader().Set(wire.HeaderRequestID, call.RequestID)
		}
		return serverError(call, call.Run(i.options.StreamLimit, func(ctx context.Context) error {
			return next(ctx, conn)
		}))
	}
}

// WrapStreamingClient implements connect.Interceptor.
func (i *interceptor) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return func(ctx context.Context, spec connect.Spec) connect.StreamingClientConn {
		return &stream{next(ctx, spec), i.options, ctx}
	}
}

func serverError(call *details.Call, err error) error {
	if wire.IsNil(err) {
		call.Succeed()
		return nil
	}
	_, typed := taxonomy.First(err, nil)
	if own, ok := errors.AsType[*connect.Error](err); ok && !typed && !connect.IsWireError(own) {
		call.Refuse(code.Code(own.Code()))
		return own
	}
	return errorOf(call.Fail(err))
}

type stream struct {
	connect.StreamingClientConn
	options *details.Options
	ctx     context.Context // of the call
}

func (s *stream) Send(m any) error {
	return clientError(s.ctx, s.options, s.StreamingClientConn.Send(m))
}

func (s *stream) Receive(m any) error {
	return clientError(s.ctx, s.options, s.StreamingClientConn.Receive(m))
}

func (s *stream) CloseRequest() error {
	return clientError(s.ctx, s.options, s.StreamingClientConn.CloseRequest())
}

func (s *stream) CloseResponse() error {
	return clientError(s.ctx, s.options, s.StreamingClientConn.CloseResponse())
}
