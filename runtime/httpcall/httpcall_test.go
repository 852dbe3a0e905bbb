package httpcall_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/httpcall"
	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/internal/turns"
	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"github.com/errgen/errgen/runtime/taxonomy"
)

type event struct{ ID string }

// api answers the requests with the answers in turn, the last one repeatedly. bodies returns the
// bodies of the requests so far.
func api(t testing.TB, answers ...http.HandlerFunc) (url string, bodies func() []string) {
	t.Helper()
	var mu sync.Mutex
	var got []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		got = append(got, string(b))
		answer := answers[min(len(got), len(answers))-1]
		mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(got)
	}
}

func status(n int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(n)
	}
}

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

func cut(w http.ResponseWriter, _ *http.Request) {
	conn, _, _ := http.NewResponseController(w).Hijack()
	_ = conn.Close()
}

func cutBody(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	_, _ = io.WriteString(w, `{"id":`)
}

func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func newClient(opts ...httpcall.Option) *httpcall.Client {
	opts = append([]httpcall.Option{httpcall.TryTimeout(200 * time.Millisecond)}, opts...)
	return httpcall.New(booking.Table, booking.SourceCalendar, opts...)
}

func TestFailures(t *testing.T) {
	ok := text(`{"id":"e-1"}`)
	post := []func(*http.Request){httpcall.Key("k-1")}
	for _, tt := range []struct {
		name    string
		method  string
		edit    []func(*http.Request)
		answers []http.HandlerFunc
		calls   int
		code    error
	}{
		{"success", "GET", nil, []http.HandlerFunc{ok}, 1, nil},
		{"no body", "GET", nil, []http.HandlerFunc{status(204)}, 1, nil},
		{"status", "GET", nil, []http.HandlerFunc{status(503), status(500), ok}, 3, nil},
		{"exhausted", "GET", nil, []http.HandlerFunc{status(503)}, 3, booking.CodeCalendarDown},
		{"not retried", "GET", nil, []http.HandlerFunc{status(401)}, 1, booking.CodeCalendarRefused},
		{"cut", "GET", nil, []http.HandlerFunc{cut, ok}, 2, nil},
		{"cut body", "GET", nil, []http.HandlerFunc{cutBody, ok}, 2, nil},
		{"timeout", "GET", nil, []http.HandlerFunc{hang, ok}, 2, nil},
		{"malformed", "GET", nil, []http.HandlerFunc{text("<html>")}, 1, booking.CodeCalendarRefused},
		{"POST", "POST", nil, []http.HandlerFunc{status(503), ok}, 1, booking.CodeCalendarDown},
		{"POST cut", "POST", nil, []http.HandlerFunc{cut, ok}, 1, booking.CodeCalendarDown},
		{"POST with a key", "POST", post, []http.HandlerFunc{cut, status(503), ok}, 3, nil},
		{"PUT", "PUT", nil, []http.HandlerFunc{cutBody, ok}, 2, nil},
		{"PATCH", "PATCH", nil, []http.HandlerFunc{status(503), ok}, 1, booking.CodeCalendarDown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url, bodies := api(t, tt.answers...)
			var in any
			if tt.method != "GET" {
				in = event{"e-0"}
			}
			got, err := httpcall.JSON[event](t.Context(), newClient(), tt.method, url, in, tt.edit...)
			assert.Len(t, bodies(), tt.calls)
			for _, b := range bodies() {
				assert.Equal(t, bodies()[0], b, "the body is sent again")
			}
			if tt.code == nil {
				require.NoError(t, err)
				assert.True(t, tt.name == "no body" || got.ID == "e-1")
				return
			}
			require.ErrorIs(t, err, tt.code)
			assert.Zero(t, got)
		})
	}
}

func TestRetryAfter(t *testing.T) {
	url, _ := api(t, status(429, "Retry-After", "1"), text("{}"))
	var waits []time.Duration
	c := newClient(httpcall.WithRetry(retry.WithClock(immediate{}),
		retry.WithNotify(func(a retry.Attempt) { waits = append(waits, a.Wait) })))
	_, err := httpcall.JSON[event](t.Context(), c, "GET", url, nil)
	require.NoError(t, err)
	assert.Equal(t, []time.Duration{time.Second, 0}, waits)
}

