package main

import (
	"context"

	"google.golang.org/grpc"

	"github.com/errgen/errgen/runtime/rpc"
	"github.com/errgen/errgen/runtime/rpc/grpcerr"
	"shop.example.com/shop/client"
	"shop.example.com/shop/errs"
	"shop.example.com/shop/orderspb"
)

// grpcServer returns the gRPC API.
func (s *service) grpcServer() *grpc.Server {
	intercept := grpcerr.UnaryServer(rpc.ByTable(errs.Table), rpc.OnError(s.failed), rpc.CountRequests(s.requests),
		grpcerr.Localize(languages.Message))
	server := grpc.NewServer(grpc.ChainUnaryInterceptor(intercept))
	orderspb.RegisterOrdersServer(server, ordersServer{service: s})
	return server
}

type ordersServer struct {
	orderspb.UnimplementedOrdersServer
	service *service
}

func (o ordersServer) Place(ctx context.Context, in *orderspb.Order) (*orderspb.Order, error) {
	order := client.Order{ID: in.Id, Items: in.Items, AmountCents: in.AmountCents, Card: in.Card}
	return &orderspb.Order{Id: in.Id}, o.service.place(ctx, order)
}

func (o ordersServer) Get(ctx context.Context, in *orderspb.GetRequest) (*orderspb.Order, error) {
	order, err := o.service.get(ctx, in.Id)
	return &orderspb.Order{Id: order.ID, Items: order.Items, AmountCents: order.AmountCents, State: order.State}, err
}
