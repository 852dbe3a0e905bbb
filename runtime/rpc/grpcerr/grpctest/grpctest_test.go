package grpctest_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"

	"github.com/errgen/errgen/runtime/errtest"
	"github.com/errgen/errgen/runtime/errtest/script"
	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/rpc"
	"github.com/errgen/errgen/runtime/rpc/grpcerr"
	"github.com/errgen/errgen/runtime/rpc/grpcerr/grpctest"
)

var intercept = []grpc.DialOption{
	grpc.WithTransportCredentials(insecure.NewCredentials()),
	grpc.WithChainUnaryInterceptor(
		grpcerr.UnaryClient(rpc.ByTable(orders.Table), rpc.WithSource(orders.SourceGateway))),
	grpc.WithChainStreamInterceptor(
		grpcerr.StreamClient(rpc.ByTable(orders.Table), rpc.WithSource(orders.SourceGateway))),
}

func call(ctx context.Context, conn *grpc.ClientConn) (*grpc_testing.SimpleResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return grpc_testing.NewTestServiceClient(conn).UnaryCall(ctx, &grpc_testing.SimpleRequest{FillUsername: true})
}

// example is the test of an example, which has no *testing.T.
type example struct{ testing.TB }

func (example) Helper()        {}
func (example) Cleanup(func()) {}

// The server limits the calls, and then answers.
func Example() {
	var t testing.TB = example{}
	server := script.New(orders.Examples())
	server.Fail(orders.CodeTooMany)
	server.Then(200, `{"username": "ann"}`)
	conn := grpctest.Dial(t, server, grpc.WithChainUnaryInterceptor(grpcerr.UnaryClient(rpc.ByTable(orders.Table))))

	_, err := call(context.Background(), conn)
	fmt.Println(err)
	reply, err := call(context.Background(), conn)
	fmt.Println(reply.GetUsername(), err)
	// Output:
	// too many requests
	// ann <nil>
}

func TestAnswers(t *testing.T) {
	for name, dial := range map[string]func(t *testing.T, s *script.Script) *grpc.ClientConn{
		"in process": func(t *testing.T, s *script.Script) *grpc.ClientConn {
			return grpctest.Dial(t, s, intercept...)
		},
		"server": func(t *testing.T, s *script.Script) *grpc.ClientConn {
			conn, err := grpc.NewClient(grpctest.Serve(t, s), intercept...)
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, conn.Close()) })
			return conn
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := script.New(orders.Examples())
			conn := dial(t, s)
			s.Fail(orders.CodeTooMany)
			_, err := call(t.Context(), conn)
			require.ErrorIs(t, err, orders.CodeTooMany)
			s.Fail(orders.CodeInvalid) // which has no example
			_, err = call(t.Context(), conn)
			require.ErrorIs(t, err, orders.CodeInvalid)
			s.Cut()
			_, err = call(t.Context(), conn)
			assert.Equal(t, codes.Unavailable, status.Code(err), "%v", err)
			s.Garbage()
			_, err = call(t.Context(), conn)
			assert.Equal(t, codes.Internal, status.Code(err), "%v", err)
			s.Then(503, "")
			_, err = call(t.Context(), conn)
			assert.Equal(t, codes.Unavailable, status.Code(err), "%v", err)

			s.Then(200, `{"username": "ann"}`)
			reply, err := call(t.Context(), conn)
			require.NoError(t, err)
			assert.Equal(t, "ann", reply.GetUsername())
			stream, err := grpc_testing.NewTestServiceClient(conn).StreamingInputCall(t.Context())
			require.NoError(t, err)
			s.Fail(orders.CodeTooMany)
			require.NoError(t, stream.Send(&grpc_testing.StreamingInputCallRequest{}))
			_, err = stream.CloseAndRecv()
			require.ErrorIs(t, err, orders.CodeTooMany)
			assert.Len(t, s.Calls(), 7)
		})
	}
}

func TestHangTakesNoTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script.New(nil)
		s.Hang()
		began := time.Now()
		_, err := call(t.Context(), grpctest.Dial(t, s, intercept...))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 10*time.Second, time.Since(began))
	})
}

func TestEach(t *testing.T) {
	errtest.Each(t, orders.Table, orders.Examples(), orders.SourceGateway, func(t *testing.T, f *errtest.Fault) error {
		conn := grpctest.Dial(t, f.Script, intercept...)
		return retry.Do(t.Context(), func(ctx context.Context) error {
			_, err := call(ctx, conn)
			return err
		}, retry.ByTable(orders.Table))
	})
}
