package problem_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// requests records the outcomes of requests.
type requests struct {
	mu  sync.Mutex
	all []report.Request
}

func (s *requests) Request(_ context.Context, r report.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, r)
}

// Write counts a request that no handler of the package serves.
func TestWriteCounts(t *testing.T) {
	var sink requests
	problem.Write(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil), orders.NewOrderNotFound(),
		problem.ByTable(orders.Table), problem.CountRequests(&sink))
	want := report.Request{Domain: orders.Table.Taxonomy.Domain, Code: "ORDER_NOT_FOUND", Failed: true,
		Fault: taxonomy.FaultClient}
	assert.Equal(t, []report.Request{want}, sink.all)
}

func TestEachRequestCountsOnce(t *testing.T) {
	const client, server = taxonomy.FaultClient, taxonomy.FaultServer
	failing := func(err error) func(http.ResponseWriter, *http.Request) error {
		return func(http.ResponseWriter, *http.Request) error { return err }
	}
	answering := func(status int) func(http.ResponseWriter, *http.Request) error {
		return func(w http.ResponseWriter, _ *http.Request) error { w.WriteHeader(status); return nil }
	}
	for _, c := range []struct {
		name, request string
		serve         func(http.ResponseWriter, *http.Request) error
		want          report.Request // without the domain
	}{
		{"success", "GET /orders/1", answering(204), report.Request{Operation: "GetOrder"}},
		{"nothing written", "GET /orders/1", failing(nil), report.Request{Operation: "GetOrder"}},
		{"fault of the client", "GET /orders/1", failing(orders.NewOrderNotFound()),
			report.Request{Operation: "GetOrder", Code: "ORDER_NOT_FOUND", Failed: true, Fault: client}},
		{"internal code", "GET /orders/1", failing(orders.NewStoreDown()),
			report.Request{Operation: "GetOrder", Code: "STORE_DOWN", Failed: true,
				Fault: taxonomy.FaultOf(orders.NewStoreDown())}},
		{"error of no taxonomy", "GET /orders/1", failing(http.ErrNoCookie),
			report.Request{Operation: "GetOrder", Code: "UNEXPECTED", Failed: true, Fault: server}},
		{"undeclared code", "GET /orders/1", failing(orders.NewOrderConflict()),
			report.Request{Operation: "GetOrder", Code: "ORDER_CONFLICT", Failed: true, Fault: client}},
		{"panic", "GET /orders/1", func(http.ResponseWriter, *http.Request) error { panic("lost") },
			report.Request{Operation: "GetOrder", Code: "UNEXPECTED", Failed: true, Fault: server}},
		{"aborted", "GET /orders/1", func(http.ResponseWriter, *http.Request) error { panic(http.ErrAbortHandler) },
			report.Request{Operation: "GetOrder", Failed: true, Fault: server}},
		{"cancelled by the client", "GET /orders/cancelled",
			func(_ http.ResponseWriter, r *http.Request) error { return r.Context().Err() },
			report.Request{Operation: "GetOrder", Failed: true, Fault: client}},
		{"status of the client's fault", "GET /orders/1", answering(403),
			report.Request{Operation: "GetOrder", Failed: true, Fault: client}},
		{"status of the server's fault", "GET /orders/1", answering(503),
			report.Request{Operation: "GetOrder", Failed: true, Fault: server}},
		{"informational status", "GET /orders/1", func(w http.ResponseWriter, _ *http.Request) error {
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusBadGateway)
			return nil
		}, report.Request{Operation: "GetOrder", Failed: true, Fault: server}},
		{"below a mux that removes a prefix", "POST /api/orders", failing(orders.NewOrderConflict()),
			report.Request{Operation: "PlaceOrder", Code: "ORDER_CONFLICT", Failed: true, Fault: client}},
		{"no operation", "DELETE /orders/1", failing(nil), report.Request{}},
		{"unknown path", "GET /nowhere", nil,
			report.Request{Code: "ORDER_NOT_FOUND", Failed: true, Fault: client}},
		{"unknown method", "PUT /orders/1", nil, report.Request{Failed: true, Fault: client}},
		{"plain handler", "GET /plain", nil, report.Request{Failed: true, Fault: server}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sink := &requests{}
			opts := []problem.Option{problem.ByTable(orders.Table), problem.CountRequests(sink),
				problem.OnError(func(*http.Request, error) {})}
			api, mux := http.NewServeMux(), http.NewServeMux()
			h := problem.Handler(c.serve, opts...)
			api.Handle("POST /orders", h)
			mux.Handle("GET /orders/{id}", h)
			mux.Handle("DELETE /orders/{id}", h)
			mux.Handle("GET /plain", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				http.Error(w, "down", http.StatusServiceUnavailable)
			}))
			mux.Handle("/api/", http.StripPrefix("/api", problem.Serve(api, opts...)))
			method, path, _ := strings.Cut(c.request, " ")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if path == "/orders/cancelled" {
				cancel()
			}
			func() {
				defer func() { _ = recover() }() // the server of net/http does it
				problem.Serve(mux, opts...).ServeHTTP(httptest.NewRecorder(),
					httptest.NewRequestWithContext(ctx, method, path, nil))
			}()
			c.want.Domain = orders.Table.Taxonomy.Domain
			assert.Equal(t, []report.Request{c.want}, sink.all)
		})
	}
}
