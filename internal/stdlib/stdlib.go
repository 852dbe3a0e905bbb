// Package stdlib is what detection rules may name of the standard library and the operating system:
// error values for `is`, error types for `as`, and the names of `errno` and `signal`. The tables
// are compiled in, so that errgen loads no packages; each entry is one that real programs meet.
package stdlib

import (
	"maps"
	"slices"
	"strings"
)

// Value is an error value: io.ErrUnexpectedEOF.
type Value struct {
	Package string // import path
	Name    string
}

// Type is an error type: *net.OpError.
type Type struct {
	Package string
	Name    string
	Pointer bool
}

// LookupValue returns the error value that is written with its full import path:
// "os/exec.ErrNotFound".
func LookupValue(name string) (Value, bool) {
	v, ok := values[name]
	return v, ok
}

// LookupType returns the error type that is written with its full import path:
// "*encoding/json.SyntaxError".
func LookupType(name string) (Type, bool) {
	t, ok := types[name]
	return t, ok
}

// Values returns the names that `is` knows, sorted.
func Values() []string { return slices.Sorted(maps.Keys(values)) }

// Types returns the names that `as` knows, sorted.
func Types() []string { return slices.Sorted(maps.Keys(types)) }

// values leaves context.Canceled out: a cancelled context is never classified.
var values = valueTable(`
	bufio ErrTooLong
	compress/gzip ErrChecksum ErrHeader
	context DeadlineExceeded
	database/sql ErrConnDone ErrNoRows ErrTxDone
	database/sql/driver ErrBadConn
	errors ErrUnsupported
	io EOF ErrClosedPipe ErrNoProgress ErrShortBuffer ErrShortWrite ErrUnexpectedEOF
	io/fs ErrClosed ErrExist ErrInvalid ErrNotExist ErrPermission
	net ErrClosed ErrWriteToConnected
	net/http ErrAbortHandler ErrBodyReadAfterClose ErrContentLength ErrHandlerTimeout ErrMissingFile
		ErrNoCookie ErrNoLocation ErrNotSupported ErrServerClosed ErrUseLastResponse
	os ErrClosed ErrDeadlineExceeded ErrExist ErrInvalid ErrNoDeadline ErrNotExist ErrPermission ErrProcessDone
	os/exec ErrDot ErrNotFound ErrWaitDelay
	strconv ErrRange ErrSyntax`)

// types marks with a star those that only a pointer makes an error. Deprecated ones are left out,
// because linters find fault with code that names them.
var types = typeTable(`
	compress/flate CorruptInputError
	crypto/tls AlertError *CertificateVerificationError RecordHeaderError
	crypto/x509 CertificateInvalidError HostnameError UnknownAuthorityError
	encoding/base64 CorruptInputError
	encoding/json *InvalidUnmarshalError *MarshalerError *SyntaxError *UnmarshalTypeError
		*UnsupportedTypeError *UnsupportedValueError
	encoding/xml *SyntaxError
	io/fs *PathError
	net *AddrError *DNSError InvalidAddrError *OpError *ParseError UnknownNetworkError
	net/http *MaxBytesError
	net/textproto *Error ProtocolError
	net/url *Error EscapeError
	os *LinkError *PathError *SyscallError
	os/exec *Error *ExitError
	os/user UnknownUserError
	strconv *NumError
	time *ParseError`)

func valueTable(table string) map[string]Value {
	out := make(map[string]Value)
	each(table, func(path, name string) { out[path+"."+name] = Value{Package: path, Name: name} })
	return out
}

func typeTable(table string) map[string]Type {
	out := make(map[string]Type)
	each(table, func(path, name string) {
		bare, pointer := strings.CutPrefix(name, "*")
		written := path + "." + bare
		if pointer {
			written = "*" + written
		}
		out[written] = Type{Package: path, Name: bare, Pointer: pointer}
	})
	return out
}

// each calls f for every name of a table: an import path begins in lower case, and the names after
// it are its own.
func each(table string, f func(path, name string)) {
	var path string
	for word := range strings.FieldsSeq(table) {
		if first := strings.TrimPrefix(word, "*")[0]; 'a' <= first && first <= 'z' {
			path = word
			continue
		}
		f(path, word)
	}
}
