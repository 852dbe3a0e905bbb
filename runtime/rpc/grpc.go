package rpc

import (
	"context"
	"errors"
	"io"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Status returns the status with the public view of err, and nil for nil. [UnaryServer] and
// [StreamServer] return it for the errors of a server.
func Status(err error) *status.Status {
	if err == nil {
		return nil
	}
	return optionsOf(nil).answer(context.Background(), taxonomy.Public(err)).status()
}

func (a answer) status() *status.Status {
	s := status.New(codes.Code(a.code), a.message)
	details := make([]protoadapt.MessageV1, len(a.details))
	for i, d := range a.details {
		details[i] = protoadapt.MessageV1Of(d)
	}
	if with, err := s.WithDetails(details...); err == nil {
		return with
	}
	return s
}

// FromStatus returns the error of a status: the error that the server sent, if one of the tables has
// its domain or code, otherwise what the first table classifies the status as. Without tables that
// is a *[taxonomy.Evidence]. The error of the status is in its tree. A nil status, and one whose code
// is OK, give nil.
func FromStatus(s *status.Status, tables ...taxonomy.Table) error {
	if s.Code() == codes.OK {
		return nil
	}
	o := &options{tables: tables}
	return o.received(context.Background(), answerOfStatus(s), s.Err())
}

func answerOfStatus(s *status.Status) answer {
	a := answer{code: code.Code(s.Code()), message: s.Message()}
	for _, detail := range s.Details() {
		if d, ok := detail.(proto.Message); ok {
			a.details = append(a.details, d)
		}
	}
	return a
}

// UnaryServer returns an interceptor that answers with the public view of the errors of a server. It
// should be the innermost, because others, such as authentication, may return statuses to be sent
// unchanged. It leaves the code UNIMPLEMENTED of a method that the server does not have.
func UnaryServer(opts ...Option) grpc.UnaryServerInterceptor {
	o := optionsOf(opts)
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		resp, err := handler(ctx, req)
		return resp, o.serverError(ctx, info.FullMethod, err)
	}
}

// StreamServer is [UnaryServer] for streams.
func StreamServer(opts ...Option) grpc.StreamServerInterceptor {
	o := optionsOf(opts)
	return func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		return o.serverError(stream.Context(), info.FullMethod, handler(srv, stream))
	}
}

func (o *options) serverError(ctx context.Context, method string, err error) error {
	if err == nil {
		return nil
	}
	if _, typed := taxonomy.First(err, nil); !typed && status.Code(err) == codes.Unimplemented {
		return status.Error(codes.Unimplemented, "method not implemented")
	}
	return o.fail(ctx, method, err).status().Err()
}

// UnaryClient returns an interceptor that returns the errors that the server sent, as [FromStatus]
// does. A call whose context ended fails with the error of the context.
func UnaryClient(opts ...Option) grpc.UnaryClientInterceptor {
	o := optionsOf(opts)
	return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoker grpc.UnaryInvoker,
		opts ...grpc.CallOption) error {
		return o.clientError(ctx, invoker(ctx, method, req, reply, cc, opts...))
	}
}

// StreamClient is [UnaryClient] for streams.
func StreamClient(opts ...Option) grpc.StreamClientInterceptor {
	o := optionsOf(opts)
	return func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string,
		streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		stream, err := streamer(ctx, desc, cc, method, opts...)
		if err != nil {
			return nil, o.clientError(ctx, err)
		}
		return &clientStream{ClientStream: stream, options: o}, nil
	}
}

func (o *options) clientError(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return o.received(ctx, answerOfStatus(status.Convert(err)), err)
}

type clientStream struct {
	grpc.ClientStream
	options *options
}

func (s *clientStream) SendMsg(m any) error {
	return s.options.clientError(s.Context(), s.ClientStream.SendMsg(m))
}

func (s *clientStream) RecvMsg(m any) error {
	return s.options.clientError(s.Context(), s.ClientStream.RecvMsg(m))
}
