package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/moogar0880/problems"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/report"
	promreport "github.com/errgen/errgen/runtime/report/export/prometheus"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"github.com/errgen/errgen/runtime/rpc"
	"github.com/errgen/errgen/runtime/rpc/grpcerr"
	"github.com/errgen/errgen/runtime/taxonomy"
	"shop.example.com/shop/client"
	clienterrs "shop.example.com/shop/client/errs"
	"shop.example.com/shop/errs"
	"shop.example.com/shop/orderspb"
)

// shop is a service on a real database, and its clients.
type shop struct {
	*service
	client   *client.Client
	orders   orderspb.OrdersClient
	registry *prometheus.Registry
	log      *bytes.Buffer
	sink     report.Sink
}

// newShop returns a shop whose gateway answers with the statuses in turn, and then with 200.
func newShop(t *testing.T, statuses ...int) *shop {
	t.Helper()
	db, err := openStore(t.Context(), postgres(t))
	require.NoError(t, err)
	t.Cleanup(db.db.Close)
	return shopOn(t, db, statuses...)
}

func shopOn(t *testing.T, db *store, statuses ...int) *shop {
	t.Helper()
	bank := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if len(statuses) > 0 {
			w.WriteHeader(statuses[0])
			_, _ = io.WriteString(w, `{"code":"EXPIRED","message":"internal reply of the bank"}`)
			statuses = statuses[1:]
		}
	}))
	t.Cleanup(bank.Close)
	s := &shop{registry: prometheus.NewRegistry(), log: &bytes.Buffer{}}
	sink, err := promreport.Register(s.registry, errs.Table.Taxonomy)
	require.NoError(t, err)
	log := slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{ReplaceAttr: taxonomy.ReplaceAttr}))
	payments := newGateway(bank.URL, "key", bank.Client(), breaker.New(breaker.Options{}), sink)
	s.sink = sink
	s.service = &service{store: db, gateway: payments, failed: report.Log(log, sink, errs.Table), requests: sink}

	t.Cleanup(func() { // after the servers ended
		assert.NotContains(t, s.log.String(), "does not declare",
			"an operation ended in a code that it does not declare")
	})
	api := httptest.NewServer(s.routes())
	t.Cleanup(api.Close)
	s.client = &client.Client{URL: api.URL, HTTP: api.Client()}
	errors := grpcerr.UnaryClient(rpc.ByTable(errs.Table))
	s.orders = dial(t, s.grpcServer(), grpc.WithChainUnaryInterceptor(errors))
	return s
}

func dial(t *testing.T, server *grpc.Server, o ...grpc.DialOption) orderspb.OrdersClient {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = server.Serve(l) }()
	t.Cleanup(server.Stop)
	conn, err := grpc.NewClient(
		l.Addr().String(), append(o, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, conn.Close()) })
	return orderspb.NewOrdersClient(conn)
}

func TestClientsGetTypedErrors(t *testing.T) {
	s := newShop(t)
	ctx := t.Context()
	require.NoError(t, s.client.Place(ctx, tea))
	got, err := s.client.Get(ctx, "o-1")
	require.NoError(t, err)
	assert.Equal(t, client.Order{ID: "o-1", Items: []string{"tea"}, AmountCents: 450, State: "placed"}, got)

	require.NoError(t, s.client.Ensure(ctx, tea), "it exists")

	_, missing := s.client.Get(ctx, "o-2")
	_, missingRPC := s.orders.Get(ctx, &orderspb.GetRequest{Id: "o-2"})
	_, existsRPC := s.orders.Place(ctx, &orderspb.Order{Id: "o-1", Items: tea.Items, AmountCents: 1})
	for _, c := range []struct {
		err  error
		want taxonomy.Error
	}{
		{missing, errs.NewOrderNotFound("o-2")},
		{missingRPC, errs.NewOrderNotFound("o-2")},
		{s.client.Place(ctx, tea), errs.NewOrderExists("o-1")},
		{existsRPC, errs.NewOrderExists("o-1")},
		{s.client.Place(ctx, client.Order{}), errs.NewInvalid(violationsOf(client.Order{}))},
	} {
		typed, ok := taxonomy.First(c.err, nil)
		require.True(t, ok, "%v", c.err)
		assert.Equal(t, taxonomy.CodeOf(c.want), taxonomy.CodeOf(typed))
		assert.Equal(t, c.want.Error(), typed.Error())
	}
	assert.Equal(t, codes.AlreadyExists, status.Code(existsRPC))

	_, err = s.client.Get(ctx, "o\x00")
	assert.ErrorIs(t, err, clienterrs.CodeInvalidText)

	breakStore(t, s.store.db)
	_, err = s.client.Get(ctx, "o-1")
	assert.ErrorIs(t, err, clienterrs.CodeInternal)
	internal, _ := errors.AsType[*clienterrs.ServerError](err)
	assert.NotEmpty(t, internal.RequestID.Or(""))
	assert.Contains(t, s.log.String(), `"code":"STORE_FAILED"`)
	assert.Contains(t, s.metrics(t), `STORE_FAILED`)
}

