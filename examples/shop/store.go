package main

import (
	"context"
	_ "embed"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/errgen/errgen/runtime/dberr"
	"shop.example.com/shop/client"
	"shop.example.com/shop/errs"
)

//go:embed schema.sql
var schema string

// store keeps orders in PostgreSQL.
type store struct{ db *pgxpool.Pool }

func openStore(ctx context.Context, url string) (*store, error) {
	db, err := pgxpool.New(ctx, url)
	if err != nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, schema); err != nil {
		db.Close()
		return nil, err
	}
	return &store{db}, nil
}

// classified returns the error of the taxonomy for an error of PostgreSQL.
func classified(err error) error { return dberr.Classify(errs.Table, errs.SourcePostgres, err, false) }

func (s *store) insert(ctx context.Context, o client.Order) error {
	_, err := s.db.Exec(ctx, "INSERT INTO orders (id, items, amount_cents, card) VALUES ($1, $2, $3, $4)",
		o.ID, o.Items, o.AmountCents, o.Card)
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.ConstraintName == "orders_pkey" {
		return errs.NewOrderExists(o.ID).WithCause(err)
	}
	return classified(err)
}

func (s *store) get(ctx context.Context, id string) (client.Order, error) {
	rows, _ := s.db.Query(ctx, "SELECT id, items, amount_cents, card, state FROM orders WHERE id = $1", id)
	o, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[client.Order])
	if errors.Is(err, pgx.ErrNoRows) {
		return o, errs.NewOrderNotFound(id).WithCause(err)
	}
	return o, classified(err)
}

// next returns an order that is to be paid; none is pgx.ErrNoRows in the error's tree.
func (s *store) next(ctx context.Context) (client.Order, error) {
	rows, _ := s.db.Query(ctx,
		"SELECT id, items, amount_cents, card, state FROM orders WHERE state = 'placed' ORDER BY id LIMIT 1")
	o, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[client.Order])
	return o, classified(err)
}

// close moves an order from placed to another state.
func (s *store) close(ctx context.Context, id, state string) error {
	tag, err := s.db.Exec(ctx, "UPDATE orders SET state = $2 WHERE id = $1 AND state = 'placed'", id, state)
	if err == nil && tag.RowsAffected() == 0 {
		return errs.NewOrderClosed(id)
	}
	return classified(err)
}
