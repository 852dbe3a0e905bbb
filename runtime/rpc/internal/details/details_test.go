package details_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/rpc"
	"github.com/errgen/errgen/runtime/rpc/connecterr"
	"github.com/errgen/errgen/runtime/rpc/grpcerr"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const procedure = "/orders.v1.Orders/Get"

var options = []rpc.Option{rpc.ByTable(orders.Table), rpc.OnError(func(context.Context, string, error) {})}

// fails is what a server does.
type fails = func(context.Context) error

// caller calls a server that fails with an error: a unary call, or the first of a stream.
type caller func(t *testing.T, ctx context.Context, fail fails, client ...rpc.Option) error

var callers = map[string]caller{
	"gRPC unary": func(t *testing.T, ctx context.Context, fail fails, o ...rpc.Option) error {
		_, err := startGRPC(t, fail, options, o).EmptyCall(ctx, &grpc_testing.Empty{})
		return err
	},
	"gRPC stream": func(t *testing.T, ctx context.Context, fail fails, o ...rpc.Option) error {
		client := startGRPC(t, fail, options, o)
		stream, err := client.StreamingOutputCall(ctx, &grpc_testing.StreamingOutputCallRequest{})
		if err != nil {
			return err
		}
		_, err = stream.Recv()
		if err == nil {
			_, err = stream.Recv()
		}
		return err
	},
	"Connect unary": func(t *testing.T, ctx context.Context, fail fails, o ...rpc.Option) error {
		_, err := startConnect(t, fail, procedure, options, o).CallUnary(ctx, connect.NewRequest(&emptypb.Empty{}))
		return err
	},
	"Connect stream": func(t *testing.T, ctx context.Context, fail fails, o ...rpc.Option) error {
		c := startConnect(t, fail, procedure+"Stream", options, o)
		stream, err := c.CallServerStream(ctx, connect.NewRequest(&emptypb.Empty{}))
		if err != nil {
			return err
		}
		for stream.Receive() {
		}
		err = stream.Err()
		_ = stream.Close()
		return err
	},
}

type server struct {
	grpc_testing.UnimplementedTestServiceServer
	fail func(context.Context) error
}

func (s server) EmptyCall(ctx context.Context, _ *grpc_testing.Empty) (*grpc_testing.Empty, error) {
	return &grpc_testing.Empty{}, s.fail(ctx)
}

func (s server) StreamingOutputCall(
	_ *grpc_testing.StreamingOutputCallRequest,
	stream grpc.ServerStreamingServer[grpc_testing.StreamingOutputCallResponse],
) error {
	if err := stream.Send(&grpc_testing.StreamingOutputCallResponse{}); err != nil {
		return err
	}
	return s.fail(stream.Context())
}

func dial(t testing.TB, s *grpc.Server, o ...grpc.DialOption) grpc_testing.TestServiceClient {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	conn, err := grpc.NewClient(
		l.Addr().String(), append(o, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, conn.Close()) })
	return grpc_testing.NewTestServiceClient(conn)
}

func TestRoundTrip(t *testing.T) {
	full := orders.NewOrderConflict().WithID("7").WithCount(-3).WithSize(1 << 60).WithMask(1 << 63).WithRatio(0.1).
		WithOpen(false).WithTook(90 * time.Second).WithAt(time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)).
		WithMood(orders.OrderMoodAngry).WithItems([]string{"a", "b,c"}).WithExtra([]byte(`{"x":[1]}`)).
		WithPlace(orders.OrderPlace{City: "Hanoi"}).WithLines([]orders.OrderLines{{Sku: "a"}, {Sku: "b"}})
	invalid := orders.NewInvalid().WithViolations(
		[]taxonomy.Violation{{Field: "items[0]", Description: "is unknown", Code: "UNKNOWN"}, {Description: "is late"}})
	twice := orders.NewInvalid().WithViolations([]taxonomy.Violation{{Field: "a", Description: "is late"}}).
		WithWarnings([]taxonomy.Violation{{Field: "b", Description: "is old", Code: "OLD"}})
	numeric := orders.NewOrderNotFound().WithID("7.0").WithExtra([]byte(`"text"`))
	for name, call := range callers {
		t.Run(name, func(t *testing.T) {
			for _, sent := range []taxonomy.Error{full, invalid, twice, numeric, orders.NewInternal(),
				orders.NewTooMany().WithRetryAfter(1500 * time.Millisecond)} {
				fail := func(context.Context) error { return fmt.Errorf("handler: %w", sent) }
				got := call(t, t.Context(), fail, options...)
				typed, ok := taxonomy.First(got, nil)
				require.True(t, ok, "%v", got)
				assert.Equal(t, sent, typed)
				assert.EqualError(t, got, sent.Error())
				assert.Equal(t, taxonomy.GRPCCode(sent), codeOf(got), "the status is in the tree")
			}
		})
	}
}

