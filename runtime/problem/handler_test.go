package problem_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/taxonomy"
)

type serve = func(http.ResponseWriter, *http.Request) error

func TestServe(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /orders/{id}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.PathValue("id"))
	})
	mux.HandleFunc("GET /list/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) })
	byTable := []problem.Option{problem.ByTable(orders.Table), problem.OnError(func(*http.Request, error) {})}
	for _, c := range []struct {
		name, method, path, accept string
		opts                       []problem.Option
		status                     int
		content, code, allow       string
	}{
		{"a pattern", "GET", "/orders/1", "", byTable, 200, "text/plain; charset=utf-8", "", ""},
		{"a redirect", "GET", "/list", "", byTable, 307, "text/html; charset=utf-8", "", ""},
		{"a redirect to a clean path", "GET", "/a/../none", "", byTable, 307, "text/html; charset=utf-8", "", ""},
		{"no path, with a rule", "GET", "/none", "", byTable, 404, problem.ContentType, "ORDER_NOT_FOUND", ""},
		{"no path, without a table", "GET", "/none", "", nil, 404, problem.ContentType, "", ""},
		{"another method", "POST", "/orders/1", "", byTable, 405, problem.ContentType, "", "GET, HEAD"},
		{"plain text", "POST", "/orders/1", "text/plain", byTable, 405, "text/plain; charset=utf-8", "", "GET, HEAD"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, r := httptest.NewRecorder(), httptest.NewRequest(c.method, c.path, nil)
			if c.accept != "" {
				r.Header.Set("Accept", c.accept)
			}
			problem.Serve(mux, c.opts...).ServeHTTP(w, r)
			assert.Equal(t, []any{c.status, c.content, c.allow},
				[]any{w.Code, w.Header().Get("Content-Type"), w.Header().Get("Allow")})
			var document struct{ Code, Instance, Title string }
			if c.content == problem.ContentType {
				require.NoError(t, json.Unmarshal(w.Body.Bytes(), &document))
				assert.Equal(t, []string{c.code, c.path}, []string{document.Code, document.Instance})
			}
		})
	}
}

func TestInstanceIsBounded(t *testing.T) {
	for length, want := range map[int]bool{1024: true, 1025: false} {
		w, path := httptest.NewRecorder(), "/"+strings.Repeat("a", length-1)
		problem.Write(w, httptest.NewRequest(http.MethodGet, path, nil), orders.NewOrderNotFound())
		assert.Equal(t, want, strings.Contains(w.Body.String(), `"instance":"`+path+`"`), length)
		assert.Equal(t, want, strings.Contains(w.Body.String(), `"instance"`), length)
	}
}

func TestHandler(t *testing.T) {
	answered := func(w http.ResponseWriter, _ *http.Request) error {
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "tea")
		return orders.NewOrderNotFound()
	}
	for _, c := range []struct {
		name   string
		serve  serve
		status int
		code   string // of the document
		logged string // the code that the hook receives
	}{
		{"no error", func(http.ResponseWriter, *http.Request) error { return nil }, 200, "", "none"},
		{"a nil pointer", func(http.ResponseWriter, *http.Request) error { return (*orders.OrderError)(nil) },
			200, "", "none"},
		{"a typed error", func(http.ResponseWriter, *http.Request) error { return orders.NewOrderNotFound() },
			404, "ORDER_NOT_FOUND", "ORDER_NOT_FOUND"},
		{"a classified error", func(http.ResponseWriter, *http.Request) error {
			return &taxonomy.Evidence{Source: "gateway", Status: 503}
		}, 500, "INTERNAL", "STORE_DOWN"},
		{"an error that no rule matches", func(http.ResponseWriter, *http.Request) error { return io.ErrUnexpectedEOF },
			500, "INTERNAL", "UNEXPECTED"},
		{"a panic", func(http.ResponseWriter, *http.Request) error { panic("password=hunter2") },
			500, "INTERNAL", "UNEXPECTED"},
		{"an answer and an error", answered, 418, "", "ORDER_NOT_FOUND"},
		{"an informational response", func(w http.ResponseWriter, _ *http.Request) error {
			w.WriteHeader(http.StatusEarlyHints)
			return orders.NewOrderNotFound()
		}, 404, "ORDER_NOT_FOUND", "ORDER_NOT_FOUND"},
	} {
		t.Run(c.name, func(t *testing.T) {
			logged := "none"
			hook := problem.OnError(func(_ *http.Request, err error) { logged = taxonomy.CodeOf(err) })
			resp, _ := get(t, problem.Handler(c.serve, problem.ByTable(orders.Table), hook))
			assert.Equal(t, c.status, resp.StatusCode)
			assert.Equal(t, c.logged, logged)
			var doc struct{ Code string }
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			assert.NotContains(t, string(body), "hunter2")
			assert.Equal(t, c.status == http.StatusOK, len(body) == 0)
			if json.Unmarshal(body, &doc) == nil {
				assert.Equal(t, c.code, doc.Code)
			} else {
				assert.Empty(t, c.code)
			}
		})
	}
}

