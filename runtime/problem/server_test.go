package problem_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// document is a problem document.
type document struct {
	Status  int
	Code    string
	Context struct{ RequestID string }
}

// newServer serves a mux with handlers of both kinds, and one nested in another.
func newServer(t *testing.T, opts ...problem.Option) *httptest.Server {
	t.Helper()
	quiet := problem.OnError(func(*http.Request, error) {})
	opts = append([]problem.Option{problem.ByTable(booking.Table), quiet}, opts...)
	mux, inner := http.NewServeMux(), http.NewServeMux()
	decode := func(w http.ResponseWriter, r *http.Request) error {
		var v struct{ Name string }
		if err := problem.DecodeJSON(r, &v); err != nil {
			return err
		}
		_, err := io.WriteString(w, v.Name)
		return err
	}
	mux.Handle("POST /rooms", problem.Handler(decode, opts...))
	mux.HandleFunc("GET /panic", func(http.ResponseWriter, *http.Request) { panic("lost") })
	mux.HandleFunc("GET /late", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half")
		w.(http.Flusher).Flush()
		panic("lost")
	})
	mux.HandleFunc("GET /flush", func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		assert.NoError(t, http.NewResponseController(w).Flush())
	})
	mux.HandleFunc("GET /hijack", func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		assert.NoError(t, err)
		_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
		_ = conn.Close()
	})
	inner.HandleFunc("GET /a", func(http.ResponseWriter, *http.Request) {})
	mux.Handle("/nested/", http.StripPrefix("/nested", problem.Serve(inner, opts...)))
	s := httptest.NewServer(problem.Serve(mux, opts...))
	t.Cleanup(s.Close)
	return s
}

func TestServer(t *testing.T) {
	for _, tt := range []struct {
		name, method, path, body string
		opts                     []problem.Option
		status                   int
		code                     string
	}{
		{"served", "POST", "/rooms", `{"name":"r"} `, nil, 200, ""},
		{"malformed", "POST", "/rooms", `{`, nil, 400, "INVALID"},
		{"another type", "POST", "/rooms", `[]`, nil, 400, "INVALID"},
		{"two values", "POST", "/rooms", `{} {}`, nil, 400, "INVALID"},
		{"empty", "POST", "/rooms", ``, nil, 400, "INVALID"},
		{"too large", "POST", "/rooms", `{"name":"` + strings.Repeat("x", 100) + `"}`, nil, 413, "TOO_LARGE"},
		{"too large after the value", "POST", "/rooms", `{}` + strings.Repeat(" ", 600), nil, 413, "TOO_LARGE"},
		{"no path", "GET", "/none", "", nil, 404, "NOT_FOUND"},
		{"no method", "PUT", "/rooms", "", nil, 405, "METHOD_NOT_ALLOWED"},
		{"no nested path", "GET", "/nested/none", "", nil, 404, "NOT_FOUND"},
		{"nested", "GET", "/nested/a", "", nil, 200, ""},
		{"panic", "GET", "/panic", "", nil, 500, "INTERNAL"},
		{"flush", "GET", "/flush", "", nil, 200, ""},
		{"hijack", "GET", "/hijack", "", nil, 204, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, problem.MaxBody(100), problem.RequestID(booking.RequestID))
			r, err := http.NewRequestWithContext(t.Context(), tt.method, s.URL+tt.path, strings.NewReader(tt.body))
			require.NoError(t, err)
			r.Header.Set(problem.HeaderRequestID, "r-1")
			resp, err := s.Client().Do(r)
			require.NoError(t, err)
			defer resp.Body.Close()
			assert.Equal(t, tt.status, resp.StatusCode)
			if tt.name != "hijack" {
				assert.Equal(t, "r-1", resp.Header.Get(problem.HeaderRequestID))
			}
			if tt.code != "" {
				var d document
				require.NoError(t, json.NewDecoder(resp.Body).Decode(&d))
				assert.Equal(t, document{tt.status, tt.code, struct{ RequestID string }{"r-1"}}, d)
			}
		})
	}
}

