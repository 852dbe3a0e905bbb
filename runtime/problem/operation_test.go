package problem_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestUndeclaredCode(t *testing.T) {
	store := errors.New("dial tcp 10.0.0.7:5432")
	for _, c := range []struct {
		name       string
		request    string
		err        error
		opts       []problem.Option
		sent       string
		status     int
		undeclared string // the operation in the report
	}{
		{name: "declared code", request: "GET /orders/1", err: orders.NewOrderNotFound(), sent: "ORDER_NOT_FOUND",
			status: 404},
		{name: "code of every operation", request: "GET /orders/1", err: orders.NewTooMany(), sent: "TOO_MANY",
			status: 429},
		{name: "internal code", request: "GET /orders/1", err: orders.NewStoreDown().WithCause(store), sent: "INTERNAL",
			status: 500},
		{name: "undeclared code", request: "GET /orders/1", err: orders.NewOrderConflict(), sent: "ORDER_CONFLICT",
			status:     409,
			undeclared: "GetOrder"},
		{name: "undeclared code in HEAD", request: "HEAD /orders/1", err: orders.NewOrderConflict(), status: 409,
			undeclared: "GetOrder"},
		{name: "hidden", request: "GET /orders/1", err: orders.NewOrderConflict(), sent: "INTERNAL", status: 500,
			opts: []problem.Option{problem.HideUndeclared()}, undeclared: "GetOrder"},
		{name: "wrapped", request: "GET /orders/1", err: fmt.Errorf("get: %w", orders.NewOrderConflict()),
			sent: "ORDER_CONFLICT", status: 409, undeclared: "GetOrder"},
		{name: "joined, the first one is sent", request: "GET /orders/1",
			err: errors.Join(orders.NewOrderNotFound(), orders.NewOrderConflict()), sent: "ORDER_NOT_FOUND",
			status: 404},
		{name: "joined, the first one is undeclared", request: "GET /orders/1",
			err: errors.Join(orders.NewOrderConflict(), orders.NewOrderNotFound()), sent: "ORDER_CONFLICT", status: 409,
			undeclared: "GetOrder"},
		{name: "below a mux that removes a prefix", request: "POST /api/orders", err: orders.NewInvalid(),
			sent: "INVALID", status: 400, undeclared: "PlaceOrder"},
		{name: "declared below a mux that removes a prefix", request: "POST /api/orders",
			err:  orders.NewOrderConflict(),
			sent: "ORDER_CONFLICT", status: 409},
		{name: "no operation", request: "DELETE /orders/1", err: orders.NewOrderConflict(), sent: "ORDER_CONFLICT",
			status: 409},
		{name: "chosen operation", request: "DELETE /orders/1", err: orders.NewOrderConflict(), sent: "ORDER_CONFLICT",
			status: 409, opts: []problem.Option{problem.For(orders.OperationGetOrder)}, undeclared: "GetOrder"},
		{name: "chosen operation in place of the found one", request: "GET /orders/1", err: orders.NewOrderConflict(),
			sent: "ORDER_CONFLICT", status: 409, opts: []problem.Option{problem.For(orders.OperationPlaceOrder)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var reported error
			opts := append([]problem.Option{problem.ByTable(orders.Table),
				problem.OnError(func(_ *http.Request, err error) { reported = err })}, c.opts...)
			serve := problem.Handler(func(http.ResponseWriter, *http.Request) error { return c.err }, opts...)
			inner, mux := http.NewServeMux(), http.NewServeMux()
			inner.Handle("POST /orders", serve)
			mux.Handle("/api/", http.StripPrefix("/api", inner))
			mux.Handle("GET /orders/{number}", serve)
			mux.Handle("DELETE /orders/{number}", serve)

			w := httptest.NewRecorder()
			var method, path string
			_, err := fmt.Sscan(c.request, &method, &path)
			require.NoError(t, err)
			mux.ServeHTTP(w, httptest.NewRequest(method, path, nil))

			assert.Equal(t, c.status, w.Code)
			if c.sent != "" {
				var doc struct{ Code string }
				require.NoError(t, json.Unmarshal(w.Body.Bytes(), &doc))
				assert.Equal(t, c.sent, doc.Code)
			}
			assert.ErrorIs(t, reported, c.err)
			found, ok := errors.AsType[*taxonomy.Undeclared](reported)
			assert.Equal(t, c.undeclared != "", ok)
			if ok {
				assert.Equal(t, c.undeclared, found.Operation)
				assert.Equal(t, taxonomy.CodeOf(c.err), found.Code)
			}
		})
	}
}

// A 409 is not logged by default, but one that the operation does not declare is.
func TestUndeclaredCodeIsLogged(t *testing.T) {
	var log bytes.Buffer
	previous := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(previous) })
	for _, err := range []error{orders.NewOrderNotFound(), orders.NewOrderConflict()} {
		r := httptest.NewRequest("GET", "/orders/1", nil)
		problem.Write(httptest.NewRecorder(), r, err, problem.For(orders.OperationGetOrder))
	}
	assert.Equal(t, 1, bytes.Count(log.Bytes(), []byte("\n")))
	assert.Contains(t, log.String(), "GetOrder")
}
