// Package errtest makes the other side of a call fail, in tests. It knows each code of a taxonomy,
// and a failure that has the code: the examples of its rules.
//
//	calendar := errtest.New(t, errs.Table, errs.Examples())
//	calendar.Fail(errs.CodeCalendarBusy)
//	calendar.Then(200, `{"id":"e-1"}`)
//	c := httpcall.New(errs.Table, errs.SourceCalendar, httpcall.WithHTTP(calendar.Client()))
//
// [Each] makes a call once for each example of a source, and checks how the program reacts.
package errtest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// hangs is how long a call waits for an answer that never comes, if nothing ends it before. In a
// bubble of testing/synctest it takes no time.
const hangs = time.Hour

// Script is the other side of calls. It gives its answers in the order of the methods that set them,
// one to each call, and the last one to all further calls. Without an answer, a call succeeds.
//
// A Script is an [http.RoundTripper]. [Script.Connector] is a database, and [Script.Serve] a server
// on the network. [Script.Err] is the failure alone, for a call of any other kind.
type Script struct {
	t        testing.TB
	table    taxonomy.Table
	examples []taxonomy.Example

	mu      sync.Mutex
	answers []answer
	repeats bool // whether the only answer was given
	calls   []call
}

// call is a call that was made.
type call struct{ began, ended time.Time }

// answer is what the other side does with a call.
type answer struct {
	// failure is the failure as rules see it, or nil.
	failure *taxonomy.Evidence
	// sent is the error that a server with the same taxonomy sends, or nil.
	sent   taxonomy.Error
	status int
	body   string
}

// New returns a script for the codes of a table. The examples are those that the function Examples
// of its package returns.
func New(t testing.TB, table taxonomy.Table, examples []taxonomy.Example) *Script {
	return &Script{t: t, table: table, examples: examples}
}

// Fail answers a call with a failure that has the code: the first example of the code. A code
// without an example is an error of a server with the taxonomy, such as a problem document.
func (s *Script) Fail(code taxonomy.Coded) {
	for _, x := range s.examples {
		if x.Code == taxonomy.CodeOf(code) {
			s.add(answer{failure: &x.Evidence})
			return
		}
	}
	s.add(answer{sent: code.Taxonomy().New(code.Row(), nil)})
}

// Then answers a call with an HTTP status and a body. A database succeeds if the status is below 400.
func (s *Script) Then(status int, body string) { s.add(answer{status: status, body: body}) }

// Hang gives a call no answer until its context ends.
func (s *Script) Hang() { s.add(answer{failure: &taxonomy.Evidence{Type: "timeout"}}) }

// Cut ends the connection of a call after the request was sent.
func (s *Script) Cut() { s.add(answer{failure: &taxonomy.Evidence{Type: "network"}}) }

// Garbage answers a call with status 200 and a page in place of the expected content.
func (s *Script) Garbage() { s.add(answer{failure: &taxonomy.Evidence{Type: "malformed"}}) }

// Calls returns the number of the calls so far.
func (s *Script) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

func (s *Script) add(a answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.repeats {
		s.answers, s.repeats = nil, false
	}
	s.answers = append(s.answers, a)
}

// next begins a call, and returns the answer to it and the function that ends it.
func (s *Script) next() (a answer, end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.calls)
	s.calls = append(s.calls, call{began: time.Now()})
	if len(s.answers) > 0 {
		a = s.answers[0]
	}
	if s.repeats = len(s.answers) == 1; !s.repeats && len(s.answers) > 0 {
		s.answers = s.answers[1:]
	}
	return a, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.calls[n].ended = time.Now()
	}
}

// Err makes a call of any kind, and returns how it fails in Go: an error with the method SQLState for
// an example with an SQLSTATE, an error of package net for one of the network, and otherwise evidence
// without a source. If the call succeeds, it returns nil.
func (s *Script) Err(ctx context.Context) error {
	a, end := s.next()
	defer end()
	return a.err(ctx)
}

func (a answer) err(ctx context.Context) error {
	switch {
	case a.sent != nil:
		return a.sent
	case a.failure == nil && a.status >= http.StatusBadRequest:
		return errors.New(http.StatusText(a.status))
	case a.failure == nil:
		return nil
	case isSQLState(a.failure.Code):
		return &sqlError{a.failure.Code, a.failure.Text}
	case a.failure.Err != nil:
		return a.failure.Err
	}
	switch a.kind() {
	case "timeout":
		return hang(ctx)
	case "network":
		if a.failure.Errno == "ECONNREFUSED" {
			return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
		}
		return &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	}
	ev := *a.failure
	ev.Source = ""
	return &ev
}

// kind returns the type of a failure that has nothing more specific, such as a status.
func (a answer) kind() string {
	if a.failure == nil || a.failure.Status != 0 || a.failure.Code != "" {
		return ""
	}
	return a.failure.Type
}

// hang waits for the end of ctx.
func hang(ctx context.Context) error {
	timer := time.NewTimer(hangs)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return os.ErrDeadlineExceeded
	}
}

// sqlError is the error of a database, with the method by which drivers show the SQLSTATE.
type sqlError struct{ state, text string }

func (e *sqlError) Error() string    { return strings.TrimSpace(e.text + " (SQLSTATE " + e.state + ")") }
func (e *sqlError) SQLState() string { return e.state }

func isSQLState(code string) bool {
	const length = 5
	return len(code) == length && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}
