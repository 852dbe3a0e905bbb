// Package grpctest is a gRPC server for tests, which gives the answers of a script to the calls of
// every method.
//
//	calendar := script.New(errs.Examples())
//	calendar.Fail(errs.CodeCalendarBusy)
//	calendar.Then(200, `{"id": "e-1"}`)
//	conn := grpctest.Dial(t, calendar, grpc.WithChainUnaryInterceptor(…))
//
// The body of an answer is the JSON of the reply; without one, the reply is empty. A call takes its
// answer, and a stream is answered, after the first message.
package grpctest

import (
	"context"
	"net"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/errgen/errgen/runtime/errtest/script"
	"github.com/errgen/errgen/runtime/rpc/internal/scripted"
)

// Dial returns a connection to a server in process, also for a bubble of testing/synctest. Both end
// with the test.
func Dial(t testing.TB, s *script.Script, opts ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	const buffer = 64 << 10
	l := bufconn.Listen(buffer)
	serve(t, s, l)
	dial := func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }
	conn, err := grpc.NewClient("passthrough:script", append([]grpc.DialOption{grpc.WithContextDialer(dial),
		grpc.WithTransportCredentials(insecure.NewCredentials())}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// Serve starts a server on 127.0.0.1, and returns its address. It ends with the test.
func Serve(t testing.TB, s *script.Script) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serve(t, s, l)
	return l.Addr().String()
}

func serve(t testing.TB, s *script.Script, l net.Listener) {
	conns := &listener{Listener: l}
	server := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		return answer(s, stream, conns)
	}))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(conns) // until Stop
	}()
	t.Cleanup(func() {
		server.Stop()
		<-done
	})
}

func answer(s *script.Script, stream grpc.ServerStream, conns *listener) error {
	if err := stream.RecvMsg(&emptypb.Empty{}); err != nil { // any message is an Empty with unknown fields
		return err
	}
	ctx := stream.Context()
	a, end := s.Next()
	defer end()
	switch a.Kind() {
	case "network":
		conns.cut()
		return a.Err(ctx)
	case "timeout":
		return a.Err(ctx)
	case "malformed":
		reply := &emptypb.Empty{}
		reply.ProtoReflect().SetUnknown([]byte("<html>"))
		return stream.SendMsg(reply)
	}
	if failed := scripted.Failure(ctx, a); failed.Code != 0 {
		status := status.New(codes.Code(failed.Code), failed.Message)
		for _, d := range failed.Details {
			if with, err := status.WithDetails(protoadapt.MessageV1Of(d)); err == nil {
				status = with
			}
		}
		return status.Err()
	}
	method, _ := grpc.MethodFromServerStream(stream)
	reply, err := scripted.Reply(scripted.Method(method), a)
	if err != nil {
		return err
	}
	return stream.SendMsg(reply)
}

// listener can end its connections.
type listener struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

func (l *listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.conns = append(l.conns, conn)
	}
	return conn, err
}

func (l *listener) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.conns {
		_ = conn.Close()
	}
	l.conns = nil
}
