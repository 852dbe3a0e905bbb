package predict_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/report/predict"
	"github.com/errgen/errgen/runtime/retry"
)

func Example() {
	model := predict.New(predict.Options{})
	_ = executor.Config{ // and the rest
		Learners:  []retry.Learner{model},
		Preventer: predict.NewPreventer(model, errs.Table, predict.PreventerOptions{}),
	}

	at := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	for i := range 60 { // or the outcomes of a history
		o := retry.Outcome{At: at.Add(time.Duration(i) * time.Minute), Took: 20 * time.Second,
			Provider: "anthropic-api"}
		if i >= 45 {
			o.Code = "PROVIDER_API_ERROR"
		}
		model.Learn(o)
	}
	for _, f := range model.Next("anthropic-api", at.Add(60*time.Minute-20*time.Second)) {
		fmt.Printf("%s: %.0f %%, between %.0f %% and %.0f %%, seen %d times\n", f.Code, 100*f.Probability, 100*f.Low,
			100*f.High, f.Seen)
	}

	saved, err := json.Marshal(model)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(json.Unmarshal(saved, predict.New(predict.Options{})))
	// Output:
	// PROVIDER_API_ERROR: 93 %, between 53 % and 100 %, seen 15 times
	// <nil>
}
