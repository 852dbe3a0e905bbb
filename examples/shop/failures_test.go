package main

import (
	"testing"

	"github.com/errgen/errgen/runtime/dberr/pgxerr/pgxtest"
	"github.com/errgen/errgen/runtime/errtest"
	"github.com/errgen/errgen/runtime/httpcall/calltest"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"shop.example.com/shop/client"
	"shop.example.com/shop/errs"
)

var tea = client.Order{ID: "o-1", Items: []string{"tea"}, AmountCents: 450, Card: "4242424242424242"}

func TestFailures(t *testing.T) {
	errtest.Each(t, errs.Table, errs.Examples(), errs.SourceGateway, func(t *testing.T, f *errtest.Fault) error {
		h := calltest.Client(f.Script)
		bank := newGateway("http://bank", "key", h, breaker.New(breaker.Options{}), report.Sinks{})
		return bank.pay(t.Context(), tea)
	})
	errtest.Each(t, errs.Table, errs.Examples(), errs.SourcePostgres, func(t *testing.T, f *errtest.Fault) error {
		return (&service{store: &store{pgxtest.Pool(t, f.Script, nil)}}).place(t.Context(), tea)
	})
}