// Without a table, the statuses are sent without a code.
func TestServerWithoutTable(t *testing.T) {
	mux := http.NewServeMux()
	decode := func(_ http.ResponseWriter, r *http.Request) error { return problem.DecodeJSON(r, new(int)) }
	unreported := problem.OnError(func(*http.Request, error) { t.Error("reported") })
	mux.Handle("POST /", problem.Handler(decode, unreported))
	mux.Handle("POST /raw", problem.Handler(func(_ http.ResponseWriter, r *http.Request) error {
		_, err := io.ReadAll(r.Body)
		return err
	}, unreported))
	h := problem.Serve(mux, problem.MaxBody(10), problem.RequestID(booking.RequestID))
	for _, tt := range []struct {
		path, body string
		want       int
	}{
		{"/", "{", 400},
		{"/", "12345678901234567890", 413},
		{"/", "1", 200},
		{"/raw", "12345678901234567890", 413},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, tt.path, strings.NewReader(tt.body))
		r.Header.Set(problem.HeaderRequestID, "not valid")
		h.ServeHTTP(w, r)
		assert.Equal(t, tt.want, w.Code, "%s %s", tt.path, tt.body)
		id := w.Header().Get(problem.HeaderRequestID)
		assert.Len(t, id, 26, "a new id")
	}
}

// The format of a service is also that of requests which cannot be served or decoded.
func TestServerKeepsFormat(t *testing.T) {
	mux := http.NewServeMux()
	legacy := problem.RespondWith(func(w http.ResponseWriter, _ *http.Request, status int, v taxonomy.PublicView) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte("legacy " + v.Code()))
	})
	decode := func(_ http.ResponseWriter, r *http.Request) error { return problem.DecodeJSON(r, new(int)) }
	mux.Handle("POST /", problem.Handler(decode, legacy))
	h := problem.Serve(mux, legacy)
	for _, tt := range []struct {
		name, method, body string
		want               int
	}{
		{"malformed", http.MethodPost, "{", http.StatusBadRequest},
		{"not served", http.MethodDelete, "", http.StatusMethodNotAllowed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(tt.method, "/", strings.NewReader(tt.body)))
			assert.Equal(t, []any{tt.want, "legacy "}, []any{w.Code, w.Body.String()})
		})
	}
}

// A panic after the response began aborts it.
func TestServerPanicsLate(t *testing.T) {
	s := newServer(t)
	resp, err := s.Client().Get(s.URL + "/late")
	require.NoError(t, err)
	defer resp.Body.Close()
	_, err = io.ReadAll(bufio.NewReader(resp.Body))
	assert.Error(t, err)
}

func TestLog(t *testing.T) {
	var out bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&out, nil))
	reporter := report.NewReporter(report.ReporterOptions{})
	log := report.Log(logger, reporter, booking.Table)
	for name, c := range map[string]struct {
		serve serve
		want  []string
	}{
		"mistake": {failing(booking.NewRoomTaken()), []string{"level=INFO", "op=\"GET /{id}\"", "ROOM_TAKEN"}},
		"failure": {failing(booking.NewStoreFailed()), []string{"level=ERROR", "STORE_FAILED"}},
		"panic":   {func(http.ResponseWriter, *http.Request) error { panic("lost") }, []string{"stack=\"goroutine"}},
	} {
		out.Reset()
		mux := http.NewServeMux()
		mux.Handle("GET /{id}", problem.Handler(c.serve, problem.ByTable(booking.Table), problem.Log(log)))
		mux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/a", nil))
		for _, want := range c.want {
			assert.Contains(t, out.String(), want, name)
		}
	}
	out.Reset()
	ended, end := context.WithCancel(t.Context())
	end()
	log(ended, "job", ended.Err())
	log(t.Context(), "job", nil)
	assert.Empty(t, out.String())
	report.Log(logger, nil, booking.Table)(t.Context(), "job", booking.NewRoomTaken())
	assert.Contains(t, out.String(), "ROOM_TAKEN")
}

// A server answers every failure with a problem document.
func ExampleServe() {
	mux := http.NewServeMux()
	options := []problem.Option{problem.ByTable(booking.Table),
		problem.Log(report.Log(slog.New(slog.DiscardHandler), nil, booking.Table))}
	mux.Handle("GET /rooms/{id}", problem.Handler(func(http.ResponseWriter, *http.Request) error {
		return booking.NewRoomTaken()
	}, options...))
	h := problem.Serve(mux, append(options, problem.RequestID(booking.RequestID), problem.MaxBody(1<<20))...)
	for _, path := range []string{"/rooms/r-1", "/none"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		var d document
		_ = json.Unmarshal(w.Body.Bytes(), &d)
		fmt.Println(d.Status, d.Code)
	}
	// Output:
	// 409 ROOM_TAKEN
	// 404 NOT_FOUND
}
