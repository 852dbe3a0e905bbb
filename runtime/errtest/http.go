package errtest

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Client returns an HTTP client whose requests the script answers in process.
func (s *Script) Client() *http.Client { return &http.Client{Transport: s} }

// RoundTrip answers a request in process.
func (s *Script) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
	}
	a, end := s.next()
	defer end()
	if kind := a.kind(); kind == "timeout" || kind == "network" {
		return nil, a.err(r.Context())
	}
	w := httptest.NewRecorder()
	a.write(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// Serve starts a server on 127.0.0.1 that gives the answers, and returns its URL. It ends with the
// test. In a bubble of testing/synctest, use [Script.Client], because the clock of a bubble stops
// while a connection of the network is read.
func (s *Script) Serve() (url string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		resp, err := s.RoundTrip(r)
		if err != nil {
			panic(http.ErrAbortHandler) // which ends the connection
		}
		for name, values := range resp.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	}))
	s.t.Cleanup(func() {
		server.CloseClientConnections() // of calls that hang
		server.Close()
	})
	return server.URL
}

// write writes the response to a request.
func (a answer) write(w http.ResponseWriter, r *http.Request) {
	switch {
	case a.sent != nil:
		problem.Write(w, r, a.sent, problem.OnError(func(*http.Request, error) {}))
	case a.kind() == "malformed":
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!DOCTYPE html><title>Welcome</title>")
	case a.failure != nil:
		writeFailure(w, a.failure)
	default:
		if json.Valid([]byte(a.body)) {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(cmp.Or(a.status, http.StatusOK))
		_, _ = io.WriteString(w, a.body)
	}
}

// writeFailure writes a response that package detect reads as ev.
func writeFailure(w http.ResponseWriter, ev *taxonomy.Evidence) {
	if d, ok := ev.RetryAfter.Get(); ok {
		w.Header().Set("Retry-After", strconv.FormatFloat(d.Seconds(), 'f', -1, 64))
	}
	if !ev.ResetAt.IsZero() {
		w.Header().Set("X-Ratelimit-Reset", ev.ResetAt.UTC().Format(time.RFC3339))
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
