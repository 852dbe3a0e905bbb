package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/providers/providertest"
)

// asked sends a request through an exchange, and reads the answer to its end if there is one.
func asked(ctx context.Context, t *testing.T, transport http.RoundTripper, url string) *Exchange {
	t.Helper()
	x := &Exchange{}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("{}"))
	require.NoError(t, err)
	res, err := x.Pass(req, Client(&http.Client{Transport: transport}).Do)
	if err == nil {
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}
	return x
}

func TestUnused(t *testing.T) {
	for _, c := range []struct {
		what  string
		reply providertest.Reply
		want  bool
	}{
		{"a limit", providertest.AnthropicRateLimit("1"), true},
		{"overloaded", providertest.AnthropicOverloaded(), true},
		{"a key that is not known", providertest.OpenAIAuth(), true},
		{"a gateway's page", providertest.GatewayHTML(503), true},
		{"a redirect", providertest.Reply{Status: 302}.With("Location", "/elsewhere"), true},
		{"a refusal that breaks off", providertest.Reply{Status: 429, Body: `{"error":`}.Ending(providertest.EndEarly),
			true},
		{"an answer", providertest.OpenAIText("x"), false},
		{"a stream that breaks off", providertest.OpenAITruncated("x").Ending(providertest.EndReset), false},
		{"a page that says it succeeded", providertest.GatewayHTML(200), false},
		{"no answer", providertest.Reset(), false},
	} {
		t.Run(c.what, func(t *testing.T) {
			server := providertest.NewServer(c.reply)
			defer server.Close()
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			assert.Equal(t, c.want, asked(t.Context(), t, transport, server.URL).Unused())
		})
	}
}

func TestWhatWasNotSentIsUnused(t *testing.T) {
	plain := &http.Transport{}
	defer plain.CloseIdleConnections()
	untrusted := providertest.NewTLSServer(providertest.OpenAIText("x"))
	defer untrusted.Close()
	assert.True(t, asked(t.Context(), t, plain, providertest.Refused()).Unused(), "nobody listens")
	assert.True(t, asked(t.Context(), t, plain, untrusted.URL).Unused(), "a certificate that nobody knows")
	assert.Zero(t, untrusted.Count())

	over, end := context.WithCancel(t.Context())
	end()
	assert.True(t, asked(over, t, plain, untrusted.URL).Unused(), "over before it began")

	ctx, cancel := context.WithCancel(t.Context())
	dialing := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		cancel()
		return nil, context.Canceled
	}}
	assert.True(t, asked(ctx, t, dialing, "http://api.example.invalid").Unused(),
		"cancelled before there was a connection")
}

func TestWhatWasSentMayBeUsed(t *testing.T) {
	server := providertest.NewServer(providertest.Hang().Always())
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	ctx, cancel := context.WithCancel(t.Context())
	sent := httptrace.WithClientTrace(
		ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { cancel() }})
	assert.False(t, asked(sent, t, transport, server.URL).Unused(),
		"cancelled behind the request; the trace of the caller goes on")
	assert.ErrorIs(t, ctx.Err(), context.Canceled)

	silent := roundTrip(func(*http.Request) (*http.Response, error) { return nil, errors.New("no answer") })
	assert.False(t, asked(t.Context(), t, silent, server.URL).Unused(), "a transport that does not tell")
	assert.False(t, (&Exchange{}).Unused(), "one of which nothing is known")
}

type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestStreamsOfOneConnection has HTTP/2 tell of its connections, too: the first request opens one,
// the next uses it.
func TestStreamsOfOneConnection(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, 2, r.ProtoMajor)
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/limit" {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		panic(http.ErrAbortHandler)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	transport := server.Client().Transport
	defer server.Client().CloseIdleConnections()
	assert.False(t, asked(t.Context(), t, transport, server.URL).Unused(), "broken off on a new connection")
	assert.False(t, asked(t.Context(), t, transport, server.URL).Unused(), "broken off on one that was there")
	assert.True(t, asked(t.Context(), t, transport, server.URL+"/limit").Unused())
}
