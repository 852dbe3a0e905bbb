package details_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/rpc"
	"github.com/errgen/errgen/runtime/rpc/connecterr"
	"github.com/errgen/errgen/runtime/rpc/grpcerr"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const idHeader = "x-request-id"

// servers are real servers that fail with an error: a unary call, or the end of a stream. The client
// sends a request id, unless it is empty, and returns the one of the response.
var servers = map[string]func(t *testing.T, fail fails, id string, o ...rpc.Option) (sent string, err error){
	"gRPC unary": func(t *testing.T, fail fails, id string, o ...rpc.Option) (string, error) {
		var header metadata.MD
		_, err := startGRPC(t, fail, o, options).EmptyCall(
			withID(t.Context(), id), &grpc_testing.Empty{}, grpc.Header(&header))
		return first(header[idHeader]), err
	},
	"gRPC stream": func(t *testing.T, fail fails, id string, o ...rpc.Option) (string, error) {
		stream, err := startGRPC(t, fail, o, options).StreamingOutputCall(withID(t.Context(), id),
			&grpc_testing.StreamingOutputCallRequest{})
		require.NoError(t, err)
		_, err = stream.Recv()
		require.NoError(t, err)
		header, _ := stream.Header()
		_, err = stream.Recv()
		return first(header[idHeader]), err
	},
	"Connect unary": func(t *testing.T, fail fails, id string, o ...rpc.Option) (string, error) {
		r := connect.NewRequest(&emptypb.Empty{})
		if id != "" {
			r.Header().Set(idHeader, id)
		}
		resp, err := startConnect(t, fail, procedure, o, options).CallUnary(t.Context(), r)
		if failed, ok := errors.AsType[*connect.Error](err); ok {
			return failed.Meta().Get(idHeader), err
		} else if err != nil {
			return "", err
		}
		return resp.Header().Get(idHeader), nil
	},
	"Connect stream": func(t *testing.T, fail fails, id string, o ...rpc.Option) (string, error) {
		r := connect.NewRequest(&emptypb.Empty{})
		if id != "" {
			r.Header().Set(idHeader, id)
		}
		stream, err := startConnect(t, fail, procedure+"Stream", o, options).CallServerStream(t.Context(), r)
		require.NoError(t, err)
		defer stream.Close()
		require.True(t, stream.Receive())
		assert.False(t, stream.Receive())
		return stream.ResponseHeader().Get(idHeader), stream.Err()
	},
}

func withID(ctx context.Context, id string) context.Context {
	if id == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, idHeader, id)
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// startGRPC starts a server whose methods fail, and returns a client.
func startGRPC(t *testing.T, fail fails, o, client []rpc.Option) grpc_testing.TestServiceClient {
	t.Helper()
	s := grpc.NewServer(grpcerr.Server(o...)...)
	grpc_testing.RegisterTestServiceServer(s, server{fail: fail})
	return dial(t, s, grpc.WithChainUnaryInterceptor(grpcerr.UnaryClient(client...)),
		grpc.WithChainStreamInterceptor(grpcerr.StreamClient(client...)))
}

// startConnect starts a server whose procedures fail, and returns a client of one of them.
func startConnect(t *testing.T, fail fails, called string, o, client []rpc.Option,
) *connect.Client[emptypb.Empty, emptypb.Empty] {
	t.Helper()
	intercept := connect.WithInterceptors(connecterr.Interceptor(o...))
	mux := http.NewServeMux()
	mux.Handle(procedure, connect.NewUnaryHandler(procedure,
		func(ctx context.Context, _ *connect.Request[emptypb.Empty]) (*connect.Response[emptypb.Empty], error) {
			return connect.NewResponse(&emptypb.Empty{}), fail(ctx)
		}, intercept))
	mux.Handle(procedure+"Stream", connect.NewServerStreamHandler(procedure+"Stream",
		func(ctx context.Context, _ *connect.Request[emptypb.Empty], s *connect.ServerStream[emptypb.Empty]) error {
			if err := s.Send(&emptypb.Empty{}); err != nil {
				return err
			}
			return fail(ctx)
		}, intercept))
	h := httptest.NewServer(mux)
	t.Cleanup(h.Close)
	return connect.NewClient[emptypb.Empty, emptypb.Empty](
		h.Client(), h.URL+called, connect.WithInterceptors(connecterr.Interceptor(client...)))
}

// observed is what a server reports. Its methods are called by the goroutines of the server.
type observed struct {
	mu       sync.Mutex
	failures []error
	requests []report.Request
}

func (o *observed) Request(_ context.Context, r report.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.requests = append(o.requests, r)
}

func (o *observed) fail(_ context.Context, _ string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failures = append(o.failures, err)
}

