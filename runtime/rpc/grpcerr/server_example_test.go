package grpcerr_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/interop/grpc_testing"

	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/rpc"
	"github.com/errgen/errgen/runtime/rpc/grpcerr"
)

type service struct {
	grpc_testing.UnimplementedTestServiceServer
}

func (service) EmptyCall(context.Context, *grpc_testing.Empty) (*grpc_testing.Empty, error) {
	panic("lost")
}

// A server answers a panic with the public code of its taxonomy.
func ExampleServer() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	server := grpc.NewServer(grpcerr.Server(rpc.ByTable(orders.Table), rpc.RequestID(orders.RequestID),
		rpc.Timeout(10*time.Second, time.Hour),
		rpc.OnError(report.Log(slog.New(slog.DiscardHandler), nil, orders.Table)))...)
	grpc_testing.RegisterTestServiceServer(server, service{})
	go func() { _ = server.Serve(listener) }()
	defer server.Stop()

	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithChainUnaryInterceptor(grpcerr.UnaryClient(rpc.ByTable(orders.Table))))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	_, err = grpc_testing.NewTestServiceClient(conn).EmptyCall(context.Background(), &grpc_testing.Empty{})
	fmt.Println(errors.Is(err, orders.CodeInternal))
	// Output: true
}