// A context with a cause ends calls as one without does, although net/http returns the cause.
func TestCauses(t *testing.T) {
	cause := errors.New("the budget is over")
	partial := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"ID`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	for name, answer := range map[string]http.HandlerFunc{"no answer": hang, "a part of the body": partial} {
		t.Run(name, func(t *testing.T) {
			url, _ := api(t, answer)
			ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, cause)
			defer cancel()
			_, err := httpcall.JSON[event](ctx, newClient(), "GET", url, nil)
			require.ErrorIs(t, err, booking.CodeCalendarDown)
			require.ErrorIs(t, err, cause)

			stopped, stop := context.WithCancelCause(t.Context())
			time.AfterFunc(50*time.Millisecond, func() { stop(cause) })
			_, err = httpcall.JSON[event](stopped, newClient(), "GET", url, nil)
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, err, cause)
			assert.Empty(t, taxonomy.CodeOf(err))
		})
	}
}

func TestRefusal(t *testing.T) {
	url, bodies := api(t, status(503))
	breakers := breaker.New(breaker.Options{})
	release, err := breakers.Acquire(t.Context(), "calendar")
	require.NoError(t, err)
	release(retry.Result{Failed: true, Policy: &taxonomy.Policy{Budget: &taxonomy.Budget{
		Breaker: &taxonomy.Breaker{Failures: 1, Of: 1, Probe: time.Minute}}}})
	c := newClient(httpcall.WithRetry(retry.WithBreaker(breakers, "calendar"), retry.FailFast()))
	_, err = httpcall.JSON[event](t.Context(), c, "POST", url, nil)
	require.ErrorIs(t, err, booking.CodeCalendarDown)
	require.ErrorIs(t, err, retry.ErrRefused)
	assert.Empty(t, bodies())
}

// A POST is repeated if no connection was made.
func TestNotSent(t *testing.T) {
	calls := 0
	c := newClient(httpcall.WithRetry(retry.WithNotify(func(retry.Attempt) { calls++ })))
	_, err := httpcall.JSON[event](t.Context(), c, "POST", "http://127.0.0.1:1", event{})
	require.ErrorIs(t, err, booking.CodeCalendarDown)
	assert.Equal(t, 3, calls)
}

func TestDo(t *testing.T) {
	url, bodies := api(t, status(503), text("hello"))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url, strings.NewReader("body"))
	require.NoError(t, err)
	resp, err := newClient().Do(req)
	require.NoError(t, err)
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, "hello", string(b))
	assert.Equal(t, []string{"body", "body"}, bodies())

	url, bodies = api(t, status(503))
	req, err = http.NewRequestWithContext(t.Context(), http.MethodPut, url, io.MultiReader(strings.NewReader("once")))
	require.NoError(t, err)
	resp, err = newClient().Do(req)
	require.ErrorIs(t, err, booking.CodeCalendarDown)
	assert.Nil(t, resp)
	assert.Equal(t, []string{"once"}, bodies(), "a body without GetBody is sent once")

	stopped, stop := context.WithCancel(t.Context())
	stop()
	_, err = httpcall.JSON[event](stopped, newClient(), "GET", url, nil)
	require.ErrorIs(t, err, context.Canceled)
	r, w := io.Pipe()
	req, err = http.NewRequestWithContext(stopped, http.MethodPut, url, r)
	require.NoError(t, err)
	resp, err = newClient().Do(req)
	require.ErrorIs(t, err, context.Canceled)
	assert.Nil(t, resp)
	_, err = w.Write([]byte("body"))
	require.ErrorIs(t, err, io.ErrClosedPipe, "the body is closed also if no try is made")
	_, err = httpcall.JSON[event](t.Context(), newClient(), "GET", ":", nil)
	require.ErrorContains(t, err, "make request")
	_, err = httpcall.JSON[event](t.Context(), newClient(), "PUT", url, func() {})
	require.ErrorContains(t, err, "encode request")
}

