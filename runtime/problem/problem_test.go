package problem_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const help = "https://orders.example/errors/"

func TestWrite(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	secret := errors.New("dial tcp 10.0.0.7:5432: password=hunter2")
	for _, c := range []struct {
		name   string
		err    error
		ctx    context.Context
		path   string
		status int
		want   string
		after  string
	}{
		{name: "public code and fields",
			err:  fmt.Errorf("get: %w", orders.NewOrderNotFound().WithID("7").WithShard("s3").WithCause(secret)),
			path: "/orders/7?token=x", status: 404,
			want: `{"type":"` + help + `ORDER_NOT_FOUND","title":"There is no such order","status":404,` +
				`"detail":"no order 7","instance":"/orders/7","domain":"orders.example","code":"ORDER_NOT_FOUND",` +
				`"retryable":false,"context":{"id":"7"}}`},
		{name: "internal code",
			err: orders.NewStoreDown().WithQuery("SELECT secret").WithCause(secret), path: "/a%20b",
			status: 500,
			want: `{"type":"` + help + `INTERNAL","title":"Something failed on our side","status":500,` +
				`"detail":"internal error","instance":"/a%20b","domain":"orders.example","code":"INTERNAL",` +
				`"retryable":false,"context":{}}`},
		{name: "internal code with an attribute of the context", err: fmt.Errorf("get: %w", orders.NewStoreDown()),
			ctx: taxonomy.ContextWith(t.Context(), orders.RequestID("r-1")), path: "/", status: 500,
			want: `{"type":"` + help + `INTERNAL","title":"Something failed on our side","status":500,` +
				`"detail":"internal error","instance":"/","domain":"orders.example","code":"INTERNAL",` +
				`"retryable":false,"context":{"requestId":"r-1"}}`},
		{name: "bare code with an attribute of the context", err: fmt.Errorf("get: %w", orders.CodeTooMany),
			ctx: taxonomy.ContextWith(t.Context(), orders.RequestID("r-1")), path: "/", status: 429,
			want: `{"type":"` + help + `TOO_MANY","title":"Too many requests","status":429,` +
				`"detail":"too many requests","instance":"/","domain":"orders.example","code":"TOO_MANY",` +
				`"retryable":true,"effect":"none","context":{"requestId":"r-1"}}`},
		{name: "bare code", err: orders.CodeTooMany, path: "/", status: 429,
			want: `{"type":"` + help + `TOO_MANY","title":"Too many requests","status":429,` +
				`"detail":"too many requests","instance":"/","domain":"orders.example","code":"TOO_MANY",` +
				`"retryable":true,"effect":"none","context":{}}`},
		{name: "no taxonomy", err: secret, path: "/", status: 500,
			want: `{"type":"about:blank","title":"Internal Server Error","status":500,"instance":"/"}`},
		{name: "hint", err: orders.NewTooMany().WithRetryAfter(1200 * time.Millisecond), path: "//evil.example/x",
			status: 429, after: "2",
			want: `{"type":"` + help + `TOO_MANY","title":"Too many requests","status":429,` +
				`"detail":"too many requests","domain":"orders.example","code":"TOO_MANY","retryable":true,` +
				`"effect":"none","context":{"retryAfter":"1.2s"}}`},
		{name: "branch of an internal field",
			err: orders.NewOrderConflict().WithShard("frozen"), path: "/", status: 409,
			want: `{"type":"` + help + `ORDER_CONFLICT","title":"The order changed meanwhile","status":409,` +
				`"detail":"order changed","instance":"/","domain":"orders.example","code":"ORDER_CONFLICT",` +
				`"retryable":false,"effect":"unknown","reaction":"abort","context":{}}`},
		{name: "cancelled request",
			err: fmt.Errorf("query: %w", context.Canceled), ctx: cancelled, path: "/", status: 499,
			want: `{"type":"about:blank","title":"Client Closed Request","status":499,"instance":"/"}`},
		{name: "cancelled elsewhere", err: context.Canceled, path: "/", status: 500,
			want: `{"type":"about:blank","title":"Internal Server Error","status":500,"instance":"/"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "http://shop.example"+c.path, nil)
			if c.ctx != nil {
				r = r.WithContext(c.ctx)
			}
			w := httptest.NewRecorder()
			w.Header().Set("Content-Length", "3")
			problem.Write(w, r, c.err)
			assert.Equal(t, c.status, w.Code)
			assert.JSONEq(t, c.want, w.Body.String())
			assert.Equal(t, c.after, w.Header().Get("Retry-After"))
			assert.Empty(t, w.Header().Get("Content-Length"))
			checkRFC9457(t, w.Result())
		})
	}
	w := httptest.NewRecorder()
	problem.Write(w, httptest.NewRequest(http.MethodGet, "/", nil), nil)
	assert.Empty(t, w.Result().Header)
}

// checkRFC9457 checks the rules of RFC 9457, sections 3.1, 3.2 and 4.2.1.
func checkRFC9457(t *testing.T, resp *http.Response) {
	t.Helper()
	assert.Equal(t, "application/problem+json", resp.Header.Get("Content-Type"))
	var doc map[string]any
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&doc))
	for _, name := range []string{"type", "title", "detail", "instance"} {
		if value, ok := doc[name]; ok {
			assert.IsType(t, "", value, name)
			assert.NotEmpty(t, value, name)
		}
	}
	for _, name := range []string{"type", "instance"} {
		if value, ok := doc[name].(string); ok {
			_, err := url.Parse(value)
			assert.NoError(t, err, "%s is a URI reference", name)
		}
	}
	assert.InDelta(t, resp.StatusCode, doc["status"], 0, "the status of the response")
	if doc["type"] == "about:blank" && http.StatusText(resp.StatusCode) != "" {
		assert.Equal(t, http.StatusText(resp.StatusCode), doc["title"])
	}
	for name := range doc {
		assert.Regexp(t, regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{2,}$`), name, "the name of an extension")
	}
}