// TestEffect sends a branch that only the server can select, because its condition is internal.
func TestEffect(t *testing.T) {
	for name, call := range callers {
		t.Run(name, func(t *testing.T) {
			for _, tt := range []struct {
				sent taxonomy.Error
				want taxonomy.Effect
			}{
				{orders.NewTooMany(), taxonomy.EffectNone},
				{orders.NewOrderConflict().WithShard("frozen"), taxonomy.EffectUnknown},
				{orders.NewInvalid(), taxonomy.EffectUnspecified},
			} {
				got := call(t, t.Context(), func(context.Context) error { return tt.sent }, options...)
				assert.Equal(t, tt.want, taxonomy.EffectOf(got, nil), "%v", tt.sent)
			}
		})
	}
}

func codeOf(err error) int {
	if e, ok := errors.AsType[*connect.Error](err); ok {
		return int(e.Code())
	}
	return int(status.Code(err))
}

// Nothing internal is in the status: neither codes nor fields nor causes.
func TestInternal(t *testing.T) {
	secret := errors.New("password=hunter2")
	for name, call := range callers {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				err  error
				want error
				code codes.Code
			}{
				{orders.NewStoreDown().WithQuery("SELECT x").WithCause(secret), orders.CodeInternal, codes.Internal},
				{secret, orders.CodeInternal, codes.Internal},
				{status.Error(codes.NotFound, "hunter2 of another server"), orders.CodeInternal, codes.Internal},
				{orders.NewOrderNotFound().WithShard("hunter2").WithCause(secret), orders.CodeOrderNotFound,
					codes.NotFound},
			} {
				got := call(t, t.Context(), func(context.Context) error { return c.err }, options...)
				assert.ErrorIs(t, got, c.want)
				assert.Equal(t, int(c.code), codeOf(got))
				assert.NotContains(t, fmt.Sprintf("%+v", got), "hunter2")
				if s, ok := status.FromError(got); ok {
					b, err := proto.Marshal(s.Proto())
					require.NoError(t, err)
					assert.NotContains(t, string(b), "hunter2")
					assert.NotContains(t, string(b), "SELECT")
				}
			}
		})
	}
}

// A nil pointer to an error is no error.
func TestNilPointer(t *testing.T) {
	reported := rpc.OnError(func(context.Context, string, error) { t.Error("reported") })
	o := []rpc.Option{rpc.ByTable(orders.Table), reported}
	response := connect.NewResponse(&emptypb.Empty{})
	got, err := connecterr.Interceptor(o...).WrapUnary(
		func(context.Context, connect.AnyRequest) (connect.AnyResponse, error) {
			return response, (*orders.OrderError)(nil)
		})(t.Context(), connect.NewRequest(&emptypb.Empty{}))
	require.NoError(t, err)
	assert.Same(t, response, got)
	_, err = grpcerr.UnaryServer(o...)(t.Context(), nil, &grpc.UnaryServerInfo{},
		func(context.Context, any) (any, error) { return nil, (*orders.OrderError)(nil) })
	assert.NoError(t, err)
}

