// Package turns compares the times of two calls in a benchmark.
package turns

import (
	"slices"
	"testing"
	"time"
)

// Compare makes two calls by turns, so that a change of the machine's load meets both. It reports
// the medians of their times as bare-ns and with-ns, and the second as a share of the first.
func Compare(b *testing.B, bare, with func() error) {
	b.Helper()
	calls := [2]func() error{bare, with}
	var times [2][]time.Duration
	for n := 0; b.Loop(); n++ {
		for i := range calls {
			i = (i + n) % len(calls) // neither is always the first
			began := time.Now()
			if err := calls[i](); err != nil {
				b.Fatal(err)
			}
			times[i] = append(times[i], time.Since(began))
		}
	}
	median := func(of []time.Duration) float64 {
		slices.Sort(of)
		return float64(of[len(of)/2])
	}
	b.ReportMetric(median(times[0]), "bare-ns")
	b.ReportMetric(median(times[1]), "with-ns")
	b.ReportMetric(median(times[1])/median(times[0]), "share")
	b.ReportMetric(0, "ns/op")
}