func TestHandlerPanicHasStack(t *testing.T) {
	var failed error
	h := problem.Handler(func(http.ResponseWriter, *http.Request) error { panic(errors.New("boom")) },
		problem.ByTable(orders.Table), problem.OnError(func(_ *http.Request, err error) { failed = err }))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	p, ok := errors.AsType[*taxonomy.Panic](failed)
	require.True(t, ok)
	assert.EqualError(t, p, "panic: boom")
	assert.Contains(t, string(p.Stack), "TestHandlerPanicHasStack")
	o, ok := errors.AsType[*orders.StoreError](failed)
	require.True(t, ok)
	assert.Equal(t, taxonomy.Some(true), o.Unmatched)
}

// A response that a panic cuts must not look complete to its client.
func TestHandlerAborts(t *testing.T) {
	for name, h := range map[string]serve{
		"panic after the response began": func(w http.ResponseWriter, _ *http.Request) error {
			w.(http.Flusher).Flush()
			panic("late")
		},
		"abort": func(http.ResponseWriter, *http.Request) error { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(problem.Handler(h, problem.OnError(func(*http.Request, error) {})))
			defer server.Close()
			resp, err := server.Client().Get(server.URL)
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				require.NoError(t, resp.Body.Close())
			}
			assert.Error(t, err)
		})
	}
}

// The methods of the underlying writer stay reachable, and an answer given through them counts.
func TestHandlerWriter(t *testing.T) {
	for name, answer := range map[string]serve{
		"ReadFrom": func(w http.ResponseWriter, _ *http.Request) error {
			_, err := io.Copy(w, bytes.NewReader([]byte("answer")))
			return errors.Join(err, orders.NewInternal())
		},
		"ResponseController": func(w http.ResponseWriter, _ *http.Request) error {
			_, err := io.WriteString(w, "answer")
			return errors.Join(err, http.NewResponseController(w).Flush(), orders.NewInternal())
		},
		"Hijack": func(w http.ResponseWriter, _ *http.Request) error {
			conn, rw, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, err = rw.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nanswer")
				err = errors.Join(err, rw.Flush(), conn.Close())
			}
			return errors.Join(err, orders.NewInternal())
		},
	} {
		t.Run(name, func(t *testing.T) {
			resp, _ := get(t, problem.Handler(answer, problem.OnError(func(*http.Request, error) {})))
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			assert.Equal(t, "answer", string(body))
		})
	}
}

// If nothing was sent, the error is answered.
func TestHandlerAnswersIfNothingWasSent(t *testing.T) {
	for name, answer := range map[string]serve{
		"a reader that fails": func(w http.ResponseWriter, _ *http.Request) error {
			_, err := io.Copy(w, iotest.ErrReader(errors.New("no file")))
			return err
		},
		"a connection that cannot be hijacked": func(w http.ResponseWriter, _ *http.Request) error {
			_, _, err := w.(http.Hijacker).Hijack()
			return err
		},
	} {
		w := httptest.NewRecorder()
		problem.Handler(answer, problem.ByTable(orders.Table), problem.OnError(func(*http.Request, error) {})).
			ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		assert.Equal(t, http.StatusInternalServerError, w.Code, name)
		assert.Equal(t, problem.ContentType, w.Header().Get("Content-Type"), name)
	}
}

// A writer that cannot flush has sent nothing, and a program that flushes learns it.
func TestHandlerAnswersAfterUnsupportedFlush(t *testing.T) {
	w := httptest.NewRecorder()
	h := problem.Handler(func(w http.ResponseWriter, _ *http.Request) error {
		w.(http.Flusher).Flush()
		require.ErrorIs(t, http.NewResponseController(w).Flush(), http.ErrNotSupported)
		return orders.NewInternal()
	}, problem.OnError(func(*http.Request, error) {}))
	h.ServeHTTP(struct{ http.ResponseWriter }{w}, httptest.NewRequest(http.MethodGet, "/", nil))
	assert.Equal(t, http.StatusInternalServerError, w.Code)
}

// A reader that panics after a part of the response was sent cuts the response.
func TestHandlerAbortsCopy(t *testing.T) {
	w := httptest.NewRecorder()
	h := problem.Handler(func(w http.ResponseWriter, _ *http.Request) error {
		_, err := io.Copy(w, io.MultiReader(iotest.OneByteReader(strings.NewReader("part")), panickingReader{}))
		return err
	}, problem.OnError(func(*http.Request, error) {}))
	assert.PanicsWithValue(t, http.ErrAbortHandler, func() {
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	})
	assert.Equal(t, "part", w.Body.String())
}

type panickingReader struct{}

func (panickingReader) Read([]byte) (int, error) { panic("read") }

