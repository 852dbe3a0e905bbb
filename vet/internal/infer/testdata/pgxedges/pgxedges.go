// Package pgxedges has functions that call PostgreSQL through pgxerr.
package pgxedges

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/errgen/errgen/runtime/dberr/pgxerr"

	"github.com/errgen/errgen/vet/internal/infer/testdata/errs"
)

// Store is a store in PostgreSQL.
type Store struct{ db *pgxerr.DB }

// Open returns a store.
func Open(pool *pgxpool.Pool) *Store { return &Store{pgxerr.Wrap(pool, errs.Table, errs.SourceDB)} }

// want: DB_DOWN DB_FAILED (context) foreign(pgxerr.DB.Exec)
func (s *Store) Exec(ctx context.Context) error {
	_, err := s.db.Exec(ctx, "DELETE FROM orders")
	return err
}

// want: NOT_FOUND DB_DOWN DB_FAILED (context) foreign(v5.Row.Scan)
func (s *Store) Get(ctx context.Context) error {
	var id string
	err := s.db.QueryRow(ctx, "SELECT id FROM orders").Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return errs.NewNotFound(id)
	}
	return err
}

// want: EXISTS DB_DOWN DB_FAILED UNEXPECTED (context)
func (s *Store) Put(ctx context.Context) error {
	return pgxerr.Tx(ctx, s.db, errs.Table, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "INSERT INTO orders"); err != nil {
			return err
		}
		return errs.NewExists()
	})
}