// A panic is answered and reported like an error, and counted once.
func TestPanic(t *testing.T) {
	for name, call := range servers {
		t.Run(name, func(t *testing.T) {
			o := &observed{}
			_, err := call(t, func(context.Context) error { panic("hunter2") }, "r-1", rpc.ByTable(orders.Table),
				rpc.OnError(o.fail), rpc.CountRequests(o), rpc.RequestID(orders.RequestID))
			require.ErrorIs(t, err, orders.CodeInternal)
			assert.NotContains(t, err.Error(), "hunter2")
			e, ok := errors.AsType[*orders.RequestError](err)
			require.True(t, ok)
			assert.Equal(t, taxonomy.Some("r-1"), e.RequestID)
			o.mu.Lock()
			defer o.mu.Unlock()
			require.Len(t, o.failures, 1)
			require.ErrorIs(t, o.failures[0], orders.CodeUnexpected)
			p, ok := errors.AsType[*taxonomy.Panic](o.failures[0])
			require.True(t, ok)
			assert.Equal(t, "hunter2", p.Value)
			assert.Contains(t, string(p.Stack), "TestPanic")
			require.Len(t, o.requests, 1)
			assert.Equal(t, "UNEXPECTED", o.requests[0].Code)
		})
	}
}

func TestRequestID(t *testing.T) {
	for name, call := range servers {
		for _, tt := range []struct{ name, sent, want string }{
			{"kept", "r-1", "r-1"}, {"not valid", "r 1", ""}, {"new", "", ""},
		} {
			t.Run(name+" "+tt.name, func(t *testing.T) {
				for _, failure := range []error{orders.NewInternal(), nil} {
					var attributes []taxonomy.Attribute
					sent, err := call(t, func(ctx context.Context) error {
						attributes = taxonomy.ContextAttributes(ctx)
						return failure
					}, tt.sent, append(options, rpc.RequestID(orders.RequestID))...)
					if tt.want == "" {
						assert.Len(t, sent, 26, "a new id")
					} else {
						assert.Equal(t, tt.want, sent)
					}
					assert.Len(t, attributes, 1)
					if e, ok := errors.AsType[*orders.RequestError](err); ok {
						assert.Equal(t, taxonomy.Some(sent), e.RequestID)
					}
				}
			})
		}
	}
}

// The limit of the server is a failure of the server, which the client sees as a code.
func TestTimeout(t *testing.T) {
	for name, call := range servers {
		t.Run(name, func(t *testing.T) {
			o := &observed{}
			_, err := call(t, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, "",
				rpc.ByTable(orders.Table), rpc.OnError(o.fail), rpc.Timeout(time.Millisecond, time.Millisecond))
			require.ErrorIs(t, err, orders.CodeInternal)
			o.mu.Lock()
			defer o.mu.Unlock()
			require.Len(t, o.failures, 1)
			assert.ErrorIs(t, o.failures[0], context.DeadlineExceeded)
			assert.ErrorIs(t, o.failures[0], orders.CodeUnexpected)
		})
	}
}

// A method that the server does not have is counted.
func TestUnknownMethod(t *testing.T) {
	o := &observed{}
	s := grpc.NewServer(grpcerr.Server(rpc.ByTable(orders.Table), rpc.CountRequests(o), rpc.OnError(o.fail))...)
	_, err := dial(t, s).EmptyCall(t.Context(), &grpc_testing.Empty{})
	assert.Equal(t, codes.Unimplemented, status.Code(err))
	o.mu.Lock()
	defer o.mu.Unlock()
	assert.Empty(t, o.failures)
	assert.Equal(t, []report.Request{{Domain: "orders.example", Failed: true, Fault: taxonomy.FaultServer}}, o.requests)
}

// net/http ends the connection of a handler that panics with ErrAbortHandler.
func TestConnectAborts(t *testing.T) {
	o := &observed{}
	_, err := servers["Connect unary"](t, func(context.Context) error { panic(http.ErrAbortHandler) }, "",
		rpc.ByTable(orders.Table), rpc.CountRequests(o), rpc.OnError(o.fail))
	require.Error(t, err)
	assert.NotErrorIs(t, err, orders.CodeInternal)
	o.mu.Lock()
	defer o.mu.Unlock()
	assert.Empty(t, o.failures)
	assert.Len(t, o.requests, 1)
}

// The default log has the stack of a panic.
func TestDefaultLogOfPanic(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&log, nil)))
	defer slog.SetDefault(before)
	_, err := grpcerr.UnaryServer(rpc.ByTable(orders.Table))(t.Context(), nil, &grpc.UnaryServerInfo{},
		func(context.Context, any) (any, error) { panic("lost") })
	require.Error(t, err)
	assert.Contains(t, log.String(), `"stack":"goroutine`)
}

// A refused connection has no answer. Connect's error has a code, and the cause shows what happened.
func TestRefusedConnection(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	c := connect.NewClient[emptypb.Empty, emptypb.Empty](http.DefaultClient, closed.URL+procedure,
		connect.WithInterceptors(connecterr.Interceptor(rpc.WithSource(orders.SourceGateway))))
	_, err := c.CallUnary(t.Context(), connect.NewRequest(&emptypb.Empty{}))
	ev, ok := errors.AsType[*taxonomy.Evidence](err)
	require.True(t, ok)
	assert.Equal(t, []any{"network", "ECONNREFUSED", taxonomy.EffectNone}, []any{ev.Type, ev.Errno, ev.Effect})
}