func TestInstance(t *testing.T) {
	write := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { problem.Write(w, r, orders.CodeTooMany) })
	for _, c := range []struct {
		name, target, want string
		handler            http.Handler
	}{
		{"path", "/v1/a%2Fb?token=x", "/v1/a%2Fb", write},
		{"stripped prefix", "/v1/a%20b?token=x", "/v1/a%20b", http.StripPrefix("/v1", write)},
		{"absolute target", "http://shop.example/v1/a", "/v1/a", http.StripPrefix("/v1", write)},
		{"not ASCII", "/v1/\u00e9", "/v1/%C3%A9", http.StripPrefix("/v1", write)},
		{"address of another host", "//evil.example/x", "", write},
		{"stripped address", "//evil.example/x", "", http.StripPrefix("//evil.example", write)},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			u, err := url.ParseRequestURI(c.target)
			require.NoError(t, err)
			r.URL, r.RequestURI = u, c.target
			c.handler.ServeHTTP(w, r)
			var doc struct{ Instance string }
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &doc))
			assert.Equal(t, c.want, doc.Instance)
		})
	}
	r := httptest.NewRequest(http.MethodGet, "/made", nil)
	r.RequestURI = ""
	w := httptest.NewRecorder()
	write(w, r)
	assert.Contains(t, w.Body.String(), `"instance":"/made"`)
}

