// Package operations serves the operations of the taxonomy, with the findings in comments `want`.
package operations

import (
	"context"
	"net/http"
	"os"

	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/vet/internal/infer/testdata/errs"
	"github.com/errgen/errgen/vet/internal/infer/testdata/operations/ordersrpc"
)

// Routes returns the handlers.
func Routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /orders", problem.Handler(place, problem.ByTable(errs.Table)))       // want "POST /orders can return NOT_FOUND, which .* PlaceOrder does not declare: .*operations.go:"
	mux.Handle("GET example.com/orders/{number}", problem.Handler(get))                   // want "can return DECLINED, which .* GetOrder does not declare"
	mux.Handle("/orders/{id}", problem.Handler(getOrDelete, problem.ByTable(errs.Table))) // want "/orders/.id. can return EXISTS, which .* GetOrder or DeleteOrder does not declare"
	mux.Handle("/other", problem.Handler(place, problem.For(errs.OperationGetOrder)))     // want "/other can return EXISTS, which .* GetOrder does not declare"
	mux.Handle("GET /else", problem.Handler(place, problem.ByTable(errs.Table)))          // no operation
	return mux
}

func place(w http.ResponseWriter, r *http.Request) error {
	switch r.Method {
	case "A":
		return errs.NewNotFound("1")
	case "B":
		return errs.NewDBFailed() // internal: clients see INTERNAL
	case "C":
		_, err := os.Open("x")
		return err
	}
	return errs.NewExists()
}

func get(w http.ResponseWriter, r *http.Request) error {
	if r.Method == "" {
		return errs.NewDeclined()
	}
	return errs.NewNotFound("1").WithCause(errs.NewExists())
}

func getOrDelete(w http.ResponseWriter, r *http.Request) error {
	switch r.Method {
	case "GET":
		return errs.NewNotFound("1")
	case "DELETE":
		return errs.NewClosed()
	}
	return errs.NewExists()
}

type service struct{}

func (service) Place(_ context.Context, id string) (string, error) { // want "service.Place can return CLOSED, which .* PlaceOrder does not declare"
	return "", errs.NewClosed()
}

func (service) Get(_ context.Context, id string) (string, error) { // want "service.Get can return EXISTS, which .* GetOrder does not declare"
	return "", errs.NewExists()
}

// Serve registers the services.
func Serve() {
	ordersrpc.RegisterOrdersServer(nil, service{})
	_, _ = ordersrpc.NewOrdersHandler(service{})
}
