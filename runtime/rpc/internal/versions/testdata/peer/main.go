// Command peer is one release of a service and of its client.
//
//	peer serve [TEMPORAL]            serves HTTP, gRPC and Connect, and activities of the Temporal server
//	                                 at an address; prints the addresses, until stdin ends
//	peer store DIR                   stores its errors as JSON, in SQLite and as Temporal does
//	peer call DIR H G C [TEMPORAL]   calls such a server and reads such a directory, and prints what it gets
package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"connectrpc.com/connect"
	"go.temporal.io/api/failure/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
	_ "modernc.org/sqlite"

	"example.org/versions/RELEASE/errs"

	"github.com/errgen/errgen/runtime/executor/temporal"
	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/rpc"
	"github.com/errgen/errgen/runtime/rpc/connecterr"
	"github.com/errgen/errgen/runtime/rpc/grpcerr"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const procedure = "/payments.v1.Payments/Pay"

var rpcOptions = []rpc.Option{rpc.ByTable(errs.Table), rpc.OnError(func(context.Context, string, error) {})}

func main() {
	switch args := os.Args[1:]; args[0] {
	case "serve":
		serve(args[1:]...)
	case "store":
		store(args[1])
	case "call":
		call(args[1], args[2], args[3], args[4], args[5:]...)
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type server struct {
	grpc_testing.UnimplementedTestServiceServer
}

func (server) EmptyCall(ctx context.Context, _ *grpc_testing.Empty) (*grpc_testing.Empty, error) {
	return nil, failures[metadata.ValueFromIncomingContext(ctx, "failure")[0]]
}

func serve(temporalAddress ...string) {
	mux := http.NewServeMux()
	mux.Handle("GET /pay/{failure}", problem.Handler(func(_ http.ResponseWriter, r *http.Request) error {
		return failures[r.PathValue("failure")]
	}, problem.ByTable(errs.Table), problem.OnError(func(*http.Request, error) {})))
	mux.Handle(procedure, connect.NewUnaryHandler(procedure,
		func(_ context.Context, r *connect.Request[emptypb.Empty]) (*connect.Response[emptypb.Empty], error) {
			return nil, failures[r.Header().Get("failure")]
		}, connect.WithInterceptors(connecterr.Interceptor(rpcOptions...))))
	h := httptest.NewServer(mux)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	s := grpc.NewServer(grpc.ChainUnaryInterceptor(grpcerr.UnaryServer(rpcOptions...)))
	grpc_testing.RegisterTestServiceServer(s, server{})
	go func() { _ = s.Serve(l) }()
	for _, address := range temporalAddress {
		w := worker.New(dial(address), queue, worker.Options{})
		w.RegisterActivityWithOptions(func(_ context.Context, failure string) error { return failures[failure] },
			activity.RegisterOptions{Name: "Pay"})
		check(w.Start())
		defer w.Stop()
	}
	fmt.Println(h.URL+"/pay/", l.Addr(), h.URL+procedure, queue)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// queue is the task queue of the activities of this release.
const queue = "payments-RELEASE"

// dial returns a client of the Temporal server, which the test has started, but which may not
// accept connections yet.
func dial(address string) client.Client {
	c, err := client.NewLazyClient(client.Options{HostPort: address, FailureConverter: converter,
		Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler))})
	check(err)
	return c
}

// workflows calls activities of another program.
type workflows struct {
	client client.Client
	queue  string
	failed sync.Map // by the workflow's id: what the workflow got from the activity
}

func startWorkflows(address, activities string) *workflows {
	w := &workflows{client: dial(address), queue: "clients-RELEASE-of-" + activities}
	runs := worker.New(w.client, w.queue, worker.Options{})
	runs.RegisterWorkflowWithOptions(func(ctx workflow.Context, failure string) error {
		err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			TaskQueue: activities, StartToCloseTimeout: time.Minute,
			RetryPolicy: &sdk.RetryPolicy{MaximumAttempts: 1},
		}), "Pay", failure).Get(ctx, nil)
		w.failed.Store(workflow.GetInfo(ctx).WorkflowExecution.ID, err)
		return nil
	}, workflow.RegisterOptions{Name: "Call"})
	check(runs.Start())
	return w
}

func (w *workflows) call(ctx context.Context, failure string) error {
	run, err := w.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: w.queue}, "Call", failure)
	check(err)
	check(run.Get(ctx, nil))
	failed, _ := w.failed.Load(run.GetID())
	return failed.(error)
}

var converter = temporal.Failures{Table: errs.Table, Decode: func(b []byte) (error, error) {
	return errs.UnmarshalError(b)
}}

