package prevent_test

import (
	"context"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/prevent"
	"github.com/errgen/errgen/runtime/report/predict"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// While a rate limit is likely, calls begin at least five seconds apart. A program passes the model
// and the preventer to the executor as Admission.Learners and Admission.Preventer, and the table of
// its generated package to New.
func Example() {
	limit := taxonomy.Code{Value: "RATE_LIMIT", Extra: &taxonomy.Extras{
		Prevent: &taxonomy.Prevention{Throttle: 5 * time.Second, Likely: 0.6},
	}}
	category := &taxonomy.Category{Name: "api", Codes: []taxonomy.Code{{}, limit}}
	table := taxonomy.Table{Taxonomy: &taxonomy.Taxonomy{Categories: []*taxonomy.Category{category}}}

	model := predict.New()
	preventer := prevent.New(model, table, nil)
	for range 20 {
		model.Learn(retry.Outcome{Provider: "anthropic-api", Code: "RATE_LIMIT"})
	}
	call := executor.Call{Provider: "anthropic-api", Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	for range 2 {
		_, err := preventer.Before(context.Background(), call)
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// no call before 2026-03-01T12:00:05Z: prevent: RATE_LIMIT
}
