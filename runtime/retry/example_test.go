package retry_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Do follows the reactions of the taxonomy. The breakers are those of the process.
func Example() {
	breakers := breaker.New(breaker.Options{})
	options := []retry.Option{
		retry.ByTable(errs.Table), retry.WithClassifier(errs.Classify),
		retry.WithBreaker(breakers, "anthropic-api/key-1"),
		retry.WithClock(newClock()), // a clock for tests
	}
	overloaded := &taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: 529, Type: "overloaded_error"}
	call := func(context.Context) error { return overloaded }

	err := retry.Do(context.Background(), call, options...)
	if e, ok := errors.AsType[*retry.Error](err); ok {
		fmt.Println(taxonomy.CodeOf(e), e.Calls, "calls,", e.Why, "then", e.Reaction.Action)
	}
	// Output: PROVIDER_API_ERROR 5 calls, max_attempts then block
}
