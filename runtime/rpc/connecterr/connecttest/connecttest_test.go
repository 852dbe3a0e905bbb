package connecttest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/interop/grpc_testing"

	"github.com/errgen/errgen/runtime/errtest"
	"github.com/errgen/errgen/runtime/errtest/script"
	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/rpc"
	"github.com/errgen/errgen/runtime/rpc/connecterr"
	"github.com/errgen/errgen/runtime/rpc/connecterr/connecttest"
)

const service = "/grpc.testing.TestService/"

var intercept = connect.WithInterceptors(
	connecterr.Interceptor(rpc.ByTable(orders.Table), rpc.WithSource(orders.SourceGateway)))

func call(ctx context.Context, h *http.Client, url string, o ...connect.ClientOption) (
	*grpc_testing.SimpleResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	c := connect.NewClient[grpc_testing.SimpleRequest, grpc_testing.SimpleResponse](
		h, url+service+"UnaryCall", append(o, intercept)...)
	reply, err := c.CallUnary(ctx, connect.NewRequest(&grpc_testing.SimpleRequest{FillUsername: true}))
	if err != nil {
		return nil, err
	}
	return reply.Msg, nil
}

// The server limits the calls, and then answers.
func Example() {
	server := script.New(orders.Examples())
	server.Fail(orders.CodeTooMany)
	server.Then(200, `{"username": "ann"}`)
	h := connecttest.Client(server)

	_, err := call(context.Background(), h, "http://server")
	fmt.Println(err)
	reply, err := call(context.Background(), h, "http://server")
	fmt.Println(reply.GetUsername(), err)
	// Output:
	// too many requests
	// ann <nil>
}

func TestAnswers(t *testing.T) {
	serve := func(t *testing.T, s *script.Script) (*http.Client, string) {
		server := httptest.NewUnstartedServer(connecttest.Handler(s))
		server.EnableHTTP2 = true // for gRPC
		server.StartTLS()
		t.Cleanup(server.Close)
		return server.Client(), server.URL
	}
	for name, tt := range map[string]struct {
		begin   func(t *testing.T, s *script.Script) (*http.Client, string)
		options []connect.ClientOption
		cut     error // HTTP/2 ends only the stream
	}{
		"in process": {func(_ *testing.T, s *script.Script) (*http.Client, string) {
			return connecttest.Client(s), "http://server"
		}, nil, orders.CodeStoreDown},
		"JSON in process": {func(_ *testing.T, s *script.Script) (*http.Client, string) {
			return connecttest.Client(s), "http://server"
		}, []connect.ClientOption{connect.WithProtoJSON()}, orders.CodeStoreDown},
		"HTTP/1.1": {func(t *testing.T, s *script.Script) (*http.Client, string) {
			server := httptest.NewServer(connecttest.Handler(s))
			t.Cleanup(server.Close)
			return server.Client(), server.URL
		}, nil, orders.CodeStoreDown},
		"Connect":  {serve, nil, orders.CodeUnexpected},
		"gRPC":     {serve, []connect.ClientOption{connect.WithGRPC()}, orders.CodeUnexpected},
		"gRPC-Web": {serve, []connect.ClientOption{connect.WithGRPCWeb()}, orders.CodeUnexpected},
	} {
		t.Run(name, func(t *testing.T) {
			s := script.New(orders.Examples())
			h, url := tt.begin(t, s)
			s.Fail(orders.CodeTooMany)
			_, err := call(t.Context(), h, url, tt.options...)
			require.ErrorIs(t, err, orders.CodeTooMany)
			s.Fail(orders.CodeInvalid) // which has no example
			_, err = call(t.Context(), h, url, tt.options...)
			require.ErrorIs(t, err, orders.CodeInvalid)
			s.Cut()
			_, err = call(t.Context(), h, url, tt.options...)
			require.ErrorIs(t, err, tt.cut)
			s.Garbage()
			_, err = call(t.Context(), h, url, tt.options...)
			require.ErrorIs(t, err, orders.CodeUnexpected)
			s.Then(503, "")
			_, err = call(t.Context(), h, url, tt.options...)
			require.ErrorIs(t, err, orders.CodeStoreDown)
			s.Then(200, `{"username": "ann"}`)
			reply, err := call(t.Context(), h, url, tt.options...)
			require.NoError(t, err)
			assert.Equal(t, "ann", reply.GetUsername())

			s.Then(200, `{"payload": {"body": "YW5u"}}`)
			c := connect.NewClient[grpc_testing.StreamingOutputCallRequest, grpc_testing.StreamingOutputCallResponse](
				h, url+service+"StreamingOutputCall", append(tt.options, intercept)...)
			request := connect.NewRequest(&grpc_testing.StreamingOutputCallRequest{})
			stream, err := c.CallServerStream(t.Context(), request)
			require.NoError(t, err)
			require.True(t, stream.Receive(), "%v", stream.Err())
			assert.Equal(t, "ann", string(stream.Msg().GetPayload().GetBody()))
			assert.False(t, stream.Receive())
			require.NoError(t, stream.Err())
			require.NoError(t, stream.Close())
			assert.Len(t, s.Calls(), 7)
		})
	}
	t.Run("client stream", func(t *testing.T) {
		s := script.New(orders.Examples())
		s.Fail(orders.CodeTooMany)
		h, url := serve(t, s)
		c := connect.NewClient[grpc_testing.StreamingInputCallRequest, grpc_testing.StreamingInputCallResponse](
			h, url+service+"StreamingInputCall", intercept)
		stream := c.CallClientStream(t.Context())
		require.NoError(t, stream.Send(&grpc_testing.StreamingInputCallRequest{}))
		_, err := stream.CloseAndReceive()
		require.ErrorIs(t, err, orders.CodeTooMany)
	})
}

func TestHangTakesNoTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script.New(nil)
		s.Hang()
		began := time.Now()
		_, err := call(t.Context(), connecttest.Client(s), "http://server")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 10*time.Second, time.Since(began))
	})
}

// A call that hangs ends when the client closes the connection, also of HTTP/1.1.
func TestHangEndsWithTheClient(t *testing.T) {
	s := script.New(nil)
	s.Hang()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		cancel()
		connecttest.Handler(s).ServeHTTP(w, r)
	}))
	defer server.Close()
	_, err := call(ctx, server.Client(), server.URL)
	require.ErrorIs(t, err, context.Canceled)
	<-ended
	assert.Len(t, s.Calls(), 1)
}

func TestEach(t *testing.T) {
	errtest.Each(t, orders.Table, orders.Examples(), orders.SourceGateway, func(t *testing.T, f *errtest.Fault) error {
		return retry.Do(t.Context(), func(ctx context.Context) error {
			_, err := call(ctx, connecttest.Client(f.Script), "http://server")
			return err
		}, retry.ByTable(orders.Table))
	})
}
