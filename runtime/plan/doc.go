// Package plan carries out plans through a ladder of tiers: a cheap model does the work, a better
// one finds out why it failed and fixes it, and a person is asked last. A step is done when its
// criteria, the plan's gate and the review hold, and not when an agent claims it.
//
//	p, problems := plan.Read(source)
//	...
//	runner, err := plan.New(plan.Config{
//		Table: errs.Table, Classify: detect.Classifier(errs.Explain),
//		Tiers:     map[string]executor.Provider{"haiku": haiku, "sonnet": sonnet},
//		Facts:     facts, // of verify.Open(dir)
//		Workspace: tree, Store: store,
//	})
//	result, err := runner.Run(ctx, "nightly", p)
//	if q := result.Question; q != nil {
//		result, err = runner.Answer(ctx, "nightly", p, plan.Answer{Step: q.Step, Text: ask(q)})
//	}
//
// Each step is a run of package executor, named PLAN.STEP. Its tiers are the ladder, its criteria
// the checks before the commit, and a question is its blocked end. A review is a run, too. The plan
// itself has no state: a step is done exactly if its run ended completed.
//
// Failures become evidence, and the taxonomy's rules and reactions decide what follows. The sources
// and types are in docs/plans.md.
package plan