// metrics returns the codes that were counted.
func (s *shop) metrics(t *testing.T) (labels []string) {
	t.Helper()
	families, err := s.registry.Gather()
	require.NoError(t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetValue())
			}
		}
	}
	return labels
}

// Requests of both protocols are counted by operation, code and fault.
func TestRequestsAreCounted(t *testing.T) {
	s := newShop(t)
	ctx := t.Context()
	require.NoError(t, s.client.Place(ctx, tea))
	for range 2 {
		_, err := s.client.Get(ctx, "o-1")
		require.NoError(t, err)
	}
	_, err := s.orders.Get(ctx, &orderspb.GetRequest{Id: "o-1"})
	require.NoError(t, err)
	_, err = s.orders.Get(ctx, &orderspb.GetRequest{Id: "o-2"})
	require.ErrorIs(t, err, errs.CodeOrderNotFound)
	_, err = s.client.Get(ctx, "o-2")
	require.ErrorIs(t, err, clienterrs.CodeOrderNotFound)
	resp, err := s.client.HTTP.Get(s.client.URL + "/nowhere")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	breakStore(t, s.store.db)
	_, err = s.client.Get(ctx, "o-1")
	require.ErrorIs(t, err, clienterrs.CodeInternal)
	assert.NoError(t, testutil.GatherAndCompare(s.registry, strings.NewReader(`
# HELP errgen_requests_total Requests to servers, by how they ended.
# TYPE errgen_requests_total counter
errgen_requests_total{code="ORDER_NOT_FOUND",domain="shop.example.com",fault="client",operation="GetOrder"} 2
errgen_requests_total{code="STORE_FAILED",domain="shop.example.com",fault="server",operation="GetOrder"} 1
errgen_requests_total{code="none",domain="shop.example.com",fault="client",operation="none"} 1
errgen_requests_total{code="none",domain="shop.example.com",fault="none",operation="GetOrder"} 3
errgen_requests_total{code="none",domain="shop.example.com",fault="none",operation="PlaceOrder"} 1
`), "errgen_requests_total"))
}

func TestWorkerFollowsTheTable(t *testing.T) {
	db := newShop(t)
	for _, c := range []struct {
		name     string
		statuses []int
		state    string
		code     string
	}{
		{"paid", nil, "paid", ""},
		{"paid after two failures", []int{503, 429}, "paid", ""},
		{"declined", []int{402}, "refused", "PAYMENT_DECLINED"},
		{"parked when the gateway refuses us", []int{401}, "parked", "PAYMENT_REFUSED"},
		{"tried again later when the breaker opens", []int{503, 503, 503, 503}, "placed", "PAYMENT_UNAVAILABLE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := shopOn(t, db.store, c.statuses...)
			o := tea
			o.ID = strings.ReplaceAll(c.name, " ", "-")
			require.NoError(t, s.client.Place(t.Context(), o))
			require.NoError(t, s.work(t.Context()))
			got, err := s.client.Get(t.Context(), o.ID)
			require.NoError(t, err)
			assert.Equal(t, c.state, got.State)
			if c.code != "" {
				assert.Contains(t, s.metrics(t), c.code)
				assert.Contains(t, s.metrics(t), "gateway", "the label source")
			}
			assert.NotContains(t, s.log.String(), tea.Card)
			if c.state == "placed" {
				require.NoError(t, s.store.close(t.Context(), o.ID, "paid"))
			}
			assert.ErrorIs(t, s.store.close(t.Context(), o.ID, "paid"), errs.CodeOrderClosed)
		})
	}
}

// While the gateway is down, its breaker opens, and workers are stopped in their calls. All orders
// are paid after it.
func TestWorkerLosesNoOrder(t *testing.T) {
	const orders = 1000
	s := newShop(t)
	_, err := s.store.db.Exec(t.Context(), `INSERT INTO orders (id, items, amount_cents, card)
		SELECT 'o-' || i, '{tea}', 450, '4242' FROM generate_series(1, $1) AS i`, orders)
	require.NoError(t, err)
	var down, stopping atomic.Bool
	var stop atomic.Pointer[context.CancelFunc]
	bank := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if stopping.Swap(false) {
			(*stop.Load())()
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}
		if down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(bank.Close)
	c := &clock{time.Now()}
	breakers := breaker.New(breaker.Options{Clock: c})
	s.gateway = newGateway(bank.URL, "key", bank.Client(), breakers, s.sink)
	seconds := func(n int) {
		for i := range n {
			ctx, cancel := context.WithCancel(t.Context())
			stop.Store(&cancel)
			stopping.Store(i%5 == 0)
			_ = s.work(ctx)
			cancel()
			c.now = c.now.Add(time.Second)
		}
	}
	states := func() map[string]int {
		rows, err := s.store.db.Query(t.Context(), "SELECT state, count(*) FROM orders GROUP BY state")
		require.NoError(t, err)
		states := map[string]int{}
		var state string
		var n int
		_, err = pgx.ForEachRow(rows, []any{&state, &n}, func() error { states[state] = n; return nil })
		require.NoError(t, err)
		return states
	}
	down.Store(true)
	seconds(60)
	assert.Contains(t, s.metrics(t), "PAYMENT_UNAVAILABLE")
	assert.Equal(t, "open", breakers.Status()[0].State.String())
	assert.Equal(t, map[string]int{"placed": orders}, states())
	down.Store(false)
	seconds(120)
	assert.Equal(t, map[string]int{"paid": orders}, states())
}

