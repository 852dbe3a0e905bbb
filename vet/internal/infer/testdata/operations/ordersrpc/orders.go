// Package ordersrpc has the names that generated packages of gRPC and Connect have.
package ordersrpc

import (
	"context"
	"net/http"
)

// The full methods.
const (
	Orders_Place_FullMethodName = "/shop.v1.Orders/Place"
	OrdersGetProcedure          = "/shop.v1.Orders/Get"
)

// OrdersServer is the service of gRPC.
type OrdersServer interface {
	Place(ctx context.Context, id string) (string, error)
}

// RegisterOrdersServer registers the service of gRPC.
func RegisterOrdersServer(registrar any, service OrdersServer) {}

// OrdersHandler is the service of Connect.
type OrdersHandler interface {
	Get(ctx context.Context, id string) (string, error)
}

// NewOrdersHandler returns the handler of the service of Connect.
func NewOrdersHandler(service OrdersHandler, options ...any) (string, http.Handler) {
	return "/shop.v1.Orders/", nil
}
