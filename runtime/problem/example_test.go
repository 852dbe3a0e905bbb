package problem_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/taxonomy"
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

func writeLegacy(w http.ResponseWriter, _ *http.Request, status int, v taxonomy.PublicView) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": v.Code(), "message": v.Message()})
}

// A service keeps the format of its responses.
func ExampleRespondWith() {
	respond := problem.RespondWith(writeLegacy)
	getOrder := func(_ http.ResponseWriter, r *http.Request) error { return orders.NewOrderNotFound().WithID("o-2") }
	handler := problem.Handler(getOrder, problem.ByTable(orders.Table), respond)

	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/orders/o-2", nil))
	fmt.Println(w.Code, w.Body)
	// Output: 404 {"error":"ORDER_NOT_FOUND","message":"no order o-2"}
}

// A service logs the codes that its operations do not declare.
func ExampleOnError() {
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string,
		a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	report := problem.OnError(func(r *http.Request, err error) {
		ctx := r.Context()
		if u, ok := errors.AsType[*taxonomy.Undeclared](err); ok {
			log.ErrorContext(ctx, "undeclared error", "operation", u.Operation, "code", u.Code)
		}
	})
	getOrder := func(http.ResponseWriter, *http.Request) error { return orders.NewOrderConflict() }
	mux := http.NewServeMux()
	mux.Handle("GET /orders/{id}", problem.Handler(getOrder, problem.ByTable(orders.Table), report))
	mux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/orders/o-2", nil))
	// Output: level=ERROR msg="undeclared error" operation=GetOrder code=ORDER_CONFLICT
}
