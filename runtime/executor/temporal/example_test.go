package temporal_test

import (
	"fmt"
	"time"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor/temporal"
)

// An activity fails with a generated error. Temporal retries it as the table specifies.
func ExampleApplicationError() {
	failure := errs.NewProviderRateLimit("anthropic-api").WithRetryAfter(30 * time.Second)
	fmt.Println(temporal.ApplicationError(errs.Table, failure, 1))

	policy := errs.Table.Policy(errs.PolicyAPI)
	fmt.Println(temporal.RetryPolicy(&policy).MaximumAttempts)
	// Output:
	// provider anthropic-api limits the rate, retry after 30s (type: PROVIDER_RATE_LIMIT, retryable: true)
	// 5
}
