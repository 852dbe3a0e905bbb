// Package scripted converts the answers of a script to replies and statuses of RPC.
package scripted

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/errgen/errgen/runtime/errtest/script"
	"github.com/errgen/errgen/runtime/rpc/internal/details"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// byStatus are the codes of failures that have only an HTTP status, by the mapping of google.rpc.
var byStatus = map[int]code.Code{
	http.StatusBadRequest: code.Code_INVALID_ARGUMENT, http.StatusUnauthorized: code.Code_UNAUTHENTICATED,
	http.StatusForbidden: code.Code_PERMISSION_DENIED, http.StatusNotFound: code.Code_NOT_FOUND,
	http.StatusConflict: code.Code_ABORTED, http.StatusTooManyRequests: code.Code_RESOURCE_EXHAUSTED,
	http.StatusInternalServerError: code.Code_INTERNAL, http.StatusNotImplemented: code.Code_UNIMPLEMENTED,
	http.StatusServiceUnavailable: code.Code_UNAVAILABLE, http.StatusGatewayTimeout: code.Code_DEADLINE_EXCEEDED,
}

// Failure returns the status of an answer. If the call succeeds, the code is OK.
func Failure(ctx context.Context, a script.Answer) details.Answer {
	switch {
	case a.Sent != nil:
		return details.New().Answer(ctx, taxonomy.Public(a.Sent))
	case a.Failure == nil && a.Status < http.StatusBadRequest:
		return details.Answer{}
	case a.Failure == nil:
		return details.Answer{Code: cmp.Or(byStatus[a.Status], code.Code_UNKNOWN), Message: a.Body}
	}
	ev := a.Failure
	failed := details.Answer{Message: ev.Text,
		Code: cmp.Or(code.Code(code.Code_value[ev.Code]), byStatus[ev.Status], code.Code_UNKNOWN)}
	if ev.Type != "" || len(ev.Attributes) > 0 {
		failed.Details = append(failed.Details, &errdetails.ErrorInfo{Reason: ev.Type,
			Domain: ev.Attributes["domain"], Metadata: ev.Attributes})
	}
	if d, ok := ev.RetryAfter.Get(); ok {
		failed.Details = append(failed.Details, &errdetails.RetryInfo{RetryDelay: durationpb.New(d)})
	}
	return failed
}

// Method returns the descriptor of a procedure such as /shop.v1.Orders/Get. It is nil if the
// program does not have the generated package of its service.
func Method(procedure string) protoreflect.MethodDescriptor {
	service, method, _ := strings.Cut(strings.TrimPrefix(procedure, "/"), "/")
	d, _ := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(service))
	if s, ok := d.(protoreflect.ServiceDescriptor); ok {
		return s.Methods().ByName(protoreflect.Name(method))
	}
	return nil
}

// Reply returns the reply of a method with the body of an answer, which is its JSON.
func Reply(m protoreflect.MethodDescriptor, a script.Answer) (*dynamicpb.Message, error) {
	output := (&emptypb.Empty{}).ProtoReflect().Descriptor()
	if m != nil {
		output = m.Output()
	}
	reply := dynamicpb.NewMessage(output)
	if a.Body == "" {
		return reply, nil
	}
	if err := protojson.Unmarshal([]byte(a.Body), reply); err != nil {
		return nil, fmt.Errorf("decode the body of the answer as %s: %w", output.FullName(), err)
	}
	return reply, nil
}
