package grpcerr_test

import (
	"errors"
	"fmt"

	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/rpc/grpcerr"
)

// A server sends a status, and a client gets the typed error back. The interceptors do both.
func Example() {
	s := grpcerr.Status(orders.NewOrderNotFound().WithID("o-2"))
	fmt.Println(s.Code(), s.Message())

	err := grpcerr.FromStatus(s, orders.Table)
	fmt.Println(errors.Is(err, orders.CodeOrderNotFound))
	// Output:
	// NotFound no order o-2
	// true
}