func TestServers(t *testing.T) {
	url, _ := api(t, func(w http.ResponseWriter, r *http.Request) {
		problem.Write(w, r, orders.NewOrderNotFound().WithID("o-1"), problem.ByTable(orders.Table))
	})
	c := httpcall.New(orders.Table, orders.SourceGateway, httpcall.Servers(orders.Table))
	_, err := httpcall.JSON[event](t.Context(), c, "GET", url, nil)
	require.ErrorIs(t, err, orders.CodeOrderNotFound)
	e, ok := errors.AsType[*orders.OrderError](err)
	require.True(t, ok)
	assert.Equal(t, "o-1", e.ID.Or(""))
	_, err = httpcall.JSON[event](t.Context(), newClient(httpcall.Servers(orders.Table)), "GET", url, nil)
	require.ErrorIs(t, err, booking.CodeCalendarRefused)
}

// A server loses replies before and after it did the work. No call that is not idempotent is done
// twice.
func TestLostReplies(t *testing.T) {
	calls := 10_000
	if testing.Short() {
		calls = 1000
	}
	var mu sync.Mutex
	r := rand.New(rand.NewPCG(1, 2))
	applied, keys := map[string]int{}, map[string]bool{}
	lose := func() (before, after, refuse bool) {
		p := r.Float64()
		return p < 0.1, p >= 0.1 && p < 0.2, p >= 0.2 && p < 0.25
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		before, after, refuse := lose()
		if before {
			cut(w, req)
			return
		}
		if refuse {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		id, key := req.URL.Path, req.Header.Get(httpcall.KeyHeader)
		if key == "" || !keys[key] {
			applied[id]++
		}
		keys[key] = true
		if after {
			cut(w, req)
			return
		}
		_, _ = io.WriteString(w, `{"id":"e-1"}`)
	}))
	t.Cleanup(s.Close)
	times := func(id string) int {
		mu.Lock()
		defer mu.Unlock()
		return applied[id]
	}
	c := newClient(httpcall.WithHTTP(s.Client()), httpcall.WithRetry(retry.WithClock(immediate{})))
	counts := map[string][3]int{} // calls, successes, successes that a retry allows
	for i := range calls {
		method, name := "GET", "GET"
		var edit []func(*http.Request)
		switch i % 3 {
		case 1:
			method, name = "POST", "POST"
		case 2:
			method, name, edit = "POST", "POST with a key", []func(*http.Request){httpcall.Key(fmt.Sprint(i))}
		}
		id := fmt.Sprintf("/%s/%d", method, i)
		_, err := httpcall.JSON[event](t.Context(), c, method, s.URL+id, nil, edit...)
		n := counts[name]
		n[0]++
		if err == nil {
			n[1]++
			assert.NotZero(t, times(id))
		}
		counts[name] = n
		if name != "GET" {
			assert.LessOrEqual(t, times(id), 1, "%s is done once", name)
		}
	}
	t.Log("calls, successes:", counts)
	for name, n := range counts {
		if name != "POST" {
			assert.Greater(t, n[1], n[0]*95/100, "three calls of 75 % each, %s", name)
		}
	}
	assert.Greater(t, counts["POST"][1], counts["POST"][0]*70/100)
}

// immediate is a clock on which waits take no time.
type immediate struct{}

func (immediate) Now() time.Time { return time.Now() }

func (immediate) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// A service asks a calendar that is busy at first.
func ExampleJSON() {
	busy := true
	calendar := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if busy {
			busy = false
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if r.URL.Path != "/events/e-1" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"id":"e-1"}`)
	}))
	defer calendar.Close()
	c := httpcall.New(booking.Table, booking.SourceCalendar)
	for _, id := range []string{"e-1", "e-2"} {
		got, err := httpcall.JSON[event](context.Background(), c, "GET", calendar.URL+"/events/"+id, nil)
		fmt.Println(got.ID, err)
	}
	// Output:
	// e-1 <nil>
	//  calendar refuses the call
}

func BenchmarkJSON(b *testing.B) {
	url, _ := api(b, text(`{"id":"e-1"}`))
	plain := func() error {
		req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		return errors.Join(err, resp.Body.Close())
	}
	decoded := func() error {
		ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		req.Header.Set("Accept", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return err
		}
		var got event
		return json.Unmarshal(body, &got)
	}
	c := httpcall.New(booking.Table, booking.SourceCalendar)
	call := func() error {
		_, err := httpcall.JSON[event](b.Context(), c, http.MethodGet, url, nil)
		return err
	}
	b.Run("by hand", func(b *testing.B) { turns.Compare(b, plain, call) })
	b.Run("by hand, with a time limit, decoded", func(b *testing.B) { turns.Compare(b, decoded, call) })
}
