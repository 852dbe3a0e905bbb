package detect_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/effect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// attributes makes attributes of names and values in turn.
func attributes(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return m
}

func TestOfStandardErrors(t *testing.T) {
	address := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 443}
	refused := &net.OpError{Op: "dial", Net: "tcp", Addr: address,
		Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	request := func(err error) error {
		return &url.Error{Op: "Post", URL: "https://user:pw@api.example.org/v1?key=x", Err: err}
	}
	for _, c := range []struct {
		err  error
		want taxonomy.Evidence
	}{
		{errors.New("said"), taxonomy.Evidence{}},
		{context.Canceled, taxonomy.Evidence{}},
		{io.EOF, taxonomy.Evidence{}},
		{io.ErrUnexpectedEOF, taxonomy.Evidence{}},
		{context.DeadlineExceeded, taxonomy.Evidence{Type: "timeout"}},
		{os.ErrDeadlineExceeded, taxonomy.Evidence{Type: "timeout"}},
		{fmt.Errorf("call: %w", context.DeadlineExceeded), taxonomy.Evidence{Type: "timeout"}},
		{errors.Join(io.EOF, context.DeadlineExceeded), taxonomy.Evidence{Type: "timeout"}},
		{syscall.ETIMEDOUT, taxonomy.Evidence{Type: "timeout", Errno: "ETIMEDOUT"}},
		{syscall.EWOULDBLOCK, taxonomy.Evidence{Errno: "EAGAIN"}},
		{syscall.ENOTSUP, taxonomy.Evidence{Errno: "EOPNOTSUPP"}},
		{syscall.ECONNRESET, taxonomy.Evidence{Type: "network", Errno: "ECONNRESET"}},
		{syscall.Errno(0x7777), taxonomy.Evidence{}},
		{refused, taxonomy.Evidence{Type: "network", Errno: "ECONNREFUSED",
			Attributes: attributes("operation", "dial", "address", "10.0.0.1:443", "host", "10.0.0.1", "syscall",
				"connect")}},
		{&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded},
			taxonomy.Evidence{Type: "timeout", Attributes: attributes("operation", "read")}},
		{&net.DNSError{Err: "no such host", Name: "example.org", IsNotFound: true},
			taxonomy.Evidence{Type: "network", Attributes: attributes("host", "example.org")}},
		{&net.DNSError{Err: "slow", Name: "example.org", IsTimeout: true},
			taxonomy.Evidence{Type: "timeout", Attributes: attributes("host", "example.org")}},
		{request(refused), taxonomy.Evidence{Type: "network", Errno: "ECONNREFUSED",
			Attributes: attributes("operation", "Post", "host", "api.example.org", "address", "10.0.0.1:443", "syscall",
				"connect")}},
		{request(context.DeadlineExceeded),
			taxonomy.Evidence{Type: "timeout", Attributes: attributes("operation", "Post", "host", "api.example.org")}},
		{request(io.EOF),
			taxonomy.Evidence{Type: "network", Attributes: attributes("operation", "Post", "host", "api.example.org")}},
		{request(errors.New("unsupported protocol scheme")),
			taxonomy.Evidence{Attributes: attributes("operation", "Post", "host", "api.example.org")}},
		{&fs.PathError{Op: "open", Path: "/a", Err: syscall.ENOENT},
			taxonomy.Evidence{Errno: "ENOENT", Attributes: attributes("path", "/a", "operation", "open")}},
		{&fs.PathError{Op: "fork/exec", Path: "/a", Err: syscall.EAGAIN},
			taxonomy.Evidence{Type: "start", Errno: "EAGAIN",
				Attributes: attributes("path", "/a", "operation", "fork/exec")}},
		{&os.LinkError{Op: "rename", Old: "/a", New: "/b", Err: syscall.EXDEV},
			taxonomy.Evidence{Errno: "EXDEV", Attributes: attributes("path", "/a", "operation", "rename")}},
		{exec.ErrNotFound, taxonomy.Evidence{Type: "not_found"}},
		{&exec.Error{Name: "claude", Err: exec.ErrNotFound},
			taxonomy.Evidence{Type: "not_found", Attributes: attributes("command", "claude")}},
		{&exec.Error{Name: "claude", Err: exec.ErrDot},
			taxonomy.Evidence{Type: "start", Attributes: attributes("command", "claude")}},
	} {
		want := c.want
		want.Err, want.Text, want.Effect = c.err, c.err.Error(), effect.Of(c.err)
		assert.Equal(t, want, detect.Of(c.err), "of %v", c.err)
	}
}