func TestWriteNegotiation(t *testing.T) {
	const text = "ORDER_NOT_FOUND: no order 7\n"
	for _, c := range []struct {
		accept []string
		json   bool
	}{
		{nil, true},
		{[]string{"*/*"}, true},
		{[]string{"application/problem+json"}, true},
		{[]string{"application/json"}, true},
		{[]string{"text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8"}, true},
		{[]string{"text/html", "Application/*; q=0.1"}, true},
		{[]string{"text/plain"}, false},
		{[]string{""}, false},
		{[]string{"application/json;q=0"}, false},
		{[]string{"application/json; malformed; Q=0.000"}, false},
		{[]string{"*/*, application/problem+json; q=0.0"}, false},
		{[]string{"application/problem+json; q=0.5, */*;q=0"}, true},
		{[]string{"application/xml, application/*;q=0"}, false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header["Accept"] = c.accept
		w := httptest.NewRecorder()
		problem.Write(w, r, orders.NewOrderNotFound().WithID("7"))
		assert.Equal(t, 404, w.Code)
		assert.Equal(t, "Accept", w.Header().Get("Vary"))
		if c.json {
			assert.Equal(t, problem.ContentType, w.Header().Get("Content-Type"), "%q", c.accept)
			continue
		}
		assert.Equal(t, text, w.Body.String(), "%q", c.accept)
		assert.Equal(t, "text/plain; charset=utf-8", w.Header().Get("Content-Type"), "%q", c.accept)
	}
	r := httptest.NewRequest(http.MethodHead, "/", nil)
	w := httptest.NewRecorder()
	problem.Write(w, r, orders.NewOrderNotFound())
	assert.Equal(t, 404, w.Code)
	assert.Equal(t, problem.ContentType, w.Header().Get("Content-Type"))
	assert.Empty(t, w.Body.Bytes())
}

// get returns a response, and the error that a client reads of it.
func get(t *testing.T, h http.Handler, tables ...taxonomy.Table) (*http.Response, error) {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	resp, err := server.Client().Get(server.URL + "/orders/7")
	require.NoError(t, err)
	defer resp.Body.Close()
	err = problem.Read(resp, tables...)
	body, readErr := io.ReadAll(resp.Body)
	require.NoError(t, readErr)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, err
}

func TestReadTyped(t *testing.T) {
	full := orders.NewOrderConflict().WithID("7").WithCount(-3).WithSize(1 << 60).WithMask(1 << 63).WithRatio(0.1).
		WithOpen(false).WithTook(90 * time.Second).WithAt(time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)).
		WithMood(orders.OrderMoodAngry).WithItems([]string{"a", "b,c"}).WithExtra([]byte(`{"x":[1]}`)).
		WithPlace(orders.OrderPlace{City: "Hanoi"}).WithLines([]orders.OrderLines{{Sku: "a"}, {Sku: "b"}})
	invalid := orders.NewInvalid().WithViolations(
		[]taxonomy.Violation{{Field: "items[0]", Description: "is unknown", Code: "UNKNOWN"}, {Description: "is late"}})
	empty := orders.NewOrderNotFound()
	for _, sent := range []taxonomy.Error{full, invalid, empty, orders.NewInternal(), orders.NewTooMany()} {
		_, got := get(t, problem.Handler(func(http.ResponseWriter, *http.Request) error { return sent }), orders.Table)
		assert.Equal(t, sent, got)
	}
	_, got := get(t, problem.Handler(func(http.ResponseWriter, *http.Request) error {
		return orders.NewOrderConflict().WithShard("frozen")
	}), orders.Table)
	assert.ErrorIs(t, got, orders.CodeOrderConflict)
	assert.False(t, taxonomy.IsRetryable(got), "the server's decision")
	assert.Equal(t, taxonomy.Abort, orders.Table.Reaction(got).Action)
}

