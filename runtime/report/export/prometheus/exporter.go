// Package promreport counts errors for Prometheus.
//
//	registry := prometheus.NewRegistry()
//	exporter, err := promreport.Register(registry, errs.Table.Taxonomy)
//	sinks := report.Sinks{reporter, exporter}
//	http.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
//
// It has these counters:
//
//	errgen_errors_total{domain,category,code,severity,source}      errors
//	errgen_recoveries_total{domain,category,code,strategy,result}  runs of recovery strategies
//	errgen_retries_total                                           calls after the first
//	errgen_retried_operations_total{result}                        retried operations
//	errgen_requests_total{domain,operation,code,fault}             requests of servers
//
// Servers pass requests with problem.CountRequests(exporter) and rpc.CountRequests(exporter). The
// fault of a request that succeeded is "none". Package report names the fields of a request.
//
// A result is "succeeded" or "failed".
//
// Labels are words of the taxonomies, or "other". An unknown value is "none". Texts of errors are
// never labels.
package promreport

import (
	"cmp"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/export/internal/bounded"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Exporter is a [report.Sink] that counts, and a [prometheus.Collector]. Make one with [New] or
// [Register]; it is safe for concurrent use.
type Exporter struct {
	*bounded.Sink
	counters counters
}

var (
	_ report.Sink          = (*Exporter)(nil)
	_ report.RequestSink   = (*Exporter)(nil)
	_ prometheus.Collector = (*Exporter)(nil)
)

// New returns an exporter for the caller to register. The words of the taxonomies are its labels.
func New(taxonomies ...*taxonomy.Taxonomy) *Exporter {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	e := &Exporter{counters: counters{
		errors: counter("errgen_errors_total", "Errors that happened.",
			"domain", "category", "code", "severity", "source"),
		recoveries: counter("errgen_recoveries_total", "Recovery strategies that were run, by what came of them.",
			"domain", "category", "code", "strategy", "result"),
		operations: counter("errgen_retried_operations_total", "Operations that were tried again, by how they ended.",
			"result"),
		retries: counter("errgen_retries_total", "Calls that were made again."),
		requests: counter("errgen_requests_total", "Requests to servers, by how they ended.",
			"domain", "operation", "code", "fault"),
	}}
	e.counters.retries.WithLabelValues() // shown from the beginning
	for _, t := range taxonomies {
		for _, o := range t.Operations { // shown from the beginning, so that their rates are 0
			e.counters.requests.WithLabelValues(cmp.Or(t.Domain, bounded.None), o.Name, bounded.None, bounded.None)
		}
	}
	e.Sink = bounded.NewSink(&e.counters, taxonomies)
	return e
}

// Register returns an exporter that is registered with r.
func Register(r prometheus.Registerer, taxonomies ...*taxonomy.Taxonomy) (*Exporter, error) {
	e := New(taxonomies...)
	if err := r.Register(e); err != nil {
		return nil, fmt.Errorf("register the metrics of errors: %w", err)
	}
	return e, nil
}

type counters struct{ errors, recoveries, operations, retries, requests *prometheus.CounterVec }

func (c *counters) CountError(r bounded.Row) {
	c.errors.WithLabelValues(r.Domain, r.Category, r.Code, r.Severity, r.Source).Inc()
}

func (c *counters) CountRecovery(r bounded.Row, result string) {
	c.recoveries.WithLabelValues(r.Domain, r.Category, r.Code, r.Strategy, result).Inc()
}

func (c *counters) CountRetried(calls int, result string) {
	c.retries.WithLabelValues().Add(float64(calls))
	c.operations.WithLabelValues(result).Inc()
}

func (c *counters) CountRequest(o bounded.Outcome) {
	c.requests.WithLabelValues(o.Domain, o.Operation, o.Code, o.Fault).Inc()
}

func (c *counters) all() []*prometheus.CounterVec {
	return []*prometheus.CounterVec{c.errors, c.recoveries, c.operations, c.retries, c.requests}
}

// Describe describes the counters.
func (e *Exporter) Describe(ch chan<- *prometheus.Desc) {
	for _, c := range e.counters.all() {
		c.Describe(ch)
	}
}

// Collect collects the counters.
func (e *Exporter) Collect(ch chan<- prometheus.Metric) {
	for _, c := range e.counters.all() {
		c.Collect(ch)
	}
}
