package detect

import (
	"bytes"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"syscall"
)

// The types that follow from the standard library's errors.
const (
	typeTimeout  = "timeout"
	typeNetwork  = "network"
	typeNotFound = "not_found"
	typeStart    = "start"
)

// standard collects what an error of the standard library knows, and reports whether it is one.
func (g *gather) standard(err error, forked bool) bool {
	switch x := err.(type) {
	case *exec.ExitError:
		g.exit(x, forked)
	case *exec.Error:
		g.program(x)
	case *fs.PathError:
		g.attribute("path", x.Path)
		g.attribute("operation", x.Op)
		if x.Op == "fork/exec" {
			set(&g.kind, typeStart)
		}
	case *os.LinkError:
		g.attribute("path", x.Old)
		g.attribute("operation", x.Op)
	case *os.SyscallError:
		g.attribute("syscall", x.Syscall)
	case *net.OpError:
		g.connection(x)
	case *net.DNSError:
		g.network(x)
		g.attribute("host", x.Name)
	case *url.Error:
		g.request(x)
	default:
		return g.plain(err)
	}
	return true
}

// plain collects what an error without fields knows.
func (g *gather) plain(err error) bool {
	if err == exec.ErrNotFound {
		set(&g.kind, typeNotFound)
		return true
	}
	errno, ok := errnoName(err)
	if !ok {
		return false
	}
	set(&g.ev.Errno, errno)
	switch errno {
	case "ETIMEDOUT":
		set(&g.kind, typeTimeout)
	case "ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "ENETDOWN", "ENETUNREACH", "ENETRESET", "EHOSTDOWN",
		"EHOSTUNREACH":
		set(&g.kind, typeNetwork)
	}
	return true
}

// exit collects how a process ended.
func (g *gather) exit(e *exec.ExitError, forked bool) {
	if g.stderr == "" && len(bytes.TrimSpace(e.Stderr)) > 0 {
		g.stderr, g.forked = endOf(e.Stderr), forked
	}
	if e.ProcessState == nil || g.ev.Signal != "" || !g.ev.ExitCode.IsZero() {
		return
	}
	if g.ev.Signal = signalOf(e.ProcessState); g.ev.Signal == "" {
		g.exitCode(e.ExitCode())
	}
}

// program collects why a program cannot be run.
func (g *gather) program(e *exec.Error) {
	g.attribute("command", e.Name)
	if noSuchFile(e.Err) {
		set(&g.kind, typeNotFound)
		return
	}
	set(&g.kind, typeStart)
}

// noSuchFile reports whether err, the cause of an [exec.Error], says that there is no such file.
func noSuchFile(err error) bool {
	if e, ok := err.(*fs.PathError); ok && e != nil {
		err = e.Err
	}
	return err == exec.ErrNotFound || err == fs.ErrNotExist || err == error(syscall.ENOENT)
}

func (g *gather) connection(e *net.OpError) {
	g.attribute("operation", e.Op)
	g.network(e)
	if e.Addr == nil {
		return
	}
	address := e.Addr.String()
	g.attribute("address", address)
	if host, _, err := net.SplitHostPort(address); err == nil {
		g.attribute("host", host)
	}
}

// request collects what is known of a request that had no answer.
func (g *gather) request(e *url.Error) {
	g.attribute("operation", e.Op)
	if u, err := url.Parse(e.URL); err == nil {
		g.attribute("host", u.Hostname())
	}
	switch {
	case timedOut(e):
		set(&g.kind, typeTimeout)
	case e.Err == io.EOF, e.Err == io.ErrUnexpectedEOF: // the connection was closed
		set(&g.kind, typeNetwork)
	}
}

// network sets the type of a failure of the network.
func (g *gather) network(err error) {
	if timedOut(err) {
		set(&g.kind, typeTimeout)
		return
	}
	set(&g.kind, typeNetwork)
}

// timedOut reports whether err says so of itself.
func timedOut(err error) bool {
	x, ok := err.(interface{ Timeout() bool })
	if !ok {
		return false
	}
	timeout, _ := ask(func() bool { return x.Timeout() })
	return timeout
}
