// Package effect observes whether a failed call did its work, by the errors of the standard library
// and of databases. The effect is for the caller that made the call.
package effect

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"reflect"
	"syscall"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Of returns the effect of a failed call for its caller; see [taxonomy.EffectOf]. It never panics,
// whatever the methods of err do.
func Of(err error) (e taxonomy.Effect) {
	defer func() {
		if recover() != nil {
			e = taxonomy.EffectUnspecified
		}
	}()
	return taxonomy.EffectOf(err, observe)
}

// observe returns the effect that one error of a tree shows, or [taxonomy.EffectUnspecified].
func observe(err error) taxonomy.Effect {
	switch {
	case notSent(err):
		return taxonomy.EffectNone
	case cutOff(err):
		return taxonomy.EffectUnknown
	}
	if x, ok := err.(interface{ SQLState() string }); ok {
		return sqlStates[x.SQLState()]
	}
	return taxonomy.EffectUnspecified
}

// sqlStates are the effects of SQLSTATEs, for the transaction that failed.
var sqlStates = map[string]taxonomy.Effect{
	"40001": taxonomy.EffectNone, // serialization_failure
	"40P01": taxonomy.EffectNone, // deadlock_detected
	"40003": taxonomy.EffectUnknown,
	"08007": taxonomy.EffectUnknown, // transaction_resolution_unknown
	"08001": taxonomy.EffectNone,    // the client cannot connect
	"08004": taxonomy.EffectNone,    // the server refuses the connection
	"53300": taxonomy.EffectNone,    // too_many_connections
	"57P03": taxonomy.EffectNone,    // cannot_connect_now
}

// notSent reports whether err shows that no request was sent: the connection failed before.
func notSent(err error) bool {
	if reflect.TypeOf(err) == plainError { // the type of most errors, and cheaper than a name
		// http.ErrSchemeMismatch, without linking net/http. Any error of package errors with this text
		// counts, but no error with another type, such as one that a server sent.
		text := err.Error()
		return err == driver.ErrBadConn || text == "http: server gave HTTP response to HTTPS client"
	}
	switch typeOf(err) {
	case goType{"net", "DNSError"}, goType{"net", "UnknownNetworkError"}, goType{"net", "AddrError"},
		goType{"net", "InvalidAddrError"}, goType{"crypto/tls", "CertificateVerificationError"},
		goType{"crypto/tls", "ECHRejectionError"}, goType{"crypto/x509", "UnknownAuthorityError"},
		goType{"crypto/x509", "HostnameError"}, goType{"crypto/x509", "CertificateInvalidError"},
		goType{"net/http", "tlsHandshakeTimeoutError"}:
		return true
	case goType{"crypto/tls", "RecordHeaderError"}:
		return !reflect.ValueOf(err).FieldByName("Conn").IsNil() // unless there was a handshake before
	case goType{"crypto/tls", "AlertError"}:
		return handshakeAlerts[uint8(reflect.ValueOf(err).Uint())]
	case opError:
		op := reflect.ValueOf(err).Elem().FieldByName("Op").String()
		return op == "dial" || op == "proxyconnect" // of net/http
	}
	if x, ok := err.(interface{ SafeToRetry() bool }); ok { // of pgx
		text := err.Error() // of an error that pgx does not export
		return x.SafeToRetry() && text != perhapsSent
	}
	return err == syscall.ECONNREFUSED
}

var plainError = reflect.TypeOf(errors.New(""))

// goType names a type, or the type that a pointer has. A comparison by name does not link package
// net or crypto/tls into a program that only repeats calls.
type goType struct{ path, name string }

var (
	opError      = goType{"net", "OpError"}
	netErrClosed = goType{"internal/poll", "errNetClosing"} // that of net.ErrClosed
)

func typeOf(err error) goType {
	t := reflect.TypeOf(err)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return goType{t.PkgPath(), t.Name()}
}

// perhapsSent is the text of an error of pgx that SafeToRetry wrongly calls safe: a connection that
// closes while pgx waits for an answer has the same error as one that was closed before.
const perhapsSent = "conn closed"

// handshakeAlerts are the alerts that end a TLS handshake, by their numbers in RFC 8446.
var handshakeAlerts = map[uint8]bool{
	40: true, 42: true, 43: true, 44: true, 45: true, 46: true, 48: true, 49: true, 70: true, 71: true, 109: true,
	112: true, 113: true, 115: true, 116: true, 120: true,
}

// cutOff reports whether err shows that the call was under way when it failed: the answer did not
// arrive.
func cutOff(err error) bool {
	switch err {
	case io.EOF, io.ErrUnexpectedEOF, context.DeadlineExceeded, context.Canceled, syscall.ECONNRESET,
		syscall.ECONNABORTED, syscall.EPIPE, syscall.ETIMEDOUT:
		return true
	}
	if _, system := err.(syscall.Errno); system {
		return false // EAGAIN is a timeout, too
	}
	if _, wraps := err.(interface{ Unwrap() error }); wraps && typeOf(err) != opError {
		return false // the error below shows whether the connection existed
	}
	timeout, ok := err.(interface{ Timeout() bool })
	return ok && (timeout.Timeout() || typeOf(err) == netErrClosed)
}
