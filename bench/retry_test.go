package bench

import (
	"context"
	"errors"
	"testing"
	"time"

	avast "github.com/avast/retry-go/v5"
	"github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// triedBy calls an operation up to three times without a pause in each library. What a library lets
// one make beforehand is made beforehand.
var triedBy = []struct {
	name string
	with func() func(ctx context.Context, op func() error) error
}{
	{"errgen", func() func(context.Context, func() error) error {
		policy := taxonomy.Policy{MaxAttempts: 3}
		return func(ctx context.Context, op func() error) error {
			return retry.Do(ctx, func(context.Context) error { return op() }, retry.ByPolicy(policy))
		}
	}},
	{"avast", func() func(context.Context, func() error) error {
		r := avast.New(avast.Attempts(3), avast.Delay(0), avast.DelayType(avast.FixedDelay), avast.LastErrorOnly(true))
		return func(_ context.Context, op func() error) error { return r.Do(op) }
	}},
	{"cenkalti", func() func(context.Context, func() error) error {
		return func(ctx context.Context, op func() error) error {
			_, err := backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, op() },
				backoff.WithMaxTries(3), backoff.WithBackOff(&backoff.ZeroBackOff{}))
			return err
		}
	}},
	{"failsafe", func() func(context.Context, func() error) error {
		policy := retrypolicy.NewBuilder[any]().WithMaxAttempts(3).WithDelay(0 * time.Second).Build()
		e := failsafe.With(policy)
		return func(ctx context.Context, op func() error) error { return e.WithContext(ctx).Run(op) }
	}},
}

var errOnce = errors.New("once")

// BenchmarkRetry calls an operation that succeeds, and one that fails once.
func BenchmarkRetry(b *testing.B) {
	for _, c := range []struct {
		name  string
		fails int
	}{{"succeeds", 0}, {"fails_once", 1}} {
		for _, lib := range triedBy {
			b.Run(c.name+"/"+lib.name, func(b *testing.B) {
				do := lib.with()
				left := 0
				op := func() error {
					if left--; left >= 0 {
						return errOnce
					}
					return nil
				}
				ctx := b.Context()
				b.ReportAllocs()
				for b.Loop() {
					left = c.fails
					if err := do(ctx, op); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
