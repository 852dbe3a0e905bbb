// Package connecttest is a Connect server for tests, which gives the answers of a script to the
// calls of every procedure.
//
//	calendar := script.New(errs.Examples())
//	calendar.Fail(errs.CodeCalendarBusy)
//	calendar.Then(200, `{"id": "e-1"}`)
//	c := calendarv1connect.NewCalendarClient(connecttest.Client(calendar), "http://calendar")
//
// The body of an answer is the JSON of the reply; without one, the reply is empty. A call takes its
// answer when it begins. Streams are answered after their first message, and those with several
// requests need HTTP/2.
package connecttest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/errgen/errgen/runtime/errtest/script"
	"github.com/errgen/errgen/runtime/rpc/internal/scripted"
)

// Client returns an HTTP client whose calls the script answers in process, also in a bubble of
// testing/synctest. A stream is received as a whole.
func Client(s *script.Script) *http.Client { return &http.Client{Transport: transport{s}} }

// Handler returns a server for [net/http], which answers in the protocol of the client: Connect,
// gRPC or gRPC-Web.
func Handler(s *script.Script) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, end := s.Next()
		defer end()
		switch a.Kind() {
		case "timeout", "network":
			if r.ProtoMajor == 1 { // net/http observes the end of the connection after the body is read
				_, _ = io.Copy(io.Discard, r.Body)
			}
			_ = a.Err(r.Context())
			panic(http.ErrAbortHandler) // which ends the connection
		}
		serve(w, r, a)
	})
}

type transport struct{ *script.Script }

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	a, end := t.Next()
	defer end()
	switch a.Kind() {
	case "timeout", "network":
		return nil, a.Err(r.Context())
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	defer r.Body.Close()
	w := httptest.NewRecorder()
	serve(w, r, a)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

type (
	request = connect.Request[emptypb.Empty] // any message is an Empty with unknown fields
	reply   = dynamicpb.Message
)

func serve(w http.ResponseWriter, r *http.Request, a script.Answer) {
	if a.Kind() == "malformed" {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!DOCTYPE html><title>Welcome</title>")
		return
	}
	method := scripted.Method(r.URL.Path)
	answer := func(ctx context.Context) (*reply, error) {
		failed := scripted.Failure(ctx, a)
		if failed.Code == 0 {
			return scripted.Reply(method, a)
		}
		err := connect.NewError(connect.Code(failed.Code), errors.New(failed.Message))
		for _, d := range failed.Details {
			if detail, e := connect.NewErrorDetail(d); e == nil {
				err.AddDetail(detail)
			}
		}
		return nil, err
	}
	var handler *connect.Handler
	switch {
	case method == nil || !method.IsStreamingClient() && !method.IsStreamingServer():
		handler = connect.NewUnaryHandler(r.URL.Path,
			func(ctx context.Context, _ *request) (*connect.Response[reply], error) {
				m, err := answer(ctx)
				return connect.NewResponse(m), err
			})
	case !method.IsStreamingClient():
		handler = connect.NewServerStreamHandler(r.URL.Path,
			func(ctx context.Context, _ *request, stream *connect.ServerStream[reply]) error {
				m, err := answer(ctx)
				if err != nil {
					return err
				}
				return stream.Send(m)
			})
	default:
		handler = connect.NewBidiStreamHandler(r.URL.Path,
			func(ctx context.Context, stream *connect.BidiStream[emptypb.Empty, reply]) error {
				if _, err := stream.Receive(); err != nil {
					return err
				}
				m, err := answer(ctx)
				if err != nil {
					return err
				}
				return stream.Send(m)
			})
	}
	handler.ServeHTTP(w, r)
}