// TestWriteHasThePipelineOfHandler compares Write with Handler, with the same options.
func TestWriteHasThePipelineOfHandler(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name   string
		err    error
		ctx    context.Context
		status int
		code   string // that is reported
	}{
		{"no error", nil, t.Context(), 200, ""},
		{"typed error", orders.NewOrderNotFound(), t.Context(), 404, "ORDER_NOT_FOUND"},
		{"error to classify", &taxonomy.Evidence{Source: "gateway", Status: 429}, t.Context(), 429, "TOO_MANY"},
		{"plain error", io.ErrUnexpectedEOF, t.Context(), 500, "UNEXPECTED"},
		{"cancelled request", context.Canceled, cancelled, 499, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var reported []string
			answer := func(
				handle func(http.ResponseWriter, *http.Request, ...problem.Option), opts ...problem.Option,
			) (int, string) {
				w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
				opts = append(opts, problem.ByTable(orders.Table), problem.OnError(func(_ *http.Request, err error) {
					reported = append(reported, taxonomy.CodeOf(err))
				}))
				handle(w, r.WithContext(c.ctx), opts...)
				return w.Code, w.Body.String()
			}
			write := func(w http.ResponseWriter, r *http.Request, opts ...problem.Option) {
				problem.Write(w, r, c.err, opts...)
			}
			handler := func(w http.ResponseWriter, r *http.Request, opts ...problem.Option) {
				problem.Handler(failing(c.err), opts...).ServeHTTP(w, r)
			}
			legacy := problem.RespondWith(
				func(w http.ResponseWriter, _ *http.Request, status int, v taxonomy.PublicView) {
					w.WriteHeader(status)
					_, _ = fmt.Fprintf(w, "%s: %s", v.Code(), v.Message())
				})
			status, body := answer(write)
			assert.Equal(t, c.status, status)
			wantStatus, want := answer(handler)
			assert.Equal(t, wantStatus, status)
			assert.Equal(t, want, body)
			status, body = answer(write, legacy)
			assert.Equal(t, c.status, status)
			if c.err == nil {
				assert.Empty(t, body)
				assert.Empty(t, reported)
				return
			}
			view := orders.Table.Public(orders.Table.Classify(c.err))
			assert.Equal(t, view.Code()+": "+view.Message(), body)
			_, want = answer(handler, legacy)
			assert.Equal(t, want, body)
			assert.Equal(t, []string{c.code, c.code, c.code, c.code}, reported)
		})
	}
}

func TestHandlerLogsServerErrors(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name  string
		serve serve
		ctx   context.Context
		code  string // that is logged; empty if nothing is
		text  string
		stack string // a function in the stack that is logged
		write bool   // by Write
	}{
		{name: "a client's error", serve: failing(orders.NewOrderNotFound())},
		{name: "a server error", serve: failing(orders.NewStoreDown().WithQuery("q")), code: "STORE_DOWN"},
		{name: "an internal code with a client's status", serve: failing(orders.NewStoreConflict()),
			code: "STORE_CONFLICT"},
		{name: "a wrapped error", serve: failing(fmt.Errorf("loading cart: %w", orders.NewStoreDown().WithQuery("q"))),
			code: "STORE_DOWN", text: "loading cart: store down while q"},
		{name: "a panic", serve: func(http.ResponseWriter, *http.Request) error { panic("boom") },
			code: "UNEXPECTED", stack: "TestHandlerLogsServerErrors"},
		{name: "a server error by Write", serve: failing(orders.NewStoreDown().WithQuery("q")), code: "STORE_DOWN",
			write: true},
		{name: "a cancelled request", serve: failing(context.Canceled), ctx: cancelled},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			before := slog.Default()
			slog.SetDefault(slog.New(slog.NewJSONHandler(&log, nil)))
			defer slog.SetDefault(before)
			r := httptest.NewRequest(http.MethodGet, "/orders", nil)
			if c.ctx != nil {
				r = r.WithContext(c.ctx)
			}
			if c.write {
				problem.Write(httptest.NewRecorder(), r, c.serve(nil, r))
			} else {
				problem.Handler(c.serve, problem.ByTable(orders.Table)).ServeHTTP(httptest.NewRecorder(), r)
			}
			if c.code == "" {
				assert.Empty(t, log.String())
				return
			}
			var line struct {
				Path, Stack string
				Err         struct {
					Code, Text string
					Context    map[string]any
				}
			}
			require.NoError(t, json.Unmarshal(log.Bytes(), &line), log.String())
			assert.Equal(t, "/orders", line.Path)
			assert.Equal(t, c.code, line.Err.Code)
			assert.Contains(t, line.Err.Text, c.text)
			if c.code == "STORE_DOWN" {
				assert.Equal(t, "q", line.Err.Context["query"])
			}
			assert.Contains(t, line.Stack, c.stack)
			assert.Equal(t, c.stack == "", line.Stack == "")
		})
	}
}

func failing(err error) serve { return func(http.ResponseWriter, *http.Request) error { return err } }
