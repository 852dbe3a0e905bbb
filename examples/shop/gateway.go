package main

import (
	"context"
	"net/http"
	"time"

	"github.com/errgen/errgen/runtime/httpcall"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"shop.example.com/shop/client"
	"shop.example.com/shop/errs"
)

// gateway is a client of the payment gateway.
type gateway struct {
	url, key string
	calls    *httpcall.Client
}

func newGateway(url, key string, h *http.Client, b *breaker.Breakers, sink report.Sink) *gateway {
	return &gateway{url, key, httpcall.New(errs.Table, errs.SourceGateway, httpcall.WithHTTP(h),
		httpcall.TryTimeout(10*time.Second), httpcall.WithRetry(retry.WithBreaker(b, "gateway"), retry.FailFast(),
			retry.WithNotify(report.CountRetries(sink))))}
}

// pay pays an order once, however often the worker tries: the order is the idempotency key.
func (g *gateway) pay(ctx context.Context, o client.Order) error {
	body := map[string]any{"order": o.ID, "cents": o.AmountCents, "card": o.Card}
	authorize := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+g.key) }
	_, err := httpcall.JSON[any](ctx, g.calls, http.MethodPost, g.url+"/payments", body, httpcall.Key(o.ID), authorize)
	return err
}
