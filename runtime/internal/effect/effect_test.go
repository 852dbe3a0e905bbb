package effect_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/rpc"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/effect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// sqlError is an error of a database driver.
type sqlError string

func (e sqlError) Error() string    { return "database: " + string(e) }
func (e sqlError) SQLState() string { return string(e) }

// unsent is an error of a driver that reports whether something was sent.
type unsent bool

func (unsent) Error() string       { return "closed" }
func (u unsent) SafeToRetry() bool { return bool(u) }

// closedConn is the error of pgx for a connection that closed, also while it waited for an answer.
type closedConn struct{ unsent }

func (closedConn) Error() string { return "conn closed" }

type panics struct{}

func (panics) Error() string    { return "panics" }
func (panics) SQLState() string { panic("no state") }

func TestOf(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want taxonomy.Effect
	}{
		{"nil", nil, taxonomy.EffectUnspecified},
		{"plain", errors.New("failed"), taxonomy.EffectUnspecified},
		{"no such host", &net.OpError{Op: "dial", Err: &net.DNSError{IsNotFound: true}}, taxonomy.EffectNone},
		{"lookup", fmt.Errorf("lookup: %w", &net.DNSError{Name: "x", IsTimeout: true}), taxonomy.EffectNone},
		{"closed connection of net", fmt.Errorf("read: %w", net.ErrClosed), taxonomy.EffectUnknown},
		{"closed file", os.ErrClosed, taxonomy.EffectUnspecified},
		{"dial of a proxy", &net.OpError{Op: "proxyconnect", Err: &net.OpError{
			Op: "dial", Err: os.ErrDeadlineExceeded}}, taxonomy.EffectNone},
		{"dial", &net.OpError{Op: "dial", Err: errors.New("refused")}, taxonomy.EffectNone},
		{"read", &net.OpError{Op: "read", Err: errors.New("lost")}, taxonomy.EffectUnspecified},
		{"nil pointer", (*net.OpError)(nil), taxonomy.EffectUnspecified},
		{"address", net.InvalidAddrError("x"), taxonomy.EffectNone},
		{"no TLS", tls.RecordHeaderError{Conn: &net.TCPConn{}}, taxonomy.EffectNone},
		{"no TLS after a handshake", tls.RecordHeaderError{}, taxonomy.EffectUnspecified},
		{"alert of a handshake", tls.AlertError(40), taxonomy.EffectNone},
		{"alert after it", tls.AlertError(80), taxonomy.EffectUnspecified},
		{"certificate", &tls.CertificateVerificationError{Err: x509.HostnameError{}}, taxonomy.EffectNone},
		{"host name", x509.HostnameError{Certificate: &x509.Certificate{}}, taxonomy.EffectNone},
		{"cut off", io.ErrUnexpectedEOF, taxonomy.EffectUnknown},
		{"deadline", context.DeadlineExceeded, taxonomy.EffectUnknown},
		{"serialization failure", fmt.Errorf("commit: %w", sqlError("40001")), taxonomy.EffectNone},
		{"deadlock", sqlError("40P01"), taxonomy.EffectNone},
		{"unknown resolution", sqlError("08007"), taxonomy.EffectUnknown},
		{"unique violation", sqlError("23505"), taxonomy.EffectUnspecified},
		{"commit without an answer", fmt.Errorf("commit: %w", io.EOF), taxonomy.EffectUnknown},
		{"bad connection", driver.ErrBadConn, taxonomy.EffectNone},
		{"errors that a server sent", rpc.ServerError(driver.ErrBadConn.Error()), taxonomy.EffectUnspecified},
		{"of a TLS handshake", rpc.ServerError("net/http: TLS handshake timeout"), taxonomy.EffectUnspecified},
		{"of another protocol", rpc.ServerError(http.ErrSchemeMismatch.Error()), taxonomy.EffectUnspecified},
		{"the text of a bad connection", errors.New("driver: bad connection"), taxonomy.EffectUnspecified},
		{"safe to retry", fmt.Errorf("query: %w", unsent(true)), taxonomy.EffectNone},
		{"closed connection", closedConn{true}, taxonomy.EffectUnspecified},
		{"not safe to retry", unsent(false), taxonomy.EffectUnspecified},
		{"a method that panics", panics{}, taxonomy.EffectUnspecified},
		{"two calls", errors.Join(sqlError("40001"), io.EOF), taxonomy.EffectUnknown},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, effect.Of(tt.err)) })
	}
}

// TestRealCalls fails requests to real servers.
func TestRealCalls(t *testing.T) {
	called := make(chan struct{}, 1)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		called <- struct{}{}
		switch r.URL.Path {
		case "/cut":
			conn, _, err := w.(http.Hijacker).Hijack()
			if assert.NoError(t, err) {
				assert.NoError(t, conn.Close())
			}
		case "/reset":
			conn, _, err := w.(http.Hijacker).Hijack()
			if assert.NoError(t, err) {
				assert.NoError(t, conn.(*net.TCPConn).SetLinger(0))
				assert.NoError(t, conn.Close())
			}
		default:
			<-r.Context().Done()
		}
	})
	plain, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer plain.Close()
	defer secure.Close()
	silent := listen(t)
	closed := listen(t)
	require.NoError(t, closed.Close())

	impatient := &http.Client{Timeout: 50 * time.Millisecond}
	hasty := &http.Client{Transport: &http.Transport{TLSHandshakeTimeout: 50 * time.Millisecond}}
	for _, tt := range []struct {
		name, url string
		client    *http.Client
		called    bool
		want      taxonomy.Effect
	}{
		{"refused", "http://" + closed.Addr().String(), http.DefaultClient, false, taxonomy.EffectNone},
		{"unknown authority", secure.URL, http.DefaultClient, false, taxonomy.EffectNone},
		{"no TLS", "https" + plain.URL[4:], http.DefaultClient, false, taxonomy.EffectNone},
		{"handshake without an answer", "https://" + silent.Addr().String(), hasty, false, taxonomy.EffectNone},
		{"cut", plain.URL + "/cut", http.DefaultClient, true, taxonomy.EffectUnknown},
		{"reset", plain.URL + "/reset", http.DefaultClient, true, taxonomy.EffectUnknown},
		{"timeout", plain.URL + "/hang", impatient, true, taxonomy.EffectUnknown},
		{"TLS and a timeout", secure.URL + "/hang", &http.Client{Transport: secure.Client().Transport,
			Timeout: 200 * time.Millisecond}, true, taxonomy.EffectUnknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resp, err := tt.client.Post(tt.url, "text/plain", nil)
			if err == nil {
				assert.NoError(t, resp.Body.Close())
			}
			require.Error(t, err)
			assert.Equal(t, tt.want, effect.Of(err), "%v", err)
			if tt.called {
				<-called
			}
			assert.Empty(t, called)
		})
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}
