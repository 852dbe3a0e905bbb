package stdlib

import (
	"compress/flate"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"reflect"
	"strconv"
	"time"
)

// sample is an error of a type.
type sample struct {
	err     error
	is      func(error) bool // as errors.As has it
	code    string           // makes err, in Go
	imports []string         // what code names besides the type's own package
}

func of[T error](err T, code string, imports ...string) sample {
	is := func(err error) bool {
		_, ok := errors.AsType[T](err)
		return ok
	}
	return sample{err: err, is: is, code: code, imports: imports}
}

// sampleOf returns an error of the type of that name. A zero value will not do: many panic when
// they are printed.
func sampleOf(name string) (sample, bool) {
	failed := errors.New("failed") // no error that a rule could name
	switch name {
	case "compress/flate.CorruptInputError":
		return of(flate.CorruptInputError(1),
			`flate.CorruptInputError(1)`), true
	case "crypto/tls.AlertError":
		return of(tls.AlertError(40),
			`tls.AlertError(40)`), true
	case "*crypto/tls.CertificateVerificationError":
		return of(&tls.CertificateVerificationError{Err: failed},
			`&tls.CertificateVerificationError{Err: errors.New("failed")}`, "errors"), true
	case "crypto/tls.RecordHeaderError":
		return of(tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"},
			`tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}`), true
	case "crypto/x509.CertificateInvalidError":
		return of(x509.CertificateInvalidError{Cert: new(x509.Certificate), Reason: x509.Expired},
			`x509.CertificateInvalidError{Cert: new(x509.Certificate), Reason: x509.Expired}`), true
	case "crypto/x509.HostnameError":
		return of(x509.HostnameError{Certificate: new(x509.Certificate), Host: "example.org"},
			`x509.HostnameError{Certificate: new(x509.Certificate), Host: "example.org"}`), true
	case "crypto/x509.UnknownAuthorityError":
		return of(x509.UnknownAuthorityError{Cert: new(x509.Certificate)},
			`x509.UnknownAuthorityError{Cert: new(x509.Certificate)}`), true
	case "encoding/base64.CorruptInputError":
		return of(base64.CorruptInputError(1),
			`base64.CorruptInputError(1)`), true
	case "*encoding/json.InvalidUnmarshalError":
		return of(&json.InvalidUnmarshalError{},
			`&json.InvalidUnmarshalError{}`), true
	case "*encoding/json.MarshalerError":
		return of(&json.MarshalerError{Type: reflect.TypeFor[int](), Err: failed},
			`&json.MarshalerError{Type: reflect.TypeFor[int](), Err: errors.New("failed")}`, "errors", "reflect"), true
	case "*encoding/json.SyntaxError":
		return of(&json.SyntaxError{Offset: 1},
			`&json.SyntaxError{Offset: 1}`), true
	case "*encoding/json.UnmarshalTypeError":
		return of(&json.UnmarshalTypeError{Value: "string", Type: reflect.TypeFor[int](), Offset: 1},
			`&json.UnmarshalTypeError{Value: "string", Type: reflect.TypeFor[int](), Offset: 1}`, "reflect"), true
	case "*encoding/json.UnsupportedTypeError":
		return of(&json.UnsupportedTypeError{Type: reflect.TypeFor[func()]()},
			`&json.UnsupportedTypeError{Type: reflect.TypeFor[func()]()}`, "reflect"), true
	case "*encoding/json.UnsupportedValueError":
		return of(&json.UnsupportedValueError{Str: "NaN"},
			`&json.UnsupportedValueError{Str: "NaN"}`), true
	case "*encoding/xml.SyntaxError":
		return of(&xml.SyntaxError{Msg: "unexpected EOF", Line: 1},
			`&xml.SyntaxError{Msg: "unexpected EOF", Line: 1}`), true
	case "*io/fs.PathError":
		return of(&fs.PathError{Op: "open", Path: "file", Err: failed},
			`&fs.PathError{Op: "open", Path: "file", Err: errors.New("failed")}`, "errors"), true
	case "*net.AddrError":
		return of(&net.AddrError{Err: "missing port in address", Addr: "example.org"},
			`&net.AddrError{Err: "missing port in address", Addr: "example.org"}`), true
	case "*net.DNSError":
		return of(&net.DNSError{Err: "server misbehaving", Name: "example.org"},
			`&net.DNSError{Err: "server misbehaving", Name: "example.org"}`), true
	case "net.InvalidAddrError":
		return of(net.InvalidAddrError("unexpected address"),
			`net.InvalidAddrError("unexpected address")`), true
	case "*net.OpError":
		return of(&net.OpError{Op: "dial", Net: "tcp", Err: failed},
			`&net.OpError{Op: "dial", Net: "tcp", Err: errors.New("failed")}`, "errors"), true
	case "*net.ParseError":
		return of(&net.ParseError{Type: "IP address", Text: "example.org"},
			`&net.ParseError{Type: "IP address", Text: "example.org"}`), true
	case "net.UnknownNetworkError":
		return of(net.UnknownNetworkError("tcp9"),
			`net.UnknownNetworkError("tcp9")`), true
	case "*net/http.MaxBytesError":
		return of(&http.MaxBytesError{Limit: 1},
			`&http.MaxBytesError{Limit: 1}`), true
	case "*net/textproto.Error":
		return of(&textproto.Error{Code: 550, Msg: "failed"},
			`&textproto.Error{Code: 550, Msg: "failed"}`), true
	case "net/textproto.ProtocolError":
		return of(textproto.ProtocolError("failed"),
			`textproto.ProtocolError("failed")`), true
	case "*net/url.Error":
		return of(&url.Error{Op: "Get", URL: "https://example.org", Err: failed},
			`&url.Error{Op: "Get", URL: "https://example.org", Err: errors.New("failed")}`, "errors"), true
	case "net/url.EscapeError":
		return of(url.EscapeError("%zz"),
			`url.EscapeError("%zz")`), true
	case "*os.LinkError":
		return of(&os.LinkError{Op: "rename", Old: "old", New: "new", Err: failed},
			`&os.LinkError{Op: "rename", Old: "old", New: "new", Err: errors.New("failed")}`, "errors"), true
	case "*os.PathError":
		return of(&os.PathError{Op: "open", Path: "file", Err: failed},
			`&os.PathError{Op: "open", Path: "file", Err: errors.New("failed")}`, "errors"), true
	case "*os.SyscallError":
		return of(&os.SyscallError{Syscall: "read", Err: failed},
			`&os.SyscallError{Syscall: "read", Err: errors.New("failed")}`, "errors"), true
	case "*os/exec.Error":
		return of(&exec.Error{Name: "command", Err: failed},
			`&exec.Error{Name: "command", Err: errors.New("failed")}`, "errors"), true
	case "*os/exec.ExitError":
		return of(&exec.ExitError{ProcessState: new(os.ProcessState)},
			`&exec.ExitError{ProcessState: new(os.ProcessState)}`, "os"), true
	case "os/user.UnknownUserError":
		return of(user.UnknownUserError("nobody"),
			`user.UnknownUserError("nobody")`), true
	case "*strconv.NumError":
		return of(&strconv.NumError{Func: "ParseInt", Num: "x", Err: failed},
			`&strconv.NumError{Func: "ParseInt", Num: "x", Err: errors.New("failed")}`, "errors"), true
	case "*time.ParseError":
		return of(&time.ParseError{Layout: "2006", Value: "x", LayoutElem: "2006", ValueElem: "x"},
			`&time.ParseError{Layout: "2006", Value: "x", LayoutElem: "2006", ValueElem: "x"}`), true
	}
	return sample{}, false
}
