package connecterr_test

import (
	"errors"
	"fmt"

	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/rpc/connecterr"
)

// A server sends a Connect error, and a client gets the typed error back. The interceptor does
// both.
func Example() {
	sent := connecterr.New(orders.NewOrderNotFound().WithID("o-2"))
	fmt.Println(sent.Code(), sent.Message())

	err := connecterr.From(sent, orders.Table)
	fmt.Println(errors.Is(err, orders.CodeOrderNotFound))
	// Output:
	// not_found no order o-2
	// true
}
