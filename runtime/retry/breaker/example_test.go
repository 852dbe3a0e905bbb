package breaker_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// After three failures, callers are refused until a probe succeeds.
func Example() {
	policy := &taxonomy.Policy{Name: "api", Budget: &taxonomy.Budget{Breaker: &taxonomy.Breaker{Failures: 3, Of: 3}}}
	breakers := breaker.New(breaker.Options{})
	for range 4 {
		release, err := breakers.Acquire(context.Background(), "github/")
		if errors.Is(err, retry.ErrRefused) {
			fmt.Println("refused")
			continue
		}
		release(retry.Result{Failed: true, Policy: policy})
	}
	for _, s := range breakers.Status() {
		fmt.Println(s.Lane, s.Policy, s.State)
	}
	// Output:
	// refused
	// github/ api open
}
