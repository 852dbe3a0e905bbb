// Package promreport counts errors for Prometheus.
//
//	registry := prometheus.NewRegistry()
//	exporter, err := promreport.Register(registry, promreport.Options{
//		Taxonomies: []*taxonomy.Taxonomy{errs.Table.Taxonomy},
//	})
//	sinks := report.Sinks{reporter, exporter}
//	http.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
//
// It has these counters:
//
//	errgen_errors_total{domain,category,code,severity,source}       errors that happened
//	errgen_recoveries_total{domain,category,code,strategy,result}   strategies, by result: "succeeded" or "failed"
//	errgen_retries_total                                            calls that were made again
//	errgen_retried_operations_total{result}                         retried operations, by their result
//
// Labels have few values: the words of the taxonomies, the first foreign ones, and "other" for the
// rest. An unknown value is "none". Texts of errors are never labels.
package promreport
