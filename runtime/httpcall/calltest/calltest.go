// Package calltest is an HTTP server for tests, which gives the answers of a script: in process, or
// on the network.
//
//	calendar := script.New(errs.Examples())
//	calendar.Fail(errs.CodeCalendarBusy)
//	c := httpcall.New(errs.Table, errs.SourceCalendar, httpcall.WithHTTP(calltest.Client(calendar)))
package calltest

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/errgen/errgen/runtime/errtest/script"
	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Client returns an HTTP client whose requests the script answers in process.
func Client(s *script.Script) *http.Client { return &http.Client{Transport: transport{s}} }

// Serve starts a server on 127.0.0.1 that gives the answers, and returns its URL. It ends with the
// test. In a bubble of testing/synctest, use [Client], because the clock of a bubble stops while a
// connection of the network is read.
func Serve(t testing.TB, s *script.Script) (url string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		resp, err := transport{s}.RoundTrip(r)
		if err != nil {
			panic(http.ErrAbortHandler) // which ends the connection
		}
		for name, values := range resp.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections() // of calls that hang
		server.Close()
	})
	return server.URL
}

type transport struct{ *script.Script }

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
	}
	a, end := t.Next()
	defer end()
	w := httptest.NewRecorder()
	switch kind := a.Kind(); {
	case kind == "timeout", kind == "network":
		return nil, a.Err(r.Context())
	case a.Sent != nil:
		problem.Write(w, r, a.Sent, problem.OnError(func(*http.Request, error) {}))
	case kind == "malformed":
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!DOCTYPE html><title>Welcome</title>")
	case a.Failure != nil:
		writeFailure(w, a.Failure)
	default:
		if json.Valid([]byte(a.Body)) {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(cmp.Or(a.Status, http.StatusOK))
		_, _ = io.WriteString(w, a.Body)
	}
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// writeFailure writes a response that package detect reads as ev.
func writeFailure(w http.ResponseWriter, ev *taxonomy.Evidence) {
	if d, ok := ev.RetryAfter.Get(); ok {
		w.Header().Set("Retry-After", strconv.FormatFloat(d.Seconds(), 'f', -1, 64))
	}
	if !ev.ResetAt.IsZero() {
		w.Header().Set("X-Ratelimit-Reset", ev.ResetAt.UTC().Format(time.RFC3339))
	}
	for name, value := range ev.Attributes {
		w.Header().Set("X-"+name, value)
	}
	body := []byte(ev.Text)
	if ev.Code != "" || ev.Type != "" {
		body, _ = json.Marshal(struct { // texts have a JSON
			Code    string `json:"code,omitempty"`
			Type    string `json:"type,omitempty"`
			Message string `json:"message,omitempty"`
		}{ev.Code, ev.Type, ev.Text})
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(cmp.Or(ev.Status, http.StatusBadRequest))
	_, _ = w.Write(body)
}
