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
	options := []problem.Option{problem.ByTable(errs.Table), problem.Log(s.failed), problem.CountRequests(s.requests),
		problem.Localize(languages.Message)}
	mux.Handle("POST /orders", problem.Handler(s.servePlace, options...))
	mux.Handle("GET /orders/{id}", problem.Handler(s.serveGet, options...))
	return problem.Serve(mux, append(options, problem.RequestID(errs.RequestID), problem.MaxBody(1<<20))...)
}

func (s *service) servePlace(w http.ResponseWriter, r *http.Request) error {
	var o client.Order
	if err := problem.DecodeJSON(r, &o); err != nil {
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
