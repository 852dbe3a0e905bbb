package predict_test

import (
	"fmt"

	"github.com/errgen/errgen/runtime/report/predict"
	"github.com/errgen/errgen/runtime/retry"
)

// After a rate limit, the next call usually meets it again.
func Example() {
	model := predict.New()
	for range 10 {
		for _, code := range []string{"", "", "RATE_LIMIT", "RATE_LIMIT", "RATE_LIMIT"} {
			model.Learn(retry.Outcome{Provider: "anthropic-api", Code: code})
		}
	}
	f := model.Forecast("anthropic-api", "RATE_LIMIT")
	fmt.Printf("%s: %.0f %%, between %.0f %% and %.0f %%\n", f.Code, 100*f.Probability, 100*f.Low, 100*f.High)
	// Output: RATE_LIMIT: 68 %, between 54 % and 80 %
}
