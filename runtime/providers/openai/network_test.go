package openai

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	pt "github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// dialing returns a provider whose connections fail, and counts them.
func dialing(t *testing.T, err error) (*Provider, *atomic.Int32) {
	t.Helper()
	var dials atomic.Int32
	p := provider(t, "http://api.example.invalid", func(o *Options) {
		o.Client = &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (
			net.Conn, error) {
			dials.Add(1)
			return nil, err
		}}}
	})
	return p, &dials
}

func TestServersThatCannotBeReached(t *testing.T) {
	refused := provider(t, pt.Refused(), nil)
	untrusted := pt.NewTLSServer(pt.OpenAIText("x"))
	t.Cleanup(untrusted.Close)
	noSuchHost, lookups := dialing(
		t, &net.OpError{Op: "dial", Net: "tcp",
			Err: &net.DNSError{Err: "no such host", Name: "api.example.invalid", IsNotFound: true}})
	unreachable, dials := dialing(
		t, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.EHOSTUNREACH)})
	slow, attempts := dialing(t, &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded})
	for _, c := range []struct {
		what  string
		p     *Provider
		want  taxonomy.Evidence
		count func() int
	}{
		{"refused", refused, taxonomy.Evidence{Type: "network", Errno: "ECONNREFUSED"}, nil},
		{"an unknown name", noSuchHost,
			taxonomy.Evidence{Type: "network", Text: "dial tcp: lookup api.example.invalid: no such host"},
			func() int { return int(lookups.Load()) }},
		{"an unreachable host", unreachable, taxonomy.Evidence{Type: "network", Errno: "EHOSTUNREACH"},
			func() int { return int(dials.Load()) }},
		{"a connection that takes too long", slow, taxonomy.Evidence{Type: "timeout", Text: "dial tcp: i/o timeout"},
			func() int { return int(attempts.Load()) }},
		{"a certificate that nobody knows", provider(t, untrusted.URL, nil), taxonomy.Evidence{Type: "network"}, nil},
	} {
		t.Run(c.what, func(t *testing.T) {
			_, err := c.p.Call(t.Context(), request(t))
			ev := evidenceOf(t, err)
			assert.Zero(t, ev.Status)
			assert.NotEmpty(t, ev.Attribute("host"))
			assert.Equal(t, c.want.Type, ev.Type)
			assert.Equal(t, c.want.Errno, ev.Errno)
			if c.want.Text != "" {
				assert.Equal(t, c.want.Text, ev.Text)
			}
			if c.count != nil {
				assert.Equal(t, 1, c.count(), "it is tried once")
			}
			classified := errs.Classify(err)
			assert.Equal(t, "PROVIDER_API_ERROR", taxonomy.CodeOf(classified), "B-A25")
			assert.True(t, taxonomy.IsRetryable(classified))
		})
	}
	assert.Zero(t, untrusted.Count())
	_, err := provider(t, untrusted.URL, nil).Call(t.Context(), request(t))
	var certificate *tls.CertificateVerificationError
	assert.ErrorAs(t, err, &certificate, "the error below is kept")
}

func TestResetInTheMiddleOfAnAnswer(t *testing.T) {
	server, p := served(t, nil, pt.OpenAITruncated("I will").Ending(pt.EndReset).Always())
	_, err := p.Call(t.Context(), request(t))
	ev := evidenceOf(t, err)
	assert.Equal(t, "network", ev.Type)
	assert.Equal(t, "ECONNRESET", ev.Errno)
	assert.Equal(t, 1, server.Count())
}

// ended is a context that ends when it is told to, in the way it is told.
type ended struct {
	context.Context
	deadline time.Time
	done     chan struct{}
	err      error
}

func (e *ended) Deadline() (time.Time, bool) { return e.deadline, !e.deadline.IsZero() }
func (e *ended) Done() <-chan struct{}       { return e.done }
func (e *ended) Err() error {
	select {
	case <-e.done:
		return e.err
	default:
		return nil
	}
}

// ticking is a clock that goes on by a minute whenever it is looked at.
type ticking struct{ now atomic.Int64 }

func (c *ticking) Now() time.Time { return time.Unix(c.now.Add(60), 0) }

