// Package script is the other side of calls that fail, in tests. It knows each code of a taxonomy,
// and a failure that has the code: the examples of its rules.
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
	"errors"
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

// Kind returns "timeout", "network" or "malformed" for a failure without an answer of the protocol,
// and otherwise "".
func (a Answer) Kind() string {
	if a.Failure == nil || a.Failure.Status != 0 || a.Failure.Code != "" {
		return ""
	}
	return a.Failure.Type
}

// Err returns how the call fails in Go, and nil if it succeeds: an error with the method SQLState
// for an example with an SQLSTATE, an error of package net for one of the network, and otherwise
// evidence without a source. A timeout waits for the end of ctx.
func (a Answer) Err(ctx context.Context) error {
	switch kind := a.Kind(); {
	case a.Sent != nil:
		return a.Sent
	case a.Failure == nil && a.Status >= http.StatusBadRequest:
		return errors.New(http.StatusText(a.Status))
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
	case kind == "network" && a.Failure.Errno == "ECONNREFUSED":
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case kind == "network":
		return &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	}
	ev := *a.Failure
	ev.Source = ""
	return &ev
}

// sqlError is the error of a database, with the method by which drivers show the SQLSTATE.
type sqlError struct{ state, text string }

func (e *sqlError) Error() string    { return strings.TrimSpace(e.text + " (SQLSTATE " + e.state + ")") }
func (e *sqlError) SQLState() string { return e.state }

func isSQLState(code string) bool {
	const length = 5
	return len(code) == length && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}
