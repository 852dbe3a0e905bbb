package promreport

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/export/internal/bounded"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	defaultValues = 50
	defaultSeries = 2000
)

// Options bound the labels of an exporter. A number of 0 is its default.
type Options struct {
	// Taxonomies are those whose words are labels; any other code, category or strategy is "other".
	// Without a taxonomy, the first MaxValues of each label have labels of their own.
	Taxonomies []*taxonomy.Taxonomy
	// MaxValues is the number of sources; 50.
	MaxValues int
	// MaxSeries is the number of combinations of labels; 2000. Beyond it the source is "other", and
	// without a taxonomy every label.
	MaxSeries int
}

// Exporter is a [report.Sink] that counts, and a [prometheus.Collector]. Make one with
// [New] or [Register]; it is safe for concurrent use.
type Exporter struct {
	sink     *bounded.Sink
	counters counters
}

var (
	_ report.Sink          = (*Exporter)(nil)
	_ prometheus.Collector = (*Exporter)(nil)
)

// New returns an exporter for the caller to register.
func New(o Options) *Exporter {
	if o.MaxValues <= 0 {
		o.MaxValues = defaultValues
	}
	if o.MaxSeries <= 0 {
		o.MaxSeries = defaultSeries
	}
	e := &Exporter{counters: counters{
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "errgen_errors_total", Help: "Errors that happened.",
		}, []string{"domain", "category", "code", "severity", "source"}),
		recoveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "errgen_recoveries_total", Help: "Recovery strategies that were run, by what came of them.",
		}, []string{"domain", "category", "code", "strategy", "result"}),
		operations: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "errgen_retried_operations_total", Help: "Operations that were tried again, by how they ended.",
		}, []string{"result"}),
		retries: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "errgen_retries_total", Help: "Calls that were made again.",
		}),
	}}
	e.sink = bounded.NewSink(bounded.Limits(o), &e.counters)
	return e
}

// Register returns an exporter that is registered with r.
func Register(r prometheus.Registerer, o Options) (*Exporter, error) {
	e := New(o)
	if err := r.Register(e); err != nil {
		return nil, fmt.Errorf("register the metrics of errors: %w", err)
	}
	return e, nil
}

// Report counts an error, and its recovery if that has ended. If its ID is one of the latest 10
// 000, this is Update.
func (e *Exporter) Report(o *report.Occurrence) { e.sink.Report(o) }

// Update counts each run of a strategy for a reported error once.
func (e *Exporter) Update(o *report.Occurrence) { e.sink.Update(o) }

// Retried counts a retried operation, and its calls after the first.
func (e *Exporter) Retried(r report.Retry) { e.sink.Retried(r) }

type counters struct {
	errors, recoveries, operations *prometheus.CounterVec
	retries                        prometheus.Counter
}

func (c *counters) CountError(r bounded.Row) {
	c.errors.WithLabelValues(r.Domain, r.Category, r.Code, r.Severity, r.Source).Inc()
}

func (c *counters) CountRecovery(r bounded.Row, result string) {
	c.recoveries.WithLabelValues(r.Domain, r.Category, r.Code, r.Strategy, result).Inc()
}

func (c *counters) CountRetried(calls int, result string) {
	c.retries.Add(float64(calls))
	c.operations.WithLabelValues(result).Inc()
}

// Describe describes the counters.
func (e *Exporter) Describe(ch chan<- *prometheus.Desc) {
	e.each(func(c prometheus.Collector) { c.Describe(ch) })
}

// Collect collects the counters.
func (e *Exporter) Collect(ch chan<- prometheus.Metric) {
	e.each(func(c prometheus.Collector) { c.Collect(ch) })
}

func (e *Exporter) each(f func(prometheus.Collector)) {
	c := &e.counters
	for _, counter := range []prometheus.Collector{c.errors, c.recoveries, c.operations, c.retries} {
		f(counter)
	}
}