// clock is a clock that the test advances.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func (c *clock) Sleep(context.Context, time.Duration) error { return nil }

// An independent library reads the documents.
func TestProblemDocument(t *testing.T) {
	h := (&service{failed: report.Log(slog.New(slog.DiscardHandler), nil, errs.Table)}).routes()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/orders", strings.NewReader("{"))
	r.Header.Set("X-Request-Id", "r-1")
	h.ServeHTTP(w, r)
	var p problems.Problem
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &p))
	_, err := p.Validate()
	require.NoError(t, err)
	assert.Equal(t, problems.ProblemMediaType, w.Header().Get("Content-Type"))
	assert.Equal(t, "https://shop.example.com/errors/INVALID", p.Type)
	assert.Equal(t, http.StatusBadRequest, p.Status)
	assert.Contains(t, w.Body.String(), `"requestId":"r-1"`)
}

func TestFailedLogsByCause(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		ctx  context.Context
		fail func(context.Context) error
		want string // in the log; empty for no entry
	}{
		"mistake":   {t.Context(), func(context.Context) error { return errs.NewOrderNotFound("o-1") }, "level=INFO"},
		"failure":   {t.Context(), func(context.Context) error { return errs.NewConfigMissing("key") }, "level=ERROR"},
		"panic":     {t.Context(), func(context.Context) error { panic("lost") }, "stack=\"goroutine"},
		"cancelled": {cancelled, func(ctx context.Context) error { return ctx.Err() }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			failed := report.Log(slog.New(slog.NewTextHandler(&log, nil)), nil, errs.Table)
			serve := func(_ http.ResponseWriter, r *http.Request) error { return test.fail(r.Context()) }
			h := problem.Handler(serve, problem.ByTable(errs.Table), problem.Log(failed))
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(test.ctx, http.MethodGet, "/", nil))
			assert.Contains(t, log.String(), test.want)
			assert.Equal(t, test.want == "", log.Len() == 0)
		})
	}
}

func TestRunNeedsSettings(t *testing.T) {
	err := run(context.Background(), slog.New(slog.DiscardHandler), func(string) string { return "" })
	assert.Equal(t, errs.NewConfigMissing("DATABASE_URL"), err)
}

func TestCIScript(t *testing.T) {
	pages := t.TempDir()
	out, err := exec.Command("./ci.sh", "taxonomy.yaml", pages).CombinedOutput()
	assert.NoError(t, err, "%s", out)
	assert.FileExists(t, filepath.Join(pages, "ORDER_NOT_FOUND", "index.html"))
	assert.NoFileExists(t, filepath.Join(pages, "STORE_FAILED", "index.html"), "an internal code")
	released, err := os.ReadFile("taxonomy.yaml")
	require.NoError(t, err)
	old := filepath.Join(t.TempDir(), "released.yaml")
	require.NoError(t, os.WriteFile(old, bytes.Replace(released, []byte("http: 404"), []byte("http: 410"), 1), 0o644))
	out, err = exec.Command("./ci.sh", old, pages).CombinedOutput()
	assert.Error(t, err)
	assert.Contains(t, string(out), "ORDER_NOT_FOUND")
}

// Whatever clients send, operations end in codes that they declare: newShop checks the log.
func TestRandomRequests(t *testing.T) {
	s := newShop(t)
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	codes := map[string]bool{}
	for range 400 {
		id := pick("o-1", "o-2", "%00", "%ff", "a%2fb", strings.Repeat("x", 300), "'", "o-1")
		body := pick("", "{", "null", "[]", `{"id":"o-1"}`, `{"id":"o-1","items":["tea"],"amount_cents":1}`,
			`{"id":"\u0000","items":["tea"],"amount_cents":1}`, `{"id":"o-3","items":["\u0000"],"amount_cents":-1}`,
			`{"id":"`+strings.Repeat("y", r.IntN(3000))+`","items":["tea"],"amount_cents":9223372036854775807}`)
		request, err := http.NewRequestWithContext(t.Context(), pick("GET", "HEAD", "POST", "PUT"),
			s.client.URL+pick("/orders", "/orders/"+id, "/"+id), strings.NewReader(body))
		require.NoError(t, err)
		resp, err := s.client.HTTP.Do(request)
		require.NoError(t, err)
		var problem struct{ Code string }
		_ = json.NewDecoder(resp.Body).Decode(&problem) // a success has no code
		require.NoError(t, resp.Body.Close())
		codes[problem.Code] = true
	}
	for _, code := range []string{"INVALID", "ORDER_EXISTS", "ORDER_NOT_FOUND", "INVALID_TEXT"} {
		assert.True(t, codes[code], "%s was answered", code)
	}
}