func TestReadForeign(t *testing.T) {
	const document, object = "application/problem+json; charset=utf-8", "application/json"
	for _, c := range []struct {
		name, media, body string
		status            int
		code              string // of the table's classification
		message           string // of the *problem.Problem that is the cause
		unknown           string // the code of a *taxonomy.Unknown
	}{
		{name: "a proxy's", media: document, status: 503, code: "STORE_DOWN", message: "Upstream down: no host",
			body: `{"type":"https://proxy.example/down","title":"Upstream down","status":503,"detail":"no host"}`},
		{name: "members of other types", media: document, status: 429, code: "TOO_MANY", message: "status 429",
			body: `{"type":7,"title":null,"status":"429","detail":{},"code":"X","retryable":"yes"}`},
		{name: "another domain", media: document, status: 404, code: "UNEXPECTED", message: "gone",
			body: `{"title":"gone","code":"ORDER_NOT_FOUND","domain":"other","retryable":false}`},
		{name: "without a domain", media: document, status: 404, code: "ORDER_NOT_FOUND",
			body: `{"title":"gone","code":"ORDER_NOT_FOUND","retryable":false}`},
		{name: "a newer code", media: document, status: 410, unknown: "ORDER_GONE",
			body: `{"detail":"gone","code":"ORDER_GONE","domain":"orders.example","retryable":false,"context":{}}`},
		{name: "typed as plain JSON", media: object, status: 404, code: "ORDER_NOT_FOUND",
			body: `{"code":"ORDER_NOT_FOUND","domain":"orders.example","retryable":false}`},
		{name: "other JSON", media: object, status: 503, code: "STORE_DOWN", message: "Service Unavailable",
			body: `{"title":"no problem document"}`},
		{name: "an invalid context", media: document, status: 404, code: "UNEXPECTED", message: "status 404",
			body: `{"code":"ORDER_NOT_FOUND","domain":"orders.example","retryable":false,"context":{"id":{}}}`},
		{name: "HTML", media: "text/html", status: 502, code: "UNEXPECTED", message: "Bad Gateway",
			body: "<h1>502</h1>"},
		{name: "plain text", media: "text/plain", status: 404, code: "UNEXPECTED", message: "Not Found",
			body: "404 page not found"},
		{name: "a status without a name", media: "text/html", status: 599, code: "UNEXPECTED",
			message: "status 599"},
		{name: "an array", media: document, status: 503, code: "STORE_DOWN", message: "Service Unavailable",
			body: "[]"},
		{name: "half of it", media: document, status: 503, code: "STORE_DOWN", message: "Service Unavailable",
			body: `{"code":"ORDER_NOT_FOUND",`},
		{name: "nothing", media: document, status: 503, code: "STORE_DOWN",
			message: "Service Unavailable"},
		{name: "too long", media: document, status: 503, code: "STORE_DOWN", message: "Service Unavailable",
			body: `{"code":"ORDER_NOT_FOUND","retryable":false,"pad":"` + strings.Repeat("x", 1<<20) + `"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp, err := get(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.media)
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}), orders.Table)
			body, readErr := io.ReadAll(resp.Body)
			require.NoError(t, readErr)
			assert.Equal(t, c.body, string(body), "the body can still be read")
			if u, ok := errors.AsType[*taxonomy.Unknown](err); c.unknown != "" {
				require.True(t, ok)
				assert.Equal(t, c.unknown, u.Code())
				assert.EqualError(t, u, "gone")
				return
			}
			assert.Equal(t, c.code, taxonomy.CodeOf(err))
			p, ok := errors.AsType[*problem.Problem](err)
			require.Equal(t, c.message != "", ok)
			if ok {
				assert.Equal(t, c.message, p.Error())
				assert.Equal(t, c.status, p.Status)
			}
		})
	}
}

func TestReadWithoutTable(t *testing.T) {
	_, err := get(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", problem.ContentType)
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"title":"Slow down","instance":"/i","limit":10}`)
	}))
	ev, ok := errors.AsType[*taxonomy.Evidence](err)
	require.True(t, ok)
	assert.Equal(t, 429, ev.Status)
	assert.Equal(t, taxonomy.Some(7*time.Second), ev.RetryAfter)
	p, ok := errors.AsType[*problem.Problem](err)
	require.True(t, ok)
	assert.Equal(t, &problem.Problem{Type: "about:blank", Title: "Slow down", Status: 429, Instance: "/i",
		Extensions: map[string]json.RawMessage{"limit": json.RawMessage("10")}}, p)
	assert.ErrorIs(t, orders.Classify(err), orders.CodeTooMany)

	_, err = get(t, http.NotFoundHandler())
	p, ok = errors.AsType[*problem.Problem](err)
	require.True(t, ok)
	assert.Equal(t, &problem.Problem{Title: "Not Found", Status: 404}, p)
	_, err = get(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), orders.Table)
	assert.NoError(t, err, "a response without an error")
}
