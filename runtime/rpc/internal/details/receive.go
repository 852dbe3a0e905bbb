package details

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/wire"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// sentError is an error that a server sent. errors.As finds the decoded error, and the status or
// Connect error that transported it.
type sentError struct {
	error     // decoded
	transport error
}

func (e *sentError) Unwrap() []error { return []error{e.error, e.transport} }

// CallEffect returns the effect of the decoded error, because both errors belong to the same call.
func (e *sentError) CallEffect() (effect taxonomy.Effect, sent bool) {
	return taxonomy.EffectOf(e.error, nil), false
}

// LogValue returns the decoded error.
func (e *sentError) LogValue() slog.Value { return slog.AnyValue(e.error) }

// Received returns the error of a failed call. transport is the error that the library returned.
func (o *Options) Received(ctx context.Context, a Answer, transport error) error {
	if err := ctx.Err(); err != nil && (a.Code == code.Code_CANCELLED || a.Code == code.Code_DEADLINE_EXCEEDED) {
		return &sentError{error: err, transport: transport}
	}
	var info *errdetails.ErrorInfo
	var bad *errdetails.BadRequest
	for _, detail := range a.Details {
		switch d := detail.(type) {
		case *errdetails.ErrorInfo:
			info = d
		case *errdetails.BadRequest:
			bad = d
		}
	}
	if info != nil {
		parts := wire.Parts{Domain: info.Domain, Code: info.Reason, Message: a.Message}
		if table, ok := parts.Table(o.Tables); ok {
			retryable, isSent := info.Metadata[retryableKey]
			parts.Retryable = retryable == "true"
			parts.Effect, parts.Reaction = info.Metadata[effectKey], info.Metadata[reactionKey]
			_ = json.Unmarshal([]byte(info.Metadata[isKey]), &parts.Is) // another form is ignored
			parts.Context = contextOf(table.Taxonomy, info, parts.Is, bad)
			parts.GRPC, parts.RetryAfter = int(a.Code), retryDelay(a)
			if e := parts.Error(table); e != nil && isSent {
				return &sentError{error: e, transport: transport}
			}
		}
	}
	ev := evidence(a, info)
	ev.Err, ev.Source = transport, o.Source
	if ev.Type == "" {
		// Connect gives a code to a connection that was refused or cut, so the cause decides.
		local := detect.Of(transport)
		ev.Errno, ev.Effect = local.Errno, local.Effect
		if local.Type == "network" || local.Type == "timeout" {
			ev.Type = local.Type
		}
	}
	if len(o.Tables) == 0 {
		return ev
	}
	return o.Tables[0].Classify(ev)
}

// contextOf returns the context as JSON again. The fields have the types of the taxonomy. A field
// that the taxonomy does not have is a text.
func contextOf(t *taxonomy.Taxonomy, info *errdetails.ErrorInfo, is []string,
	bad *errdetails.BadRequest) json.RawMessage {
	var fields []taxonomy.Field
	row, ok := t.Find(info.Reason)
	if !ok && info.Domain == t.Domain {
		row, ok = t.FindIs(is)
	}
	if ok {
		fields = t.Fields(row)
	}
	members := make(map[string]any, len(info.Metadata)+1)
	for name, text := range info.Metadata {
		isField := slices.ContainsFunc(fields, func(f taxonomy.Field) bool { return f.Name == name })
		if isField || !slices.Contains(traitKeys, name) {
			members[name] = text
		}
	}
	for _, f := range fields {
		text, ok := info.Metadata[f.Name]
		switch f.Type {
		case "string", "enum", "duration", "time":
			continue
		}
		switch {
		case ok && json.Valid([]byte(text)):
			members[f.Name] = json.RawMessage(text)
		case f.Type == "violations" && f.Public && !ok && bad != nil: // the server sends the first ones in bad
			members[f.Name], bad = violationsOf(bad), nil
		}
	}
	b, err := json.Marshal(members)
	if err != nil {
		return nil
	}
	return b
}

func violationsOf(bad *errdetails.BadRequest) []taxonomy.Violation {
	list := make([]taxonomy.Violation, 0, len(bad.FieldViolations))
	for _, v := range bad.FieldViolations {
		list = append(list, taxonomy.Violation{Field: v.Field, Description: v.Description, Code: v.Reason})
	}
	return list
}

// evidence returns the status of another vendor's server as evidence: the name of its code, the
// message, the reason as the type, and the metadata as attributes.
func evidence(a Answer, info *errdetails.ErrorInfo) *taxonomy.Evidence {
	ev := &taxonomy.Evidence{
		Code: a.Code.String(), Text: a.Message, RetryAfter: retryDelay(a), Attributes: map[string]string{},
	}
	if info != nil {
		ev.Type = info.Reason
		for name, value := range info.Metadata {
			ev.Attributes[strings.ToLower(name)] = value
		}
		ev.Attributes["domain"] = info.Domain
	}
	for _, detail := range a.Details {
		switch d := detail.(type) {
		case *errdetails.RequestInfo:
			ev.Attributes["request-id"] = d.RequestId
		case *errdetails.BadRequest:
			if len(d.FieldViolations) > 0 {
				ev.Attributes["param"] = d.FieldViolations[0].Field
			}
		}
	}
	return ev
}

// retryDelay returns the delay of RetryInfo.
func retryDelay(a Answer) (wait taxonomy.Opt[time.Duration]) {
	for _, detail := range a.Details {
		if d, ok := detail.(*errdetails.RetryInfo); ok && d.RetryDelay != nil && d.RetryDelay.AsDuration() >= 0 {
			wait = taxonomy.Some(d.RetryDelay.AsDuration())
		}
	}
	return wait
}
