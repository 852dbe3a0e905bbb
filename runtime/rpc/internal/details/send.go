// Package details converts errors to the details of google.rpc, and these details to errors.
package details

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/errgen/errgen/runtime/internal/wire"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Option configures interceptors.
type Option func(*Options)

// Options are the settings of interceptors. Package rpc documents them.
type Options struct {
	Tables   []taxonomy.Table
	Source   string             // of errors that a client classifies
	Hide     bool               // codes that the operation does not declare
	Requests report.RequestSink // or nil
	OnError  func(ctx context.Context, method string, err error)
	Localize func(ctx context.Context, v taxonomy.PublicView) (locale, message string)
	// RequestID is nil if a server reads no request ids.
	RequestID func(id string) taxonomy.Attribute
	// CallLimit and StreamLimit limit the calls of a server; 0 is no limit.
	CallLimit, StreamLimit time.Duration
}

// New returns the settings that the options make.
func New(opts ...Option) *Options {
	o := &Options{
		Localize: func(_ context.Context, v taxonomy.PublicView) (string, string) { return "en", v.Message() },
	}
	for _, option := range opts {
		option(o)
	}
	return o
}

// Answer is the public view of an error as a status with details.
type Answer struct {
	Code    code.Code
	Message string
	Details []proto.Message
}

// table returns the table of a server, or none.
func (o *Options) table() taxonomy.Table {
	if len(o.Tables) == 0 {
		return taxonomy.Table{}
	}
	return o.Tables[0]
}

// Fail returns the answer to a call that failed with err, and counts and reports it.
func (c *Call) Fail(err error) Answer {
	ctx, o, table := c.client, c.options, c.options.table()
	public, err := wire.PublicView(ctx, table, err)
	public, err = wire.Guard(ctx, table, table.Taxonomy.OperationByRPC(c.method), o.Hide, public, err)
	c.count(wire.Outcome(ctx, err))
	var a Answer
	switch ended := ctx.Err(); {
	case errors.Is(err, context.Canceled) && errors.Is(ended, context.Canceled):
		a = Answer{Code: code.Code_CANCELLED, Message: ended.Error()}
	case errors.Is(err, context.DeadlineExceeded) && errors.Is(ended, context.DeadlineExceeded):
		a = Answer{Code: code.Code_DEADLINE_EXCEEDED, Message: ended.Error()}
	default:
		a = o.Answer(ctx, public)
	}
	_, undeclared := errors.AsType[*taxonomy.Undeclared](err)
	switch {
	case o.OnError != nil:
		o.OnError(ctx, c.method, err)
	case undeclared, a.Code == code.Code_UNKNOWN, a.Code == code.Code_INTERNAL, a.Code == code.Code_DATA_LOSS:
		wire.LogFailed(ctx, "call failed", err, slog.String("method", c.method))
	}
	return a
}

// Answer returns the answer with a public view.
func (o *Options) Answer(ctx context.Context, v taxonomy.PublicView) Answer {
	a := Answer{Code: code.Code(v.GRPCCode()), Message: v.Message()}
	if v.Code() == "" {
		return a
	}
	info := &errdetails.ErrorInfo{Reason: v.Code(), Domain: v.Err().Taxonomy().Domain}
	var violations *errdetails.BadRequest
	info.Metadata, violations = metadata(v)
	a.Details = append(a.Details, info)
	if d, ok := v.RetryAfter().Get(); ok {
		a.Details = append(a.Details, &errdetails.RetryInfo{RetryDelay: durationpb.New(d)})
	}
	if violations != nil {
		a.Details = append(a.Details, violations)
	}
	if url := v.HelpURL(); url != "" {
		link := &errdetails.Help_Link{Description: v.Code(), Url: url}
		a.Details = append(a.Details, &errdetails.Help{Links: []*errdetails.Help_Link{link}})
	}
	if locale, message := o.Localize(ctx, v); message != "" {
		a.Details = append(a.Details, &errdetails.LocalizedMessage{Locale: locale, Message: message})
	}
	return a
}

const (
	// effectKey is the key of the effect in the metadata. A field cannot have this name.
	effectKey = "errgen.effect"
	// isKey is the metadata key of the codes and groups that the error also is, as JSON.
	isKey = "errgen.is"

	retryableKey, reactionKey = "retryable", "reaction" // a public field with this name replaces it
)

// traitKeys are the keys of the metadata that are not of the context.
var traitKeys = []string{effectKey, isKey, retryableKey, reactionKey}

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
	texts := map[string]string{retryableKey: strconv.FormatBool(v.Retryable())}
	if e := wire.Effect(v); e != "" {
		texts[effectKey] = e
	}
	if list := wire.Is(v); list != nil {
		b, _ := json.Marshal(list) // cannot fail
		texts[isKey] = string(b)
	}
	if r := wire.Reaction(v); r != "" {
		texts[reactionKey] = r
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

// violationsField returns the name of the first public field of violations in errors of c's code.
func violationsField(c taxonomy.Coded) string {
	for _, f := range c.Taxonomy().Fields(c.Row()) {
		if f.Type == "violations" && f.Public {
			return f.Name
		}
	}
	return ""
}

func badRequest(raw json.RawMessage) *errdetails.BadRequest {
	var list []taxonomy.Violation
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
