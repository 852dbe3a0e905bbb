package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/rpc"
	"github.com/errgen/errgen/runtime/rpc/grpcerr"
	"github.com/errgen/errgen/runtime/taxonomy"
	"shop.example.com/shop/errs"
	"shop.example.com/shop/orderspb"
)

const (
	internalText = "internal-4711"
	internalInt  = 48151623
	internalTime = 77 * time.Hour
)

// TestNothingInternalLeaves sends every code through HTTP and gRPC, and searches the responses for
// internal codes, fields, values, causes and stacks.
func TestNothingInternalLeaves(t *testing.T) {
	forbidden := []string{internalText, fmt.Sprint(internalInt), internalTime.String(), "goroutine", "_test.go"}
	var sent []error
	for i, category := range errs.Table.Taxonomy.Categories {
		for _, f := range category.Fields {
			if !f.Public {
				forbidden = append(forbidden, `"`+f.Name+`"`)
			}
		}
		for n, code := range category.Codes {
			if n == 0 {
				continue
			}
			if !code.Public {
				forbidden = append(forbidden, code.Value)
			}
			row := taxonomy.At(i, uint16(n))
			e := category.Zero.Taxonomy().New(row, taxonomy.WithStack(errors.New(internalText)))
			require.Equal(t, row, e.Row())
			fillInternal(t, category, e)
			sent = append(sent, taxonomy.WithStack(fmt.Errorf(internalText+": %w", e)))
		}
	}
	sent = append(sent, errors.New(internalText))
	require.Greater(t, len(sent), 10)
	for _, err := range sent {
		shown := taxonomy.CodeOf(err)
		if code := taxonomy.Describe(err); code == nil || !code.Public {
			shown = "INTERNAL"
		}
		for transport, response := range map[string]string{"HTTP": overHTTP(t, err), "gRPC": overGRPC(t, err)} {
			assert.Contains(t, response, shown, transport)
			for _, word := range forbidden {
				assert.NotContains(t, response, word, "%s over %s", taxonomy.CodeOf(err), transport)
			}
		}
	}
}

// fillInternal sets the internal fields of an error.
func fillInternal(t *testing.T, category *taxonomy.Category, e taxonomy.Error) {
	v := reflect.ValueOf(e).Elem()
	for i, f := range category.Fields {
		if f.Public {
			continue
		}
		pointer := v.Field(i + 1).Addr().Interface() // the first field is embedded
		switch p := pointer.(type) {
		case *taxonomy.Opt[string]:
			*p = taxonomy.Some(internalText)
		case *taxonomy.Secret[string]:
			*p = taxonomy.SecretOf(internalText)
		case *taxonomy.Opt[int]:
			*p = taxonomy.Some(internalInt)
		case *taxonomy.Opt[time.Duration]:
			*p = taxonomy.Some(internalTime)
		case *taxonomy.Opt[bool]:
			*p = taxonomy.Some(true)
		default:
			assert.Fail(t, "no value for a field", "%s is a %T", f.Name, pointer)
		}
	}
}

func overHTTP(t *testing.T, err error) string {
	t.Helper()
	serve := func(http.ResponseWriter, *http.Request) error { return err }
	w := httptest.NewRecorder()
	problem.Handler(serve, problem.ByTable(errs.Table), problem.OnError(func(*http.Request, error) {})).
		ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	b, dumpErr := httputil.DumpResponse(w.Result(), true)
	require.NoError(t, dumpErr)
	return string(b)
}

type failing struct {
	orderspb.UnimplementedOrdersServer
	err error
}

func (f failing) Get(context.Context, *orderspb.GetRequest) (*orderspb.Order, error) {
	return nil, f.err
}

func overGRPC(t *testing.T, err error) string {
	t.Helper()
	server := grpc.NewServer(grpc.ChainUnaryInterceptor(
		grpcerr.UnaryServer(rpc.ByTable(errs.Table), rpc.OnError(func(context.Context, string, error) {}))))
	orderspb.RegisterOrdersServer(server, failing{err: err})
	var header, trailer metadata.MD
	_, got := dial(t, server).Get(t.Context(), &orderspb.GetRequest{}, grpc.Header(&header), grpc.Trailer(&trailer))
	b, marshalErr := proto.Marshal(status.Convert(got).Proto())
	require.NoError(t, marshalErr)
	return fmt.Sprintf("%s %v %v", b, header, trailer)
}