func (c *ticking) Sleep(context.Context, time.Duration) error {
	return errors.New("nobody sleeps here")
}

func TestDeadline(t *testing.T) {
	for _, c := range []struct {
		what     string
		reply    pt.Reply
		limit    time.Duration
		deadline time.Time
		timeout  string
		silent   bool
	}{
		{"before the answer", pt.Hang(), 5 * time.Minute, time.Unix(60+300, 0), "300000", true},
		{"within the answer", pt.OpenAITruncated("I will").Ending(pt.EndNever), 5 * time.Minute, time.Unix(60+300, 0),
			"300000", false},
		{"within an error", pt.Reply{Status: 500, Body: `{"error":`}.Ending(pt.EndNever), 5 * time.Minute,
			time.Unix(60+300, 0), "300000", false},
		{"that only the context knows", pt.Hang(), 0, time.Unix(60+90, 0), "90000", true},
		{"of a wait that the server asks for", pt.OpenAIRateLimit("3600").Ending(pt.EndNever), 5 * time.Minute,
			time.Unix(60+300, 0), "300000", false},
	} {
		t.Run(c.what, func(t *testing.T) {
			ctx := &ended{Context: context.Background(), deadline: c.deadline, done: make(chan struct{}),
				err: context.DeadlineExceeded}
			var once sync.Once
			server, p := served(t, func(o *Options) {
				o.Clock = &ticking{}
				o.Client.Transport = &tracing{next: o.Client.Transport, sent: c.silent,
					end: func() { once.Do(func() { close(ctx.done) }) }}
			}, c.reply.Always())
			req := request(t)
			req.Limit = c.limit
			_, err := p.Call(ctx, req)
			ev := evidenceOf(t, err)
			assert.Equal(t, "timeout", ev.Type)
			assert.Equal(t, "60000", ev.Attribute("elapsed_ms"))
			assert.Equal(t, c.timeout, ev.Attribute("timeout_ms"))
			assert.Zero(t, ev.Status)
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			classified := errs.Classify(err)
			assert.Equal(t, "OPERATION_TIMEOUT", taxonomy.CodeOf(classified))
			assert.Equal(t, "timeout", taxonomy.CategoryOf(classified))
			assert.True(t, taxonomy.IsRetryable(classified))
			var timeout *errs.TimeoutError
			require.ErrorAs(t, classified, &timeout)
			want, _ := strconv.ParseInt(c.timeout, 10, 64)
			assert.Equal(t, want, timeout.TimeoutMs)
			assert.LessOrEqual(t, server.Count(), 1, "it is asked for once")
		})
	}
}

// tracing ends a context when a request was sent, or its answer begins.
type tracing struct {
	next http.RoundTripper
	end  func()
	sent bool
}

// RoundTrip sends the request.
func (x *tracing) RoundTrip(r *http.Request) (*http.Response, error) {
	trace := &httptrace.ClientTrace{GotFirstResponseByte: x.end}
	if x.sent {
		trace = &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { x.end() }}
	}
	return x.next.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
}

func TestCancellationIsNoFailure(t *testing.T) {
	why := errors.New("the user has left")
	for _, c := range []struct {
		what  string
		cause error
	}{{"for a reason", why}, {"without one", nil}} {
		t.Run(c.what, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			_, p := served(t, func(o *Options) {
				o.Client.Transport = &tracing{next: o.Client.Transport, sent: true, end: func() { cancel(c.cause) }}
			}, pt.Hang())
			_, err := p.Call(ctx, request(t))
			want := c.cause
			if want == nil {
				want = context.Canceled
			}
			require.ErrorIs(t, err, want)
			var ev *taxonomy.Evidence
			assert.False(t, errors.As(err, &ev))
		})
	}
}

func TestContextThatHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	server, p := served(t, nil)
	_, err := p.Call(ctx, request(t))
	require.ErrorIs(t, err, context.Canceled)
	assert.Zero(t, server.Count())
}

func TestDeadlineThatIsACauseOfItsOwn(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(context.DeadlineExceeded)
	_, p := served(t, nil)
	_, err := p.Call(ctx, request(t))
	assert.Equal(t, "timeout", evidenceOf(t, err).Type)
}