func store(dir string) {
	db := open(dir)
	_, err := db.Exec("CREATE TABLE failures (name TEXT, error TEXT)")
	check(err)
	for name, err := range failures {
		b := err.(taxonomy.Error).AppendJSON(nil)
		check(os.WriteFile(filepath.Join(dir, name+".json"), b, 0o600))
		_, dbErr := db.Exec("INSERT INTO failures VALUES (?, json(?))", name, string(b))
		check(dbErr)
		b, protoErr := proto.Marshal(converter.ErrorToFailure(err))
		check(protoErr)
		check(os.WriteFile(filepath.Join(dir, name+".failure"), b, 0o600))
	}
	check(db.Close())
}

func open(dir string) *sql.DB {
	db, err := sql.Open("sqlite", filepath.Join(dir, "failures.db"))
	check(err)
	return db
}

// decoded returns the error in JSON.
func decoded(b []byte) error {
	err, bad := errs.UnmarshalError(b)
	check(bad)
	return err
}

// call calls a server at its addresses. The last ones are the task queue of its activities and the
// address of the Temporal server.
func call(dir, httpURL, grpcAddress, connectURL string, temporalServer ...string) {
	conn, err := grpc.NewClient(grpcAddress, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithChainUnaryInterceptor(grpcerr.UnaryClient(rpcOptions...)))
	check(err)
	stub := grpc_testing.NewTestServiceClient(conn)
	connected := connect.NewClient[emptypb.Empty, emptypb.Empty](http.DefaultClient, connectURL,
		connect.WithInterceptors(connecterr.Interceptor(rpcOptions...)))
	db := open(dir)
	var runs *workflows
	if len(temporalServer) > 1 {
		runs = startWorkflows(temporalServer[1], temporalServer[0])
	}
	out := bufio.NewWriter(os.Stdout)
	for _, name := range slices.Sorted(maps.Keys(failures)) {
		report(out, name, "http", func(context.Context) error {
			resp, err := http.Get(httpURL + name)
			check(err)
			defer func() { _ = resp.Body.Close() }()
			return problem.Read(resp, errs.Table)
		})
		report(out, name, "grpc", func(ctx context.Context) error {
			_, err := stub.EmptyCall(metadata.AppendToOutgoingContext(ctx, "failure", name), &grpc_testing.Empty{})
			return err
		})
		report(out, name, "connect", func(ctx context.Context) error {
			r := connect.NewRequest(&emptypb.Empty{})
			r.Header().Set("failure", name)
			_, err := connected.CallUnary(ctx, r)
			return err
		})
		report(out, name, "json", func(context.Context) error {
			b, err := os.ReadFile(filepath.Join(dir, name+".json"))
			check(err)
			return decoded(b)
		})
		report(out, name, "sqlite", func(context.Context) error {
			var b []byte
			check(db.QueryRow("SELECT error FROM failures WHERE name = ?", name).Scan(&b))
			return decoded(b)
		})
		if runs != nil {
			report(out, name, "temporal server", func(ctx context.Context) error { return runs.call(ctx, name) })
		}
		report(out, name, "temporal", func(context.Context) error {
			b, err := os.ReadFile(filepath.Join(dir, name+".failure"))
			check(err)
			var f failure.Failure
			check(proto.Unmarshal(b, &f))
			return converter.FailureToError(&f)
		})
	}
	check(out.Flush())
}

// clock does not wait. It adds the waits.
type clock struct{ waited time.Duration }

func (c *clock) Now() time.Time { return time.Unix(0, 0).Add(c.waited) }

func (c *clock) Sleep(_ context.Context, d time.Duration) error {
	c.waited += d
	return nil
}

// Observation is what a client gets for a failure of the server.
type Observation struct {
	Failure, Transport string
	Code, Sent, Type   string
	Handled            string // the first of the handled codes that errors.Is finds
	Unknown            bool
	Calls              int
	Wait               string // before the second call
	HTTP, GRPC         int
	Effect             string // of all calls
}

func report(w io.Writer, name, transport string, do func(context.Context) error) {
	o := Observation{Failure: name, Transport: transport}
	var c clock
	err := retry.Do(context.Background(), func(ctx context.Context) error {
		if o.Calls++; o.Calls == 2 {
			o.Wait = c.waited.String()
		}
		return do(ctx)
	}, retry.ByTable(errs.Table), retry.WithClock(&c))
	o.Code, o.Sent = taxonomy.CodeOf(err), taxonomy.SentCode(err)
	if typed, ok := errors.AsType[taxonomy.Error](err); ok {
		o.Type = fmt.Sprintf("%T", typed)
	}
	_, o.Unknown = errors.AsType[*taxonomy.Unknown](err)
	o.HTTP, o.GRPC = taxonomy.HTTPStatus(err), taxonomy.GRPCCode(err)
	o.Effect = retry.EffectOf(err).String()
	for _, h := range handled {
		if o.Handled == "" && errors.Is(err, h.code) {
			o.Handled = h.name
		}
	}
	b, err := json.Marshal(o)
	check(err)
	fmt.Fprintf(w, "%s\n", b)
}
