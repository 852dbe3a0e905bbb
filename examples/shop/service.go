package main

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/errgen/errgen/runtime/queue"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
	"shop.example.com/shop/client"
	"shop.example.com/shop/errs"
)

// service places orders and pays them.
type service struct {
	store   *store
	gateway *gateway
	failed  func(ctx context.Context, op string, err error) // logs and counts an error
	// requests counts the requests of all servers.
	requests report.RequestSink
}

func (s *service) place(ctx context.Context, o client.Order) error {
	if violations := violationsOf(o); len(violations) > 0 {
		return errs.NewInvalid(violations)
	}
	return retry.Do(ctx, func(ctx context.Context) error { return s.store.insert(ctx, o) },
		retry.ByTable(errs.Table), retry.ForOperation(errs.OperationPlaceOrder))
}

func violationsOf(o client.Order) (violations []taxonomy.Violation) {
	check := func(ok bool, field, description string) {
		if !ok {
			violations = append(violations, taxonomy.Violation{Field: field, Description: description})
		}
	}
	check(o.ID != "", "id", "is missing")
	check(len(o.Items) > 0, "items", "is empty")
	check(o.AmountCents > 0, "amount_cents", "is not positive")
	return violations
}

func (s *service) get(ctx context.Context, id string) (client.Order, error) {
	o, err := s.store.get(ctx, id)
	o.Card = ""
	return o, err
}

// work pays the orders that were placed, until none is left or one is to be tried again later.
func (s *service) work(ctx context.Context) error {
	for {
		o, err := s.store.next(ctx)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		state := s.pay(ctx, o)
		if state == "placed" {
			return nil
		}
		if err := s.store.close(ctx, o.ID, state); err != nil {
			return err
		}
	}
}

// pay returns the state of an order after its payment, as the taxonomy's reactions specify.
func (s *service) pay(ctx context.Context, o client.Order) (state string) {
	err := s.gateway.pay(ctx, o)
	if err != nil {
		s.failed(ctx, "pay", err)
	}
	return states[queue.Decide(ctx, errs.Table, err, queue.History{}).Action]
}

// states are the states of an order after its payment.
var states = map[queue.Action]string{
	queue.Ack: "paid", queue.Retry: "placed", queue.Park: "parked", queue.Dead: "refused",
}