func TestOfMissingProgram(t *testing.T) {
	_, err := exec.LookPath("/no/such/program")
	assert.Equal(t, "not_found", detect.Of(err).Type)
	_, err = exec.LookPath("no-such-program")
	assert.Equal(t, "not_found", detect.Of(err).Type)
}

func TestOfEvidenceInAChain(t *testing.T) {
	base := &taxonomy.Evidence{Source: "git", Op: "push", Text: "said", Attributes: attributes("path", "/base"),
		Err: io.EOF}
	wrapped := errors.Join(&fs.PathError{Op: "open", Path: "/a", Err: base}, syscall.EPIPE,
		&taxonomy.Evidence{Source: "other", Code: "E1", Text: "more"})
	got := detect.Of(wrapped)
	assert.Equal(t, taxonomy.Evidence{
		Source: "git", Op: "push", Text: "said", Errno: "EPIPE", Code: "E1",
		Effect: taxonomy.EffectUnknown, Attributes: attributes("path", "/base", "operation", "open"), Err: wrapped,
	}, got)
	assert.ErrorIs(t, got.Err, io.EOF)
	assert.Equal(t, attributes("path", "/base"), base.Attributes, "the evidence in the chain stays as it was")

	silent := fmt.Errorf("timeout while calling, retry after 3: %w", &taxonomy.Evidence{Source: "git", Type: "start"})
	assert.Equal(t, taxonomy.Evidence{Source: "git", Type: "start", Err: silent}, detect.Of(silent))
	var none *taxonomy.Evidence
	assert.Equal(t, "x: <nil>", detect.Of(fmt.Errorf("x: %w", none)).Text)
}

// Errors that are nasty.
type (
	broken     struct{}
	unwrapping struct{}
	itself     struct{}
	comparing  []int
	deaf       struct{ cause error }
	pointed    struct {
		Status int
		Code   string
	}
	listing []error
)

func (broken) Error() string             { panic("broken") }
func (broken) Is(error) bool             { panic("broken") }
func (broken) As(any) bool               { panic("broken") }
func (broken) Timeout() bool             { panic("broken") }
func (broken) StatusCode() int           { panic("broken") }
func (broken) HTTPStatusCode() int       { panic("broken") }
func (broken) Status() int               { panic("broken") }
func (broken) ExitCode() int             { panic("broken") }
func (broken) Code() string              { panic("broken") }
func (broken) Type() string              { panic("broken") }
func (broken) SQLState() string          { panic("broken") }
func (broken) ErrorCode() string         { panic("broken") }
func (broken) RawJSON() string           { panic("broken") }
func (broken) RetryAfter() time.Duration { panic("broken") }
func (unwrapping) Error() string         { return "unwrapping" }
func (unwrapping) Unwrap() []error       { panic("broken") }
func (itself) Error() string             { return "itself" }
func (i itself) Unwrap() error           { return i }
func (comparing) Error() string          { return "comparing" }
func (d *deaf) Error() string            { panic("broken") }
func (d *deaf) Unwrap() error            { return d.cause }
func (p *pointed) Error() string         { return p.Code }
func (p *pointed) Type() string          { return p.Code }
func (l listing) Error() string          { return fmt.Sprint(len(l)) }
func (l listing) Unwrap() []error        { return l }

// Of never panics, and its walk is bounded.
func TestOfNastyErrors(t *testing.T) {
	loop := make(listing, 2)
	loop[0], loop[1] = loop, loop
	deep := error(syscall.ECONNRESET)
	for range 1000 {
		deep = &url.Error{Err: deep}
	}
	for _, c := range []struct {
		err       error
		text, typ string
	}{
		{broken{}, "(detect_test.broken panics when asked for its text)", ""},
		{(*pointed)(nil), "(*detect_test.pointed panics when asked for its text)", ""},
		{&deaf{cause: syscall.ECONNRESET}, "(*detect_test.deaf panics when asked for its text)", "network"},
		{(*net.OpError)(nil), "<nil>", ""},
		{(*url.Error)(nil), "(*url.Error panics when asked for its text)", ""},
		{&fs.PathError{}, "(*fs.PathError panics when asked for its text)", ""},
		{(*exec.ExitError)(nil), "(*exec.ExitError panics when asked for its text)", ""},
		{&exec.ExitError{ProcessState: &os.ProcessState{}}, "exit status 0", ""},
		{&net.OpError{Op: "dial", Addr: (*net.TCPAddr)(nil), Err: io.EOF}, "dial <nil>: EOF", "network"},
		{unwrapping{}, "unwrapping", ""},
		{itself{}, "itself", ""},
		{comparing{1}, "comparing", ""},
		{loop, "2", ""},
		{deep, deep.Error(), ""},
	} {
		got := detect.Of(c.err)
		assert.Equal(t, []string{c.text, c.typ}, []string{got.Text, got.Type}, "of %T", c.err)
		assert.NotPanics(t, func() { _ = got.Err.Error() })
	}
}