// A client without this package reads the details by the types of google.golang.org/genproto.
func TestPlainClient(t *testing.T) {
	s := grpc.NewServer(grpc.ChainUnaryInterceptor(grpcerr.UnaryServer(options...)))
	grpc_testing.RegisterTestServiceServer(s, server{fail: func(context.Context) error {
		return orders.NewInvalid().WithRetryAfter(1500 * time.Millisecond).WithViolations(
			[]taxonomy.Violation{{Field: "items[0]", Description: "is unknown", Code: "UNKNOWN"}})
	}})
	_, err := dial(t, s).EmptyCall(t.Context(), &grpc_testing.Empty{})
	st, ok := status.FromError(err)
	require.True(t, ok)
	assert.Equal(t, codes.InvalidArgument, st.Code())
	const message = "invalid request: 1 violations"
	assert.Equal(t, message, st.Message())
	want := []proto.Message{
		&errdetails.ErrorInfo{Reason: "INVALID", Domain: "orders.example",
			Metadata: map[string]string{"retryable": "false", "retryAfter": "1.5s"}},
		&errdetails.RetryInfo{RetryDelay: durationpb.New(1500 * time.Millisecond)},
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
			{Field: "items[0]", Description: "is unknown", Reason: "UNKNOWN"}}},
		&errdetails.Help{Links: []*errdetails.Help_Link{
			{Description: "INVALID", Url: "https://orders.example/errors/INVALID"}}},
		&errdetails.LocalizedMessage{Locale: "en", Message: message},
	}
	require.Len(t, st.Details(), len(want))
	for i, d := range st.Details() {
		assert.True(t, proto.Equal(want[i], d.(proto.Message)), "%v", d)
	}
}

// The status of another vendor's server is evidence for the table's rules.
func TestVendor(t *testing.T) {
	st, err := status.New(codes.ResourceExhausted, "quota exceeded").WithDetails(
		&errdetails.ErrorInfo{Reason: "RATE_LIMIT_EXCEEDED", Domain: "vendor.example",
			Metadata: map[string]string{"quotaLimit": "10"}},
		&errdetails.RetryInfo{RetryDelay: durationpb.New(3 * time.Second)},
		&errdetails.RequestInfo{RequestId: "r-1"})
	require.NoError(t, err)
	got := grpcerr.FromStatus(st)
	ev, ok := errors.AsType[*taxonomy.Evidence](got)
	require.True(t, ok)
	ev.Err = nil
	assert.Equal(t, &taxonomy.Evidence{Code: "RESOURCE_EXHAUSTED", Type: "RATE_LIMIT_EXCEEDED", Text: "quota exceeded",
		RetryAfter: taxonomy.Some(3 * time.Second),
		Attributes: map[string]string{"quotalimit": "10", "domain": "vendor.example", "request-id": "r-1"}}, ev)

	got = grpcerr.FromStatus(st, orders.Table)
	assert.ErrorIs(t, got, orders.CodeTooMany)
	assert.Equal(t, taxonomy.Some(3*time.Second), taxonomy.HintsOf(got).RetryAfter)
	assert.Equal(t, codes.ResourceExhausted, status.Code(got))

	unavailable := connect.NewError(connect.CodeUnavailable, errors.New("try later"))
	assert.ErrorIs(t, connecterr.From(unavailable, orders.Table), orders.CodeStoreDown)
	assert.NoError(t, grpcerr.FromStatus(nil, orders.Table))
	assert.NoError(t, connecterr.From(nil, orders.Table))
}

// The context of a code of a later release has only what the server sent as its context.
func TestUnknownContext(t *testing.T) {
	st, err := status.New(codes.NotFound, "gone").WithDetails(&errdetails.ErrorInfo{
		Reason: "ORDER_GONE", Domain: orders.Table.Taxonomy.Domain,
		Metadata: map[string]string{"retryable": "true", "reaction": "again", "id": "7"}})
	require.NoError(t, err)
	unknown, ok := errors.AsType[*taxonomy.Unknown](grpcerr.FromStatus(st, orders.Table))
	require.True(t, ok)
	assert.JSONEq(t, `{"id":"7"}`, string(unknown.Wire().Context))
	assert.True(t, taxonomy.IsRetryable(unknown))
}

func TestSource(t *testing.T) {
	for name, call := range callers {
		t.Run(name, func(t *testing.T) {
			err := call(t, t.Context(), func(context.Context) error { return orders.NewStoreDown() },
				rpc.WithSource(orders.SourceGateway))
			ev, ok := errors.AsType[*taxonomy.Evidence](err)
			require.True(t, ok, "without a table")
			assert.Equal(t, "gateway", ev.Source)
		})
	}
}

func TestContextEnds(t *testing.T) {
	for name, call := range callers {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			got := call(t, ctx, func(ctx context.Context) error {
				cancel()
				<-ctx.Done()
				return fmt.Errorf("query: %w", ctx.Err())
			}, options...)
			assert.ErrorIs(t, got, context.Canceled)
			assert.Empty(t, taxonomy.CodeOf(got))
		})
	}
}

