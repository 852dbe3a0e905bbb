// Package shop is the service of README.md.
package shop

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/retry"

	errs "example.com/shop/readme"
)

type shop struct{ db *sql.DB }

func (s *shop) item(ctx context.Context, id string) (item string, err error) {
	err = retry.Do(ctx, func(ctx context.Context) error { // up to 3 calls while the database is down
		err := s.db.QueryRowContext(ctx, "SELECT item FROM orders WHERE id = $1", id).Scan(&item)
		if errors.Is(err, sql.ErrNoRows) {
			return errs.NewOrderNotFound(id)
		} else if err != nil {
			return errs.NewStoreDown().WithCause(err)
		}
		return nil
	}, retry.ByTable(errs.Table))
	return item, err
}

func (s *shop) serveItem(w http.ResponseWriter, r *http.Request) error {
	item, err := s.item(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(item)
}

func (s *shop) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /orders/{id}", problem.Handler(s.serveItem, problem.ByTable(errs.Table)))
	return mux
}
