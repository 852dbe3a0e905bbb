// Package grpcerr sends and reads errors over gRPC, with the details of google.rpc that clients of
// any language read.
//
//	grpc.NewServer(grpcerr.Server(rpc.ByTable(errs.Table))...)
//	grpc.NewClient(address,
//		grpc.WithChainUnaryInterceptor(grpcerr.UnaryClient(rpc.ByTable(errs.Table))), …)
//
// Package rpc lists the details and has the options.
package grpcerr

import (
	"context"
	"errors"
	"io"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"

	"github.com/errgen/errgen/runtime/internal/wire"
	"github.com/errgen/errgen/runtime/rpc"
	"github.com/errgen/errgen/runtime/rpc/internal/details"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Status returns the status with the public view of err, and nil for nil. [UnaryServer] and
// [StreamServer] return it for the errors of a server.
func Status(err error) *status.Status {
	if err == nil {
		return nil
	}
	return statusOf(details.New().Answer(context.Background(), taxonomy.Public(err)))
}

func statusOf(a details.Answer) *status.Status {
	s := status.New(codes.Code(a.Code), a.Message)
	all := make([]protoadapt.MessageV1, len(a.Details))
	for i, d := range a.Details {
		all[i] = protoadapt.MessageV1Of(d)
	}
	if with, err := s.WithDetails(all...); err == nil {
		return with
	}
	return s
}

// FromStatus returns the error that the server sent, if one of the tables has its domain or code.
// Otherwise it classifies the status by the first table. Without tables it returns a
// *[taxonomy.Evidence]. The result wraps the error of the status. If the status is nil or its code
// is OK, the result is nil.
func FromStatus(s *status.Status, tables ...taxonomy.Table) error {
	if s.Code() == codes.OK {
		return nil
	}
	o := &details.Options{Tables: tables}
	return o.Received(context.Background(), answerOf(s), s.Err())
}

func answerOf(s *status.Status) details.Answer {
	a := details.Answer{Code: code.Code(s.Code()), Message: s.Message()}
	for _, detail := range s.Details() {
		if d, ok := detail.(proto.Message); ok {
			a.Details = append(a.Details, d)
		}
	}
	return a
}

// Server returns the options of a server: [UnaryServer], [StreamServer], and a handler of unknown
// methods, so that their calls are counted.
func Server(opts ...rpc.Option) []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.ChainUnaryInterceptor(UnaryServer(opts...)),
		grpc.ChainStreamInterceptor(StreamServer(opts...)),
		grpc.UnknownServiceHandler(func(any, grpc.ServerStream) error { return status.Error(codes.Unimplemented, "") }),
	}
}

// UnaryServer returns an interceptor that answers with the public view of the errors and panics of a
// server.
// Use it as the innermost interceptor, so that statuses of the others, such as authentication, are
// sent unchanged. If the server does not have the method, it keeps the code UNIMPLEMENTED.
func UnaryServer(opts ...rpc.Option) grpc.UnaryServerInterceptor {
	o := details.New(opts...)
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		call := start(ctx, o, info.FullMethod, func(md metadata.MD) error { return grpc.SetHeader(ctx, md) })
		defer call.End()
		var resp any
		err := call.Run(o.CallLimit, func(ctx context.Context) (err error) {
			resp, err = handler(ctx, req)
			return err
		})
		return resp, serverError(call, err)
	}
}

// StreamServer is [UnaryServer] for streams.
func StreamServer(opts ...rpc.Option) grpc.StreamServerInterceptor {
	o := details.New(opts...)
	return func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		call := start(stream.Context(), o, info.FullMethod, stream.SetHeader)
		defer call.End()
		return serverError(call, call.Run(o.StreamLimit, func(ctx context.Context) error {
			return handler(srv, &serverStream{stream, ctx})
		}))
	}
}

// start begins a call, and sets the header with its request id.
func start(ctx context.Context, o *details.Options, method string, set func(metadata.MD) error) *details.Call {
	sent := ""
	if o.RequestID != nil {
		sent = strings.Join(metadata.ValueFromIncomingContext(ctx, wire.HeaderRequestID), ",")
	}
	call := o.Start(ctx, method, sent)
	if call.RequestID != "" {
		_ = set(metadata.Pairs(wire.HeaderRequestID, call.RequestID)) // fails outside of a server
	}
	return call
}

// serverStream is a stream with the context of its call.
type serverStream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s *serverStream) Context() context.Context { return s.ctx }

func serverError(call *details.Call, err error) error {
	if wire.IsNil(err) {
		call.Succeed()
		return nil
	}
	if _, typed := taxonomy.First(err, nil); !typed && status.Code(err) == codes.Unimplemented {
		call.Refuse(code.Code_UNIMPLEMENTED)
		return status.Error(codes.Unimplemented, "method not implemented")
	}
	return statusOf(call.Fail(err)).Err()
}

// Localize sets the LocalizedMessage by the accept-language of the incoming metadata. Package
// localize/negotiate has a function for it.
func Localize(f func(accept []string, v taxonomy.PublicView) (language, message string)) rpc.Option {
	return rpc.Localize(func(ctx context.Context, v taxonomy.PublicView) (string, string) {
		return f(metadata.ValueFromIncomingContext(ctx, "accept-language"), v)
	})
}

// UnaryClient returns an interceptor that returns the errors that the server sent, as [FromStatus]
// does. A call whose context ended fails with the error of the context.
func UnaryClient(opts ...rpc.Option) grpc.UnaryClientInterceptor {
	o := details.New(opts...)
	return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoker grpc.UnaryInvoker,
		opts ...grpc.CallOption) error {
		return clientError(ctx, o, invoker(ctx, method, req, reply, cc, opts...))
	}
}

// StreamClient is [UnaryClient] for streams.
func StreamClient(opts ...rpc.Option) grpc.StreamClientInterceptor {
	o := details.New(opts...)
	return func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string,
		streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		stream, err := streamer(ctx, desc, cc, method, opts...)
		if err != nil {
			return nil, clientError(ctx, o, err)
		}
		return &clientStream{ClientStream: stream, options: o}, nil
	}
}

func clientError(ctx context.Context, o *details.Options, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return o.Received(ctx, answerOf(status.Convert(err)), err)
}

type clientStream struct {
	grpc.ClientStream
	options *details.Options
}

func (s *clientStream) SendMsg(m any) error {
	return clientError(s.Context(), s.options, s.ClientStream.SendMsg(m))
}

func (s *clientStream) RecvMsg(m any) error {
	return clientError(s.Context(), s.options, s.ClientStream.RecvMsg(m))
}
