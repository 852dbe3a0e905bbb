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

// Options bound what an exporter counts apart. What is 0 or less is as it says.
type Options struct {
	// Taxonomies are those whose codes, categories, sources and strategies have labels of their own
	// in any case.
	Taxonomies []*taxonomy.Taxonomy
	// MaxValues is how many other values each label has; 50.
	MaxValues int
	// MaxSeries is how many combinations of labels are counted apart; 2000. At least half of them
	// are for the taxonomies' words: where there is no room for others, these are "other", and
	// beyond that all labels are.
	MaxSeries int
}

// Exporter is a [report.Sink] that counts, and a [prometheus.Collector] that tells. Make one with
// [New] or [Register]; it is safe for concurrent use.
type Exporter struct {
	sink     *bounded.Sink
	counters counters
}

var (
	_ report.Sink          = (*Exporter)(nil)
	_ prometheus.Collector = (*Exporter)(nil)
)

// New returns an exporter that has counted nothing, for the caller to register.
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
	e.sink = bounded.NewSink(bounded.NewLabels(o.MaxValues, o.MaxSeries, o.Taxonomies...), &e.counters)
	return e
}

// Register returns an exporter that is registered. The error is the registerer's, as when there is
// one already.
func Register(r prometheus.Registerer, o Options) (*Exporter, error) {
	e := New(o)
	if err := r.Register(e); err != nil {
		return nil, fmt.Errorf("register the metrics of errors: %w", err)
	}
	return e, nil
}

// Report counts an error, and its recovery if that is known. One with an ID of the latest 10 000 is
// taken as Update.
func (e *Exporter) Report(o *report.Occurrence) { e.sink.Report(o) }

// Update counts the strategy that was run for an error that was reported, once for each run.
func (e *Exporter) Update(o *report.Occurrence) { e.sink.Update(o) }

// Retried counts an operation that was tried again, and its calls after the first; without such
// calls nothing.
func (e *Exporter) Retried(r report.Retry) { e.sink.Retried(r) }

// counters are what is counted with.
type counters struct {
	errors, recoveries, operations *prometheus.CounterVec
	retries                        prometheus.Counter
}

func (c *counters) CountError(r bounded.Row) {
	c.errors.WithLabelValues(r.Domain, r.Category, r.Code, r.Severity, r.Source).Inc()
}

func (c *counters) CountRun(r bounded.Run, result string) {
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

// Collect tells what was counted.
func (e *Exporter) Collect(ch chan<- prometheus.Metric) {
	e.each(func(c prometheus.Collector) { c.Collect(ch) })
}

func (e *Exporter) each(f func(prometheus.Collector)) {
	c := &e.counters
	for _, counter := range []prometheus.Collector{c.errors, c.recoveries, c.operations, c.retries} {
		f(counter)
	}
}
