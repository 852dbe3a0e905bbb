package detect

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"

	"github.com/errgen/errgen/runtime/internal/effect"
	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Bounds on the walk through the tree of an error, so that a cycle and a tree that shares its
// branches end.
const (
	maxDepth  = 64
	maxErrors = 1024
)

// The types that follow from errors of the standard library.
const (
	typeTimeout  = "timeout"
	typeNetwork  = "network"
	typeNotFound = "not_found"
	typeStart    = "start"
)

// walker collects evidence from the tree of an error.
type walker struct {
	builder
	found taxonomy.Evidence
	// base is the evidence in the tree, or nil.
	base *taxonomy.Evidence
	// kind is the type that follows from errors of the standard library. It is used if no error has
	// a type.
	kind string
	// stderr is the standard error of a process; forked reports that its error is one of several.
	stderr string
	forked bool
	// response is the first response in the tree.
	response *http.Response
	// left is the number of errors that may still be walked.
	left int
}

// ofError returns the evidence that err contains. If its base is evidence in the tree, complete is
// true.
func ofError(err error) (ev taxonomy.Evidence, complete bool) {
	w := walker{left: maxErrors}
	w.ev = &w.found
	w.walk(err, maxDepth, false)
	setName(&w.found.Type, w.kind)
	w.found.Effect = effect.Of(err)
	text, ok := textOf(err, err.Error)
	if !ok {
		err = errors.New(text) // the methods of err cannot be called
	}
	if w.base != nil {
		ev = *w.base
		b := builder{ev: &ev}
		b.evidence(&w.found)
		ev.Err = err
		return ev, true
	}
	w.found.Err = err
	switch {
	case w.stderr == "":
		w.found.Text = text
	case w.forked:
		w.found.Text = text + "\n" + w.stderr
	default:
		w.found.Text = w.stderr
	}
	if w.found.Text == "" && w.response != nil {
		w.responseBody(w.response)
	}
	return w.found, false
}

// walk collects the values of err and of the errors below it. It does not descend below evidence,
// which already has the values of the errors below it.
func (w *walker) walk(err error, depth int, forked bool) {
	if err == nil || depth == 0 || w.left == 0 {
		return
	}
	w.left--
	if ev, ok := err.(*taxonomy.Evidence); ok {
		switch {
		case ev == nil:
		case w.base == nil:
			w.base = ev
		default:
			w.evidence(ev)
		}
		return
	}
	known := false
	try(func() { known = w.standard(err, forked) || w.coded(err) })
	if !known {
		try(func() { w.methods(err) })
		try(func() { w.fields(err) })
	}
	branches, one := errtree.Below(err)
	w.walk(one, depth-1, forked)
	for _, e := range branches {
		w.walk(e, depth-1, forked || len(branches) > 1)
	}
}

// coded collects the values of an error of another taxonomy, and reports whether err is one.
func (w *walker) coded(err error) bool {
	c, ok := err.(taxonomy.Coded)
	if !ok {
		return false
	}
	setName(&w.ev.Code, taxonomy.CodeOf(c))
	h := taxonomy.HintsOf(c)
	if len(w.ev.Files) == 0 {
		w.ev.Files = h.Files
	}
	set(&w.ev.Credential, h.Credential)
	set(&w.ev.Output, h.Output)
	if d, ok := h.RetryAfter.Get(); ok {
		w.retryAfter(d)
	}
	if t, ok := h.ResetAt.Get(); ok {
		w.resetAt(t)
	}
	return true
}

// standard collects the values of an error of the standard library, and reports whether err is one.
func (w *walker) standard(err error, forked bool) bool {
	switch x := err.(type) {
	case *exec.ExitError:
		w.exit(x, forked)
	case *exec.Error:
		w.attribute("command", x.Name)
		if errtree.Is(x.Err, fs.ErrNotExist) || errtree.Is(x.Err, exec.ErrNotFound) {
			set(&w.kind, typeNotFound)
		} else {
			set(&w.kind, typeStart)
		}
	case *fs.PathError:
		w.attribute("path", x.Path)
		w.attribute("operation", x.Op)
		if x.Op == "fork/exec" {
			set(&w.kind, typeStart)
		}
	case *os.LinkError:
		w.attribute("path", x.Old)
		w.attribute("operation", x.Op)
	case *os.SyscallError:
		w.attribute("syscall", x.Syscall)
	case *net.OpError:
		w.attribute("operation", x.Op)
		w.network(x)
		if x.Addr != nil {
			address := x.Addr.String()
			w.attribute("address", address)
			if host, _, err := net.SplitHostPort(address); err == nil {
				w.attribute("host", host)
			}
		}
	case *net.DNSError:
		w.network(x)
		w.attribute("host", x.Name)
	case *url.Error:
		w.request(x)
	default:
		return w.sentinel(err)
	}
	return true
}

// sentinel collects the type and errno of an error without fields.
func (w *walker) sentinel(err error) bool {
	if err == exec.ErrNotFound {
		set(&w.kind, typeNotFound)
		return true
	}
	errno, ok := errnoName(err)
	if !ok {
		return false
	}
	set(&w.ev.Errno, errno)
	switch errno {
	case "ETIMEDOUT":
		set(&w.kind, typeTimeout)
	case "ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "ENETDOWN", "ENETUNREACH", "ENETRESET", "EHOSTDOWN",
		"EHOSTUNREACH":
		set(&w.kind, typeNetwork)
	}
	return true
}

// exit collects how a process ended, and its standard error.
func (w *walker) exit(e *exec.ExitError, forked bool) {
	if w.stderr == "" && len(bytes.TrimSpace(e.Stderr)) > 0 {
		w.stderr, w.forked = boundedBytes(e.Stderr), forked
	}
	if e.ProcessState == nil || w.ev.Signal != "" || !w.ev.ExitCode.IsZero() {
		return
	}
	if w.ev.Signal = signalOf(e.ProcessState); w.ev.Signal == "" {
		w.exitCode(e.ExitCode())
	}
}

// request collects the values of a request without a response.
func (w *walker) request(e *url.Error) {
	w.attribute("operation", e.Op)
	if u, err := url.Parse(e.URL); err == nil {
		w.attribute("host", u.Hostname())
	}
	switch {
	case timedOut(e):
		set(&w.kind, typeTimeout)
	case e.Err == io.EOF, e.Err == io.ErrUnexpectedEOF: // the connection was closed
		set(&w.kind, typeNetwork)
	}
}

// network sets the type of a network failure.
func (w *walker) network(err error) {
	if timedOut(err) {
		set(&w.kind, typeTimeout)
	} else {
		set(&w.kind, typeNetwork)
	}
}

// timedOut reports whether err has a method Timeout that returns true.
func timedOut(err error) (timeout bool) {
	if x, ok := err.(interface{ Timeout() bool }); ok {
		try(func() { timeout = x.Timeout() })
	}
	return timeout
}
