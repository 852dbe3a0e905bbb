package retry_test

import (
	"context"
	"testing"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func BenchmarkNext(b *testing.B) {
	p := taxonomy.Policy{MaxAttempts: 50, InitialDelay: s, MaxDelay: m, Multiplier: 2,
		JitterKind: taxonomy.JitterProportional, Jitter: 0.1}
	random, state := always(0.5), retry.State{Calls: 5}
	b.ReportAllocs()
	for b.Loop() {
		state.Next(&p, noHint, random)
	}
}

func BenchmarkDo(b *testing.B) {
	policy := taxonomy.Policy{MaxAttempts: 3}
	for _, c := range []struct {
		name  string
		fails int
		opt   retry.Option
	}{
		{"succeeds", 0, retry.ByPolicy(policy)}, {"fails_once", 1, retry.ByPolicy(policy)},
		{"succeeds_by_table", 0, retry.ByTable(errs.Table)},
	} {
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
				if err := retry.Do(b.Context(), op, c.opt); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAdaptive(b *testing.B) {
	p := adapting(3, 1, 6)
	a, o := retry.NewAdaptive(&p), outcome(2, s, true)
	b.Run("policy", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			a.Policy(&p, "CODE")
		}
	})
	b.Run("learn", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			a.Learn(o)
		}
	})
}
