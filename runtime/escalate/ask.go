package escalate

import (
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// corrected returns the step with its instructions as they are to be followed now.
func (j *job) corrected() plan.Step {
	step := j.step
	if c := j.work.Correction; c != nil {
		step.Instructions = c.New
	}
	return step
}

// prompt returns the prompt of a call. It is made of what is kept, so that a run which goes on asks
// the same.
func (j *job) prompt(number int) string {
	w := j.work
	in := promptInput{
		Title: j.plan.Title, Step: j.corrected(), Gate: j.plan.Gate, Tier: j.ladder[w.Rung].tier, Role: w.Role,
		Purpose:   w.Purpose,
		Diagnosis: w.Diagnosis, Attempts: j.res.Attempts, Answers: j.answersFor(j.step.ID),
		MaxEvidence: j.cfg.MaxEvidence, Reduced: w.lessIsSaid(),
		Mark: j.mark(number),
	}
	if w.Correction != nil {
		in.Corrected = w.Correction.By
	}
	if in.Tier.Classifies {
		in.Claims = j.claims()
	}
	if f := w.Failed; f != nil {
		in.Failure, in.Code, in.Category, in.Message, in.Retryable = f.Raw, f.Code, f.Category, f.Message, f.Retryable
		in.Findings, in.SavedRef, in.Response = f.Findings, f.SavedRef, responseTo(f.Kind)
	}
	switch w.Role {
	case Diagnose:
		return diagnosePrompt(in)
	case Fix:
		return fixPrompt(in)
	}
	return executePrompt(in)
}

// added returns what two calls cost together, as far as that is known.
func added(a, b executor.Usage) executor.Usage {
	return executor.Usage{
		InputTokens: sum(a.InputTokens, b.InputTokens), OutputTokens: sum(a.OutputTokens, b.OutputTokens),
		CostUSD: sum(a.CostUSD, b.CostUSD),
	}
}

func sum[T int64 | float64](a, b taxonomy.Opt[T]) taxonomy.Opt[T] {
	x, known := a.Get()
	y, other := b.Get()
	if !known && !other {
		return taxonomy.Opt[T]{}
	}
	return taxonomy.Some(x + y)
}
