// Package script simulates a failing service in tests. Its failures are the examples of the
// taxonomy's rules.
//
//	calendar := script.New(errs.Examples())
//	calendar.Fail(errs.CodeCalendarBusy)
//	calendar.Then(200, `{"id":"e-1"}`)
//	c := httpcall.New(errs.Table, errs.SourceCalendar, httpcall.WithHTTP(calltest.Client(calendar)))
//
// Other packages connect a script to a protocol: calltest (HTTP), dbtest (database/sql), and in
// separate modules pgxtest, grpctest and connecttest.
package script

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Hangs is how long a call waits for an answer that never comes, if nothing ends it before. In a
// bubble of testing/synctest it takes no time.
const Hangs = time.Hour

// Script is the other side of calls. It gives its answers in the order of the methods that set
// them, one to each call, and the last one to all further calls. Without an answer, a call
// succeeds. It is safe for concurrent use.
type Script struct {
	examples []taxonomy.Example

	mu      sync.Mutex
	answers []Answer
	given   int // how many answers were given
	calls   []Call
}

// Call is a call that was made.
type Call struct{ Began, Ended time.Time }

// Answer is what the other side does with a call. Without a failure and an error, it succeeds.
type Answer struct {
	// Failure is the failure as rules see it, or nil.
	Failure *taxonomy.Evidence
	// Sent is the error that a server with the same taxonomy sends, or nil.
	Sent taxonomy.Error
	// Status and Body are those of [Script.Then].
	Status int
	Body   string
}

// New returns a script that fails with examples: those that the function Examples of a generated
// package returns.
func New(examples []taxonomy.Example) *Script { return &Script{examples: examples} }

// Fail answers a call with a failure that has the code: the first example of the code. A code
// without an example is an error of a server with the taxonomy, such as a problem document.
func (s *Script) Fail(code taxonomy.Coded) {
	for _, x := range s.examples {
		if x.Code == taxonomy.CodeOf(code) {
			s.Add(Answer{Failure: &x.Evidence})
			return
		}
	}
	s.Add(Answer{Sent: code.Taxonomy().New(code.Row(), nil)})
}

// Then answers a call with an HTTP status and a body. Other protocols succeed if the status is
// below 400.
func (s *Script) Then(status int, body string) { s.Add(Answer{Status: status, Body: body}) }

// Hang gives a call no answer until its context ends.
func (s *Script) Hang() { s.Add(Answer{Failure: &taxonomy.Evidence{Type: "timeout"}}) }

// Cut ends the connection of a call after the request was sent.
func (s *Script) Cut() { s.Add(Answer{Failure: &taxonomy.Evidence{Type: "network"}}) }

// Garbage answers a call with something else than the expected content, such as a page.
func (s *Script) Garbage() { s.Add(Answer{Failure: &taxonomy.Evidence{Type: "malformed"}}) }

// Calls returns the calls so far.
func (s *Script) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Add adds an answer.
func (s *Script) Add(a Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = append(s.answers, a)
}

// Next begins a call, and returns the answer to it and the function that ends it. It is for
// packages that connect a script to a protocol.
func (s *Script) Next() (a Answer, end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.calls)
	s.calls = append(s.calls, Call{Began: time.Now()})
	if i := min(s.given, len(s.answers)-1); i >= 0 {
		a, s.given = s.answers[i], i+1
	}
	return a, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.calls[n].Ended = time.Now()
	}
}

// Err makes a call of any kind, and returns how it fails in Go; see [Answer.Err].
func (s *Script) Err(ctx context.Context) error {
	a, end := s.Next()
	defer end()
	return a.Err(ctx)
}

// Kind returns the type of a failure that has neither a status nor a code, such as "timeout".
// Otherwise it returns an empty string.
func (a Answer) Kind() string {
	if a.Failure == nil || a.Failure.Status != 0 || a.Failure.Code != "" {
		return ""
	}
	return a.Failure.Type
}

// Err returns how the call fails in Go, and nil if it succeeds: an error with the method SQLState
// for an example with an SQLSTATE, an error of package net with the errno of the example (by
// default ECONNRESET) for one of the network, and otherwise
// evidence without a source. A timeout waits for the end of ctx.
func (a Answer) Err(ctx context.Context) error {
	switch kind := a.Kind(); {
	case a.Sent != nil:
		return a.Sent
	case a.Failure == nil && a.Status >= http.StatusBadRequest:
		return fmt.Errorf("status %d %s", a.Status, http.StatusText(a.Status))
	case a.Failure == nil:
		return nil
	case isSQLState(a.Failure.Code):
		return &sqlError{a.Failure.Code, a.Failure.Text}
	case a.Failure.Err != nil:
		return a.Failure.Err
	case kind == "timeout":
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(Hangs):
			return os.ErrDeadlineExceeded
		}
	case kind == "network":
		failed, ok := errnos[a.Failure.Errno]
		if !ok {
			failed = errnos["ECONNRESET"]
		}
		return &net.OpError{Op: failed.op, Net: "tcp", Err: os.NewSyscallError(failed.call, failed.errno)}
	}
	ev := *a.Failure
	ev.Source = ""
	return &ev
}

// errnos are the errors of operations of the network.
var errnos = map[string]struct {
	op, call string
	errno    syscall.Errno
}{
	"ECONNREFUSED": {"dial", "connect", syscall.ECONNREFUSED},
	"EHOSTUNREACH": {"dial", "connect", syscall.EHOSTUNREACH},
	"ENETUNREACH":  {"dial", "connect", syscall.ENETUNREACH},
	"ECONNABORTED": {"read", "read", syscall.ECONNABORTED},
	"ECONNRESET":   {"read", "read", syscall.ECONNRESET},
	"ETIMEDOUT":    {"read", "read", syscall.ETIMEDOUT},
	"EPIPE":        {"write", "write", syscall.EPIPE},
}

// sqlError is the error of a database, with the method by which drivers show the SQLSTATE.
type sqlError struct{ state, text string }

func (e *sqlError) Error() string    { return strings.TrimSpace(e.text + " (SQLSTATE " + e.state + ")") }
func (e *sqlError) SQLState() string { return e.state }

// isSQLState reports whether a code is an SQLSTATE. A word of five letters is another code, because
// each SQLSTATE of PostgreSQL has a digit.
func isSQLState(code string) bool {
	const length, digits = 5, "0123456789"
	return len(code) == length && strings.ContainsAny(code, digits) &&
		strings.Trim(code, digits+"ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
