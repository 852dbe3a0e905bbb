// Package predict says which failure the next call of a provider is likely to end with, and how
// sure that is, and has something done about it before the call.
//
//	model := predict.New(predict.Options{})
//	preventer := predict.NewPreventer(model, errs.Table, predict.PreventerOptions{})
//	x, err := executor.New(executor.Config{Learners: []retry.Learner{model}, Preventer: preventer, …})
//	for _, f := range model.Next("anthropic-api", time.Now()) {
//		fmt.Printf("%s %.0f %%\n", f.Code, 100*f.Probability)
//	}
//
// A [Model] hears of outcomes, one call after the other, and keeps for each provider three views of
// what comes next:
//
//   - the long run: how often each outcome was seen,
//   - the step: how often it followed the outcome that came last, after a pause about as long as
//     this one,
//   - the burst: how often it was seen in the last few calls and minutes.
//
// Each view falls back on a broader one where it has seen little: the step with its pause on the
// step, that and the burst on the long run, that on all providers. The forecast is their weighted
// mean, and a view's weight is how well it foretold the provider's calls so far, so that no kind of
// provider has to be known beforehand. The interval is Wilson's, of each view on the calls that it
// rests on, mixed by the same weights; but a burst that says no more than the long run does not
// make it wider.
package predict
