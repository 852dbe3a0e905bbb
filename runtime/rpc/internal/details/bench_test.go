package details_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/grpc"
	"google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/internal/turns"
	"github.com/errgen/errgen/runtime/rpc"
	"github.com/errgen/errgen/runtime/rpc/connecterr"
	"github.com/errgen/errgen/runtime/rpc/grpcerr"
)

// BenchmarkServer is the cost of the interceptor for a call that succeeds, without gRPC.
func BenchmarkServer(b *testing.B) {
	info := &grpc.UnaryServerInfo{FullMethod: procedure}
	handler := func(context.Context, any) (any, error) { return nil, nil }
	table := rpc.ByTable(orders.Table)
	for name, o := range map[string][]rpc.Option{
		"table":                 {table},
		"request id and limits": {table, rpc.RequestID(orders.RequestID), rpc.Timeout(time.Minute, 0)},
	} {
		intercept := grpcerr.UnaryServer(o...)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := intercept(b.Context(), nil, info, handler); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCall is the cost of the interceptors of a server and a client for a whole call on this
// machine that succeeds.
func BenchmarkCall(b *testing.B) {
	table := rpc.ByTable(orders.Table)
	b.Run("gRPC", func(b *testing.B) {
		call := func(server []grpc.ServerOption, client ...grpc.DialOption) func() error {
			s := grpc.NewServer(server...)
			grpc_testing.RegisterTestServiceServer(s, succeeding{})
			c := dial(b, s, client...)
			return func() error {
				_, err := c.EmptyCall(b.Context(), &grpc_testing.Empty{})
				return err
			}
		}
		turns.Compare(b, call(nil),
			call(grpcerr.Server(table), grpc.WithChainUnaryInterceptor(grpcerr.UnaryClient(table))))
	})
	b.Run("Connect", func(b *testing.B) {
		call := func(o connect.Option) func() error {
			h := httptest.NewServer(connect.NewUnaryHandler(procedure,
				func(context.Context, *connect.Request[emptypb.Empty]) (*connect.Response[emptypb.Empty], error) {
					return connect.NewResponse(&emptypb.Empty{}), nil
				}, o))
			b.Cleanup(h.Close)
			c := connect.NewClient[emptypb.Empty, emptypb.Empty](h.Client(), h.URL+procedure, o)
			return func() error {
				_, err := c.CallUnary(b.Context(), connect.NewRequest(&emptypb.Empty{}))
				return err
			}
		}
		turns.Compare(b, call(connect.WithOptions()), call(connect.WithInterceptors(connecterr.Interceptor(table))))
	})
}

type succeeding struct {
	grpc_testing.UnimplementedTestServiceServer
}

func (succeeding) EmptyCall(context.Context, *grpc_testing.Empty) (*grpc_testing.Empty, error) {
	return &grpc_testing.Empty{}, nil
}
