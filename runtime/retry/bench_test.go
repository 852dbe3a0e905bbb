package retry_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func BenchmarkNext(b *testing.B) {
	p := taxonomy.Policy{MaxAttempts: 50, InitialDelay: s, MaxDelay: m, Multiplier: 2,
		JitterKind: taxonomy.JitterProportional, Jitter: 0.1}
	random, series := always(0.5), retry.Series{Calls: 5}
	b.ReportAllocs()
	for b.Loop() {
		series.Next(&p, retry.Hint{}, random)
	}
}

func BenchmarkDo(b *testing.B) {
	for _, c := range []struct {
		name  string
		fails int
	}{{"succeeds", 0}, {"fails_once", 1}} {
		b.Run(c.name, func(b *testing.B) {
			left := 0
			op := func(context.Context) error {
				if left--; left >= 0 {
					return errFlaky
				}
				return nil
			}
			b.ReportAllocs()
			for b.Loop() {
				left = c.fails
				if err := retry.Do(b.Context(), taxonomy.Policy{MaxAttempts: 3}, op); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLanes asks for the place of the last of many who wait.
func BenchmarkLanes(b *testing.B) {
	for _, callers := range []int{0, 10, 1000} {
		b.Run(strconv.Itoa(callers), func(b *testing.B) {
			lanes, now := retry.NewLanes(retry.Ramp{}, nil), time.Now()
			if callers > 0 {
				_ = lanes.Pause(b.Context(), "key", now.Add(24*time.Hour))
			}
			for i := range callers {
				_, _ = lanes.Opens(b.Context(), "key", strconv.Itoa(i), now)
			}
			last := strconv.Itoa(callers - 1)
			b.ReportAllocs()
			for b.Loop() {
				_, _ = lanes.Opens(b.Context(), "key", last, now)
			}
		})
	}
}

// BenchmarkAdaptive compares what adapting costs with a Do that succeeds at once.
func BenchmarkAdaptive(b *testing.B) {
	a, p := retry.NewAdaptive(1), adapting(0.8)
	for i := range 1000 {
		a.Learn(outcome(2+i%4, s, i%2 == 0))
	}
	op, o := func(context.Context) error { return nil }, outcome(2, s, true)
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"do", func() { _ = retry.Do(b.Context(), p, op) }},
		{"policy", func() { _ = a.Policy(&p, "CODE") }},
		{"learn_and_policy", func() { a.Learn(o); _ = a.Policy(&p, "CODE") }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.f()
			}
		})
	}
}
