// Package predict estimates how probable it is that a provider's next call fails.
//
//	model := predict.New()
//	config.Admission.Learners = append(config.Admission.Learners, model) // every call that ended
//	for _, f := range model.Next("anthropic-api") {
//		fmt.Println(f.Code, f.Probability, f.Low, f.High)
//	}
//
// The model is one table: for each provider and each outcome of its last call, how often each
// outcome followed. A row with few calls leans on the long-run rates of the provider. The interval
// is Wilson's at 90 %. docs/decisions/0016-forecasts.md has the measurements behind this choice.
// Package prevent takes measures against failures that are likely.
package predict
