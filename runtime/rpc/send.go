// Package rpc sends and reads errors over gRPC and Connect, with the details of google.rpc that
// clients of any language read.
//
//	grpc.NewServer(
//		grpc.ChainUnaryInterceptor(rpc.UnaryServer(rpc.ByTable(errs.Table))),
//		grpc.ChainStreamInterceptor(rpc.StreamServer(rpc.ByTable(errs.Table))))
//	grpc.NewClient(address,
//		grpc.WithChainUnaryInterceptor(rpc.UnaryClient(rpc.ByTable(errs.Table))), …)
//
//	connect.WithInterceptors(rpc.Connect(rpc.ByTable(errs.Table))) // of servers and clients
//
// Only the public view of an error leaves: see [taxonomy.Public]. A client gets the same type, code
// and public context back:
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
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/errgen/errgen/runtime/internal/received"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Option configures interceptors.
type Option func(*options)

type options struct {
	tables   []taxonomy.Table
	onError  func(ctx context.Context, method string, err error)
	localize func(ctx context.Context, v taxonomy.PublicView) (locale, message string)
}

// ByTable sets the table that classifies the errors of a server that are not of the table's
// taxonomy: one that no rule matches becomes its fallback. A client reads errors of this taxonomy,
// and classifies the statuses of others by it. A client can have several tables, of which the first
// classifies.
func ByTable(t taxonomy.Table) Option { return func(o *options) { o.tables = append(o.tables, t) } }

// OnError sets the function that receives each error of a server: the classified error with all its
// causes, of which the client sees the public view only. By default, errors that are sent as
// UNKNOWN, INTERNAL and DATA_LOSS are logged by slog.Default.
func OnError(f func(ctx context.Context, method string, err error)) Option {
	return func(o *options) { o.onError = f }
}

// Localize sets the function that returns LocalizedMessage: the language of a message for people, as
// in BCP 47, and the message. An empty message sends none. By default it is the public message, in
// "en".
func Localize(f func(ctx context.Context, v taxonomy.PublicView) (locale, message string)) Option {
	return func(o *options) { o.localize = f }
}

func optionsOf(opts []Option) *options {
	o := &options{
		localize: func(_ context.Context, v taxonomy.PublicView) (string, string) { return "en", v.Message() },
	}
	for _, option := range opts {
		option(o)
	}
	return o
}

// answer is what a client sees of an error.
type answer struct {
	code    code.Code
	message string
	details []proto.Message
}

// fail returns the answer to a call that failed with err, and reports err.
func (o *options) fail(ctx context.Context, method string, err error) answer {
	shown := taxonomy.Public
	if len(o.tables) > 0 {
		err = o.tables[0].Classify(err)
		shown = o.tables[0].Public
	}
	var a answer
	switch ended := ctx.Err(); {
	case errors.Is(err, context.Canceled) && errors.Is(ended, context.Canceled):
		a = answer{code: code.Code_CANCELLED, message: ended.Error()}
	case errors.Is(err, context.DeadlineExceeded) && errors.Is(ended, context.DeadlineExceeded):
		a = answer{code: code.Code_DEADLINE_EXCEEDED, message: ended.Error()}
	default:
		a = o.answer(ctx, shown(err))
	}
	switch {
	case o.onError != nil:
		o.onError(ctx, method, err)
	case a.code == code.Code_UNKNOWN, a.code == code.Code_INTERNAL, a.code == code.Code_DATA_LOSS:
		slog.ErrorContext(ctx, "call failed", "method", method, "err", err)
	}
	return a
}

func (o *options) answer(ctx context.Context, v taxonomy.PublicView) answer {
	a := answer{code: code.Code(v.GRPCCode()), message: v.Message()}
	if v.Code() == "" {
		return a
	}
	info := &errdetails.ErrorInfo{Reason: v.Code(), Domain: v.Err().Taxonomy().Domain}
	var violations *errdetails.BadRequest
	info.Metadata, violations = metadata(v)
	a.details = append(a.details, info)
	if d, ok := v.RetryAfter().Get(); ok {
		a.details = append(a.details, &errdetails.RetryInfo{RetryDelay: durationpb.New(d)})
	}
	if violations != nil {
		a.details = append(a.details, violations)
	}
	if url := v.HelpURL(); url != "" {
		link := &errdetails.Help_Link{Description: v.Code(), Url: url}
		a.details = append(a.details, &errdetails.Help{Links: []*errdetails.Help_Link{link}})
	}
	if locale, message := o.localize(ctx, v); message != "" {
		a.details = append(a.details, &errdetails.LocalizedMessage{Locale: locale, Message: message})
	}
	return a
}

// metadata returns the public context, and the violations in it.
func metadata(v taxonomy.PublicView) (map[string]string, *errdetails.BadRequest) {
	var members map[string]json.RawMessage
	if json.Unmarshal(v.AppendContext(nil), &members) != nil {
		members = nil
	}
	var violations *errdetails.BadRequest
	if name := violationsField(v.Err()); name != "" {
		violations = badRequest(members[name])
		delete(members, name)
	}
	texts := map[string]string{"retryable": strconv.FormatBool(v.Retryable())}
	if r := received.Reaction(v); r != "" {
		texts["reaction"] = r
	}
	for name, raw := range members {
		var text string
		if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		texts[name] = text
	}
	return texts, violations
}

// violation is an element of a field of violations in the JSON of an error.
type violation struct {
	Field       string `json:"field"`
	Description string `json:"description"`
	Code        string `json:"code,omitempty"`
}

// fieldsOf returns the fields of the errors of a row.
func fieldsOf(t *taxonomy.Taxonomy, row taxonomy.Row) []taxonomy.Field {
	return t.Categories[row.Category()].Fields
}

// violationsField returns the name of the first public field of violations in errors of c's code.
func violationsField(c taxonomy.Coded) string {
	for _, f := range fieldsOf(c.Taxonomy(), c.Row()) {
		if f.Type == "violations" && f.Public {
			return f.Name
		}
	}
	return ""
}

func badRequest(raw json.RawMessage) *errdetails.BadRequest {
	var list []violation
	if len(raw) == 0 || json.Unmarshal(raw, &list) != nil {
		return nil
	}
	bad := &errdetails.BadRequest{}
	for _, x := range list {
		bad.FieldViolations = append(bad.FieldViolations,
			&errdetails.BadRequest_FieldViolation{Field: x.Field, Description: x.Description, Reason: x.Code})
	}
	return bad
}