// An internal error, and a code, are shown with the attributes of their call.
func TestAttributes(t *testing.T) {
	var failure error
	requestID := func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		return next(taxonomy.ContextWith(ctx, orders.RequestID("r-1")), req)
	}
	s := grpc.NewServer(grpc.ChainUnaryInterceptor(requestID, grpcerr.UnaryServer(options...)))
	grpc_testing.RegisterTestServiceServer(s, server{fail: func(context.Context) error { return failure }})
	client := dial(t, s, grpc.WithChainUnaryInterceptor(grpcerr.UnaryClient(options...)))
	for _, c := range []struct{ failure, code error }{
		{io.ErrUnexpectedEOF, orders.CodeInternal},
		{orders.CodeTooMany, orders.CodeTooMany},
	} {
		failure = c.failure
		_, err := client.EmptyCall(t.Context(), &grpc_testing.Empty{})
		e, ok := errors.AsType[*orders.RequestError](err)
		require.True(t, ok)
		assert.Equal(t, taxonomy.Some("r-1"), e.RequestID)
		require.ErrorIs(t, err, c.code)
		assert.Contains(t, err.Error(), c.code.Error())
	}
}

func TestUnimplemented(t *testing.T) {
	_, err := startGRPC(t, nil, options, nil).UnaryCall(t.Context(), &grpc_testing.SimpleRequest{})
	assert.Equal(t, codes.Unimplemented, status.Code(err))
}

// A Connect error that the server made itself is sent; one that it received is not.
func TestConnectOwnError(t *testing.T) {
	call := callers["Connect unary"]
	got := call(t, t.Context(), func(context.Context) error {
		return connect.NewError(connect.CodeUnauthenticated, errors.New("no token"))
	})
	assert.Equal(t, int(codes.Unauthenticated), codeOf(got))
	got = call(t, t.Context(), func(context.Context) error {
		return connect.NewWireError(connect.CodeUnauthenticated, errors.New("hunter2"))
	}, options...)
	assert.ErrorIs(t, got, orders.CodeInternal)
}

func TestOnError(t *testing.T) {
	var method string
	var failed error
	hook := rpc.OnError(func(_ context.Context, m string, err error) { method, failed = m, err })
	s := grpc.NewServer(grpc.ChainUnaryInterceptor(grpcerr.UnaryServer(rpc.ByTable(orders.Table), hook,
		rpc.Localize(func(_ context.Context, v taxonomy.PublicView) (locale, message string) {
			return "de", "Fehler " + v.Code()
		}))))
	grpc_testing.RegisterTestServiceServer(s, server{fail: func(context.Context) error { return io.ErrUnexpectedEOF }})
	_, err := dial(t, s).EmptyCall(t.Context(), &grpc_testing.Empty{})
	assert.Equal(t, grpc_testing.TestService_EmptyCall_FullMethodName, method)
	assert.ErrorIs(t, failed, orders.CodeUnexpected)
	assert.ErrorIs(t, failed, io.ErrUnexpectedEOF)
	details := status.Convert(err).Details()
	assert.Equal(t, "Fehler INTERNAL", details[len(details)-1].(*errdetails.LocalizedMessage).Message)
}

func TestDefaultLog(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&log, nil)))
	defer slog.SetDefault(before)
	serve := grpcerr.UnaryServer(rpc.ByTable(orders.Table))
	for _, c := range []struct {
		err  error
		code string // that is logged; empty if nothing is
	}{
		{orders.NewOrderNotFound(), ""},
		{fmt.Errorf("loading cart: %w", orders.NewStoreConflict()), "STORE_CONFLICT"},
	} {
		log.Reset()
		_, err := serve(t.Context(), nil, &grpc.UnaryServerInfo{FullMethod: procedure},
			func(context.Context, any) (any, error) { return nil, c.err })
		require.Error(t, err)
		if c.code == "" {
			assert.Empty(t, log.String())
			continue
		}
		var line struct {
			Method string
			Err    struct{ Code, Text string }
		}
		require.NoError(t, json.Unmarshal(log.Bytes(), &line), log.String())
		assert.Equal(t, procedure, line.Method)
		assert.Equal(t, c.code, line.Err.Code)
		assert.Equal(t, c.err.Error(), line.Err.Text)
	}
}
