package details_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"connectrpc.com/connect"
	"github.com/stretchr/testify/assert"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/rpc"
	"github.com/errgen/errgen/runtime/rpc/connecterr"
	"github.com/errgen/errgen/runtime/rpc/grpcerr"
	"github.com/errgen/errgen/runtime/taxonomy"
)

type requests []report.Request

func (s *requests) Request(_ context.Context, r report.Request) { *s = append(*s, r) }

// serverStream is a stream of gRPC that ends without messages.
type serverStream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s serverStream) Context() context.Context { return s.ctx }

func TestEachCallCountsOnce(t *testing.T) {
	const client, server = taxonomy.FaultClient, taxonomy.FaultServer
	servers := map[string]func(ctx context.Context, fail fails, o ...rpc.Option){
		"gRPC unary": func(ctx context.Context, fail fails, o ...rpc.Option) {
			_, _ = grpcerr.UnaryServer(o...)(ctx, nil, &grpc.UnaryServerInfo{FullMethod: procedure},
				func(ctx context.Context, _ any) (any, error) { return nil, fail(ctx) })
		},
		"gRPC stream": func(ctx context.Context, fail fails, o ...rpc.Option) {
			_ = grpcerr.StreamServer(o...)(nil, serverStream{ctx: ctx}, &grpc.StreamServerInfo{FullMethod: procedure},
				func(_ any, s grpc.ServerStream) error { return fail(s.Context()) })
		},
		"Connect unary": func(ctx context.Context, fail fails, o ...rpc.Option) {
			serveConnect(ctx, connect.NewUnaryHandler(procedure,
				func(ctx context.Context, _ *connect.Request[emptypb.Empty]) (*connect.Response[emptypb.Empty], error) {
					return connect.NewResponse(&emptypb.Empty{}), fail(ctx)
				}, connect.WithInterceptors(connecterr.Interceptor(o...))), "application/proto")
		},
		"Connect stream": func(ctx context.Context, fail fails, o ...rpc.Option) {
			serveConnect(ctx, connect.NewClientStreamHandler(procedure, func(ctx context.Context,
				_ *connect.ClientStream[emptypb.Empty]) (*connect.Response[emptypb.Empty], error) {
				return connect.NewResponse(&emptypb.Empty{}), fail(ctx)
			}, connect.WithInterceptors(connecterr.Interceptor(o...))), "application/connect+proto")
		},
	}
	for _, tt := range []struct {
		name string
		fail fails
		want report.Request // without domain and operation
	}{
		{"success", func(context.Context) error { return nil }, report.Request{}},
		{"fault of the client", func(context.Context) error { return orders.NewOrderNotFound() },
			report.Request{Code: "ORDER_NOT_FOUND", Failed: true, Fault: client}},
		{"internal code", func(context.Context) error { return orders.NewStoreDown() },
			report.Request{Code: "STORE_DOWN", Failed: true, Fault: taxonomy.FaultOf(orders.NewStoreDown())}},
		{"error of no taxonomy", func(context.Context) error { return errors.New("lost") },
			report.Request{Code: "UNEXPECTED", Failed: true, Fault: server}},
		{"panic", func(context.Context) error { panic("lost") },
			report.Request{Code: "UNEXPECTED", Failed: true, Fault: server}},
		{"cancelled", func(ctx context.Context) error {
			ctx.Value(cancelKey{}).(context.CancelFunc)()
			return ctx.Err()
		}, report.Request{Failed: true, Fault: client}},
	} {
		for name, serve := range servers {
			t.Run(tt.name+" "+name, func(t *testing.T) {
				var sink requests
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				func() {
					defer func() { _ = recover() }()
					serve(context.WithValue(ctx, cancelKey{}, cancel), tt.fail,
						append(options, rpc.CountRequests(&sink))...)
				}()
				want := tt.want
				want.Domain, want.Operation = orders.Table.Taxonomy.Domain, "GetOrder"
				assert.Equal(t, requests{want}, sink)
			})
		}
	}
	for name, tt := range map[string]struct {
		serve string
		err   error
		want  taxonomy.Fault
	}{
		"unimplemented":              {"gRPC unary", status.Error(codes.Unimplemented, ""), server},
		"status that Connect keeps":  {"Connect unary", connect.NewError(connect.CodePermissionDenied, nil), client},
		"status of the server fault": {"Connect unary", connect.NewError(connect.CodeUnavailable, nil), server},
	} {
		t.Run(name, func(t *testing.T) {
			var sink requests
			servers[tt.serve](t.Context(), func(context.Context) error { return tt.err },
				append(options, rpc.CountRequests(&sink))...)
			assert.Equal(t, requests{{Domain: orders.Table.Taxonomy.Domain, Operation: "GetOrder", Failed: true,
				Fault: tt.want}}, sink)
		})
	}
}

// cancelKey is the key of the function that cancels a call as its client does.
type cancelKey struct{}

func serveConnect(ctx context.Context, h http.Handler, contentType string) {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, procedure, http.NoBody)
	r.Header.Set("Content-Type", contentType)
	h.ServeHTTP(httptest.NewRecorder(), r)
}
