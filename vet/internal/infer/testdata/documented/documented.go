// Package documented has the examples of docs/vet.md.
package documented

import (
	"context"
	"errors"

	"github.com/errgen/errgen/vet/internal/infer/testdata/errs"
)

// Order is an order.
type Order struct{}

type Store interface {
	// Order returns an order.
	//
	//errgen:errors NOT_FOUND DB_DOWN foreign
	Order(ctx context.Context, id string) (Order, error)
}

// want: NOT_FOUND DB_DOWN foreign(a_contract_with_foreign_errors)
func Use(ctx context.Context, s Store) error {
	_, err := s.Order(ctx, "1")
	return err
}

// Switch has an exhaustive switch.
func Switch(ctx context.Context, s Store) int {
	_, err := s.Order(ctx, "1")
	e, ok := errors.AsType[*errs.OrderError](err)
	if !ok {
		return 0
	}
	//errgen:exhaustive
	switch e.Code() {
	case errs.CodeNotFound:
		return 404
	}
	return 500
}
