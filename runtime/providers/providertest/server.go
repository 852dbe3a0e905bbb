// Package providertest imitates the services and the program behind the providers. A taxonomy, or a
// program that uses the providers, can be tested without an account, with the real SDKs over HTTP
// and with a real process.
//
//	server := providertest.NewServer(
//		providertest.Fixture("anthropic/rate_limit"),
//		providertest.AnthropicTool("write_file", `{"path":"a.txt","content":"hello"}`),
//		providertest.AnthropicText("done\nTASK COMPLETE"),
//	)
//	defer server.Close()
//
// A [Server] plays raw HTTP responses, and a [CLI] is a program that imitates Claude Code.
package providertest

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
)

// Request is a request as a server saw it.
type Request struct {
	Method string
	// Path is the path with the query.
	Path string
	// Header are the headers. Credentials are replaced by "***".
	Header http.Header
	Body   []byte
}

// Server is an HTTP server on 127.0.0.1 that plays a list of replies. It is safe for concurrent
// use.
type Server struct {
	// URL is the server's address, without a path.
	URL string

	server *httptest.Server
	closed chan struct{}
	once   sync.Once

	mu       sync.Mutex
	replies  []Reply
	requests []Request
}

// NewServer starts a server that answers with the replies, in order, and then with status 500. It
// panics if it cannot listen, as [httptest.NewServer] does.
func NewServer(replies ...Reply) *Server {
	s := &Server{closed: make(chan struct{}), replies: slices.Clone(replies)}
	s.server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	// Clients that disconnect early are part of tests.
	s.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.server.Start()
	s.URL = s.server.URL
	return s
}

// Add appends replies.
func (s *Server) Add(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = append(s.replies, replies...)
}

// Requests returns the requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Left returns the number of replies that were not played yet.
func (s *Server) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.replies)
}

// Close ends hanging responses, closes all connections, and waits until every handler has returned.
// It can be called repeatedly.
func (s *Server) Close() {
	s.once.Do(func() {
		close(s.closed)
		s.server.CloseClientConnections()
		s.server.Close()
	})
}

// Refused returns the URL of a port of 127.0.0.1 that refuses connections, unless another process
// takes the port.
func Refused() string {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	return server.URL
}

// serve answers a request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	reply := s.next(record(r))
	if !reply.empty() || reply.End == EndWhole || reply.End == EndEarly {
		s.write(w, &reply)
	}
	switch reply.End {
	case EndEarly:
		abort()
	case EndReset:
		reset(w)
	case EndNever:
		s.hang(r)
	}
}

// hang keeps the connection until the client disconnects or the server is closed.
func (s *Server) hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.closed:
	}
	abort()
}

// abort closes the connection before the end of the body.
func abort() { panic(http.ErrAbortHandler) }

// next returns the reply to the request.
func (s *Server) next(r Request) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	if len(s.replies) == 0 {
		return Reply{Status: http.StatusInternalServerError,
			Body: `{"error":{"type":"script_exhausted","message":"the test's script has no more replies"}}`}
	}
	reply := s.replies[0]
	if !reply.Repeat {
		s.replies = s.replies[1:]
	}
	return reply
}

// record reads a request to its end, so that the server notices when the client disconnects.
func record(r *http.Request) Request {
	body, _ := io.ReadAll(r.Body) // if the client disconnects, the body is incomplete
	header := maps.Clone(r.Header)
	for _, name := range []string{"Authorization", "X-Api-Key", "Api-Key", "Cookie", "Proxy-Authorization"} {
		if header.Get(name) != "" {
			header[name] = []string{"***"}
		}
	}
	return Request{Method: r.Method, Path: r.URL.RequestURI(), Header: header, Body: body}
}

// write sends everything before the end of the reply. It ignores errors, because they mean that the
// client has disconnected.
func (s *Server) write(w http.ResponseWriter, reply *Reply) {
	maps.Copy(w.Header(), reply.Header)
	if w.Header().Get("Content-Type") == "" && json.Valid([]byte(reply.Body)) {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(max(reply.Status, http.StatusOK))
	_, _ = io.WriteString(w, reply.Body)
	s.fill(w, reply.Filler)
	if reply.End != EndWhole {
		_ = http.NewResponseController(w).Flush()
	}
}

// fill sends n bytes, or as many as the client takes.
func (s *Server) fill(w io.Writer, n int64) {
	chunk := bytes.Repeat([]byte("x"), 64<<10)
	for n > 0 {
		sent, err := w.Write(chunk[:min(n, int64(len(chunk)))])
		if n -= int64(sent); err != nil {
			return
		}
	}
}

// reset resets the connection.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		abort()
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
