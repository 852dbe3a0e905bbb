// Package rpcedges has functions that call remote services through the edges of the runtime. Their
// clients are of other modules.
package rpcedges

import (
	"context"

	"connectrpc.com/connect"
	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/grpc"
	health "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/errgen/errgen/runtime/queue/natsqueue"
	"github.com/errgen/errgen/runtime/rpc"
	"github.com/errgen/errgen/runtime/rpc/connecterr"
	"github.com/errgen/errgen/runtime/rpc/grpcerr"

	"github.com/errgen/errgen/vet/internal/infer/testdata/errs"
)

// Dial returns a connection whose errors have the codes of the server.
func Dial() (*grpc.ClientConn, error) {
	return grpc.NewClient("shop:443", grpc.WithUnaryInterceptor(grpcerr.UnaryClient(rpc.ByTable(errs.Table))))
}

// Check calls a client that another module generated.
//
// want: NOT_FOUND EXISTS CLOSED DECLINED EXPIRED INTERNAL UNEXPECTED (context)
// foreign(grpc_health_v1.HealthClient.Check)
func Check(ctx context.Context, c health.HealthClient) error {
	_, err := c.Check(ctx, &health.HealthCheckRequest{})
	return err
}

// Client returns a client of a service.
func Client() *connect.Client[string, string] {
	table := connecterr.Interceptor(rpc.ByTable(errs.Table))
	return connect.NewClient[string, string](nil, "https://shop", connect.WithInterceptors(table))
}

// want: NOT_FOUND EXISTS CLOSED DECLINED EXPIRED INTERNAL UNEXPECTED (context)
// foreign(connect.Client[Req,_Res].CallUnary)
func Call(ctx context.Context, c *connect.Client[string, string]) error {
	request := "1"
	_, err := c.CallUnary(ctx, connect.NewRequest(&request))
	return err
}

// want: foreign(natsqueue.Run)
func Work(ctx context.Context, js jetstream.JetStream, c jetstream.Consumer) error {
	return natsqueue.Run(ctx, js, c, errs.Table, func(context.Context, jetstream.Msg) error { return errs.NewExists() })
}
