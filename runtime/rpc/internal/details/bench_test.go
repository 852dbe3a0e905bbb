package details_test

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/rpc"
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
