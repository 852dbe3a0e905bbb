package promreport

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/internal/bounded"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	defaultValues = 50
	defaultSeries = 2000
)

// Options bound what an exporter counts apart. What is 0 or less is as it says.
type Options struct {
	// Taxonomies are those whose codes, categories, sources and strategies have labels of their own in any case.
	Taxonomies []*taxonomy.Taxonomy
	// MaxValues is how many other values each label has; 50.
	MaxValues int
	// MaxSeries is how many combinations of labels errors are counted by; 2000. Of what is beyond, all labels are "other".
	MaxSeries int
}

// Exporter is a [report.Sink] that counts, and a [prometheus.Collector] that tells. Make one with [New] or [Register]; it is
// safe for concurrent use.
type Exporter struct {
	labels                         *bounded.Labels
	errors, recoveries, operations *prometheus.CounterVec
	retries                        prometheus.Counter
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
	return &Exporter{
		labels: bounded.NewLabels(o.MaxValues, o.MaxSeries, o.Taxonomies...),
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
	}
}

// Register returns an exporter that is registered. The error is the registerer's, as when there is one already.
func Register(r prometheus.Registerer, o Options) (*Exporter, error) {
	e := New(o)
	if err := r.Register(e); err != nil {
		return nil, fmt.Errorf("register the metrics of errors: %w", err)
	}
	return e, nil
}

// Report counts an error, and its recovery if that is known.
func (e *Exporter) Report(o *report.Occurrence) {
	if o == nil {
		return
	}
	row := e.labels.Of(o)
	e.errors.WithLabelValues(row.Domain, row.Category, row.Code, row.Severity, row.Source).Inc()
	e.recovered(o)
}

// Update counts the strategy that was run for an error.
func (e *Exporter) Update(o *report.Occurrence) {
	if o != nil {
		e.recovered(o)
	}
}

func (e *Exporter) recovered(o *report.Occurrence) {
	r := o.Recovery
	if r == nil || r.Successful == nil {
		return
	}
	run := e.labels.OfRun(o, r.Strategy)
	e.recoveries.WithLabelValues(run.Domain, run.Category, run.Code, run.Strategy, result(*r.Successful)).Inc()
}

// Retried counts an operation that was tried again, and its calls after the first.
func (e *Exporter) Retried(attempts int, succeeded bool) {
	e.retries.Add(float64(max(0, attempts)))
	e.operations.WithLabelValues(result(succeeded)).Inc()
}

func result(succeeded bool) string {
	if succeeded {
		return "succeeded"
	}
	return "failed"
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
	for _, c := range []prometheus.Collector{e.errors, e.recoveries, e.operations, e.retries} {
		f(c)
	}
}
