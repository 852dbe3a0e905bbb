package main

import (
	"encoding/json"
	"net/http"

	"github.com/errgen/errgen/runtime/localize/negotiate"
	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/taxonomy"
	"shop.example.com/shop/client"
	"shop.example.com/shop/errs"
	"shop.example.com/shop/errs/messages"
)

// languages are those of the messages that clients get.
var languages = negotiate.New("en", &messages.De, &messages.Fr, &messages.Pl)

// routes returns the HTTP API.
func (s *service) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, serve := range map[string]func(http.ResponseWriter, *http.Request) error{
		"POST /orders":     s.servePlace,
		"GET /orders/{id}": s.serveGet,
	} {
		mux.Handle(pattern, problem.Handler(serve, problem.ByTable(errs.Table), problem.Localize(languages.Message),
			problem.OnError(func(r *http.Request, err error) { s.failed(r.Context(), r.Pattern, err) })))
	}
	return identified(problem.Serve(mux))
}

// identified sets the field requestId of all errors of a request.
func identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if id := r.Header.Get("X-Request-Id"); id != "" {
			r = r.WithContext(taxonomy.ContextWith(r.Context(), errs.RequestID(id)))
		}
		next.ServeHTTP(w, r)
	})
}

func (s *service) servePlace(w http.ResponseWriter, r *http.Request) error {
	var o client.Order
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&o); err != nil {
		return errs.NewInvalid([]taxonomy.Violation{{Description: "not an order"}}).WithCause(err)
	}
	if err := s.place(r.Context(), o); err != nil {
		return err
	}
	w.Header().Set("Location", "/orders/"+o.ID)
	w.WriteHeader(http.StatusCreated)
	return nil
}

func (s *service) serveGet(w http.ResponseWriter, r *http.Request) error {
	o, err := s.get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(o)
}
