// Package rpc has the options of the packages that send and read errors over gRPC and Connect:
// grpcerr and connecterr.
//
//	grpc.NewServer(grpcerr.Server(rpc.ByTable(errs.Table), rpc.OnError(report.Log(logger, sink, errs.Table)))...)
//	connecterr.Interceptor(rpc.ByTable(errs.Table))
//
// Only the public view of an error leaves: see [taxonomy.Public]. The details are those of
// google.rpc, which clients of any language read. A client gets the same type, code and public
// context back:
//
//   - ErrorInfo has the code as its reason, the domain, and the context as metadata: a text
//     unchanged, any other value as JSON. It also has "retryable" and, if the context selects
//     another reaction than the code's, "reaction", unless the context has a field of that name;
//   - RetryInfo has the hint of how long to wait, if it is public;
//   - BadRequest has the violations of the first field of that type;
//   - Help has the code's help URL;
//   - LocalizedMessage has the message; see [Localize].
package rpc

import (
	"context"
	"time"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/rpc/internal/details"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Option configures interceptors.
type Option = details.Option

// ByTable sets the table of a server or adds a table to a client. A server classifies errors of
// other taxonomies by the table; an error that no rule matches, and a panic, get the fallback's
// code. A client gets the tables of the services that it calls. It decodes errors of their
// taxonomies, and classifies all other errors by the first table; see [WithSource]. Without a
// table, its errors are a *taxonomy.Evidence, which the rules of another taxonomy can classify.
func ByTable(t taxonomy.Table) Option {
	return func(o *details.Options) { o.Tables = append(o.Tables, t) }
}

// WithSource sets the source that a client classifies errors with. Generated packages have a
// constant for each source that the taxonomy declares.
func WithSource(source taxonomy.Declared[taxonomy.SourceName]) Option {
	return func(o *details.Options) { o.Source = source.String() }
}

// OnError sets the function that receives each error of a server, classified and with all its
// causes, also those of calls that the client cancelled, which wrap context.Canceled. By default,
// slog.Default logs the errors that are sent as UNKNOWN, INTERNAL and DATA_LOSS.
func OnError(f func(ctx context.Context, method string, err error)) Option {
	return func(o *details.Options) { o.OnError = f }
}

// CountRequests passes the outcome of each call of a server to the sink. It does not receive calls
// that an outer interceptor refuses.
func CountRequests(sink report.RequestSink) Option {
	return func(o *details.Options) { o.Requests = sink }
}

// HideUndeclared sends the public fallback in place of a code that the operation with the called
// method does not declare. By default a server sends the code. In both cases the function of
// [OnError] receives a *[taxonomy.Undeclared], which wraps the error; without that function,
// slog.Default logs it.
func HideUndeclared() Option { return func(o *details.Options) { o.Hide = true } }

// RequestID makes a server set a field of all errors of a call to its id. The id is that of the
// header or the metadata "x-request-id" if it has at most 100 letters, digits and -_.:=/+, otherwise
// a random one. The response has it in a header, too. [taxonomy.ContextAttributes] has it for the
// handler.
func RequestID(field func(id string) taxonomy.Attribute) Option {
	return func(o *details.Options) { o.RequestID = field }
}

// Timeout limits the contexts of the calls of a server, in addition to the deadlines of clients: of
// unary calls, and of streams from their begin to their end. 0 is no limit. An error of the limit is
// evidence of the type "timeout", which the rules of the table can give a code.
func Timeout(call, stream time.Duration) Option {
	return func(o *details.Options) { o.CallLimit, o.StreamLimit = call, stream }
}

// Localize sets the function that returns the LocalizedMessage: its language, as in BCP 47, and its
// text. If the text is empty, no LocalizedMessage is sent. The default is the public message in
// "en".
func Localize(f func(ctx context.Context, v taxonomy.PublicView) (locale, message string)) Option {
	return func(o *details.Options) { o.Localize = f }
}
