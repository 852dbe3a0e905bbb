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
	option := problem.ByTable(errs.Table)
	mux.Handle("POST /orders", problem.Handler(place, option))           // want "POST .* NOT_FOUND, .* PlaceOrder"
	mux.Handle("GET example.com/orders/{number}", problem.Handler(get))  // want "can return DECLINED, .* GetOrder does"
	mux.Handle("/orders/{id}", problem.Handler(getOrDelete, option))     // want "EXISTS, .* GetOrder or DeleteOrder"
	mux.Handle("GET /else", problem.Handler(place, option))              // no operation
	other := problem.Handler(place, problem.For(errs.OperationGetOrder)) // want "/other can return EXISTS"
	mux.Handle("/other", other)
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

func (service) Place(context.Context, string) (string, error) { // want "service.Place can return CLOSED, .* PlaceOrder"
	return "", errs.NewClosed()
}

func (service) Get(_ context.Context, id string) (string, error) { // want "service.Get can return EXISTS, .* GetOrder"
	return "", errs.NewExists()
}

// Serve registers the services.
func Serve() {
	ordersrpc.RegisterOrdersServer(nil, service{})
	_, _ = ordersrpc.NewOrdersHandler(service{})
}
