// Shop is an orders service: HTTP and gRPC on PostgreSQL, a payment gateway, a worker that retries
// by the table, and metrics. Its errors are in taxonomy.yaml.
package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/errgen/errgen/runtime/report"
	promreport "github.com/errgen/errgen/runtime/report/export/prometheus"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"github.com/errgen/errgen/runtime/taxonomy"
	"shop.example.com/shop/errs"
)

//go:generate go tool errgen generate
//go:generate go tool errgen generate -audience public -o client/errs
//go:generate go tool errgen slo

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	log := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{ReplaceAttr: taxonomy.ReplaceAttr}))
	if err := run(ctx, log, os.Getenv); err != nil {
		log.Error("shop stopped", "err", err)
		os.Exit(1)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, log *slog.Logger, getenv func(string) string) error {
	for _, name := range []string{"DATABASE_URL", "GATEWAY_URL", "GATEWAY_KEY", "HTTP_ADDR", "GRPC_ADDR"} {
		if getenv(name) == "" {
			return errs.NewConfigMissing(name)
		}
	}
	registry := prometheus.NewRegistry()
	sink, err := promreport.Register(registry, errs.Table.Taxonomy)
	if err != nil {
		return err
	}
	orders, err := openStore(ctx, getenv("DATABASE_URL"))
	if err != nil {
		return err
	}
	defer orders.db.Close()
	payments := newGateway(getenv("GATEWAY_URL"), getenv("GATEWAY_KEY"), http.DefaultClient,
		breaker.New(breaker.Options{}), sink)
	s := &service{store: orders, gateway: payments, failed: report.Log(log, sink, errs.Table), requests: sink}

	mux := http.NewServeMux()
	mux.Handle("/", s.routes())
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	api := &http.Server{Addr: getenv("HTTP_ADDR"), Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	listener, err := net.Listen("tcp", getenv("GRPC_ADDR"))
	if err != nil {
		return err
	}
	calls := s.grpcServer()
	ended := make(chan error, 2)
	go func() { ended <- api.ListenAndServe() }()
	go func() { ended <- calls.Serve(listener) }()
	defer calls.GracefulStop()
	defer api.Close()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-ended:
			return err
		case <-tick.C:
			if err := s.work(ctx); err != nil {
				s.failed(ctx, "work", err)
			}
		}
	}
}