// FuzzOfChain builds trees of errors from the input.
func FuzzOfChain(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, "said")
	f.Add([]byte{15, 15, 14, 3, 9, 1}, "retry after 5")
	f.Fuzz(func(t *testing.T, shape []byte, text string) {
		err := errors.New(text)
		for _, b := range shape[:min(len(shape), 200)] {
			err = wrap(b, err, text)
		}
		got := detect.Of(err)
		assert.Error(t, got.Err)
		_ = got.Error()
		if d, ok := got.RetryAfter.Get(); ok {
			assert.GreaterOrEqual(t, d, time.Duration(0))
		}
		assert.Equal(t, got.Text, detect.Of(err).Text)
	})
}

func wrap(kind byte, err error, text string) error {
	switch kind % 16 {
	case 0:
		return &net.OpError{Op: text, Err: err}
	case 1:
		return &url.Error{Op: text, URL: text, Err: err}
	case 2:
		return &fs.PathError{Op: text, Path: text, Err: err}
	case 3:
		return errors.Join(err, syscall.Errno(kind))
	case 4:
		return &exec.Error{Name: text, Err: err}
	case 5:
		return &deaf{cause: err}
	case 6:
		return listing{nil, err, err}
	case 7:
		return &taxonomy.Evidence{Op: text, Err: err}
	case 8:
		return &apiError{StatusCode: int(kind), Message: text}
	case 9:
		return &exec.ExitError{Stderr: []byte(text)}
	case 10:
		return errors.Join(broken{}, err)
	case 11:
		return errors.Join(unwrapping{}, err)
	case 12:
		return errors.Join(itself{}, err)
	case 13:
		return &net.DNSError{Err: text, Name: text, UnwrapErr: err}
	case 14:
		return &githubError{Message: text}
	}
	return taxonomy.WithStack(err)
}

// foreign is the taxonomy of another package.
var foreign = taxonomy.Taxonomy{
	Categories: []*taxonomy.Category{{Codes: []taxonomy.Code{{}, {Value: "DISK_FULL"}}}},
}

// foreignError is an error of that taxonomy. Fields that its type has count for nothing; its hints
// do.
type foreignError struct {
	StatusCode int
	hints      taxonomy.Hints
	cause      error
}

func (e *foreignError) Error() string                { return "disk full" }
func (e *foreignError) Unwrap() error                { return e.cause }
func (e *foreignError) Taxonomy() *taxonomy.Taxonomy { return &foreign }
func (e *foreignError) Row() taxonomy.Row            { return taxonomy.At(0, 1) }
func (e *foreignError) Hints() taxonomy.Hints        { return e.hints }

func TestOfErrorsOfOtherTaxonomies(t *testing.T) {
	at := time.Unix(1_800_000_000, 0).UTC()
	hints := taxonomy.Hints{RetryAfter: taxonomy.Some(time.Second), ResetAt: taxonomy.Some(at), Files: []string{"a"},
		Credential: "main", Output: "out"}
	err := fmt.Errorf("save: %w", &foreignError{StatusCode: 500, hints: hints, cause: &pgError{Code: "53100"}})
	assert.Equal(t, taxonomy.Evidence{
		Code: "DISK_FULL", RetryAfter: hints.RetryAfter, ResetAt: at, Files: []string{"a"}, Credential: "main",
		Output: "out",
		Text:   "save: disk full", Err: err,
	}, detect.Of(err))
	unknown := taxonomy.NewUnknown(&foreign, taxonomy.Wire{Code: "GONE", Message: "gone"})
	assert.Equal(t, taxonomy.Evidence{Code: "GONE", Text: "gone", Err: unknown}, detect.Of(unknown))
	empty := errors.Join((*foreignError)(nil), io.EOF)
	assert.Equal(t, taxonomy.Evidence{Code: "DISK_FULL", Text: "disk full\nEOF", Err: empty,
		Effect: taxonomy.EffectUnknown}, detect.Of(empty))
}
