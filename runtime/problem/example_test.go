package problem_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/problem"
)

// A handler returns an error, and the client gets the same typed error.
func Example() {
	getOrder := func(_ http.ResponseWriter, r *http.Request) error {
		return orders.NewOrderNotFound().WithID(r.PathValue("id"))
	}
	mux := http.NewServeMux()
	mux.Handle("GET /orders/{id}", problem.Handler(getOrder, problem.ByTable(orders.Table)))
	server := httptest.NewServer(mux)
	defer server.Close()

	resp, err := server.Client().Get(server.URL + "/orders/o-2")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	err = problem.Read(resp, orders.Table)
	fmt.Println(resp.StatusCode, errors.Is(err, orders.CodeOrderNotFound), err)
	// Output: 404 true no order o-2
}
