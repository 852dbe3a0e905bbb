// Package plan carries out plans through a ladder of tiers: a cheap model does the work, a better
// one finds out why it failed and fixes it, and a person is asked last. A step is done when its
// criteria hold and the plan's gate and the review pass. The claim of an agent is not enough.
//
//	p, problems := plan.Read(source)
//	...
//	runner, err := plan.New(plan.Config{
//		Table: errs.Table, Classify: detect.Classifier(errs.Explain),
//		Tiers:     map[string]executor.Provider{"haiku": haiku, "sonnet": sonnet},
//		Facts:     verify.New(tree.Dir()),
//		Workspace: tree, Store: store,
//	})
//	result, err := runner.Run(ctx, "nightly", p)
//	if q := result.Question; q != nil {
//		result, err = runner.Answer(ctx, "nightly", p, plan.Answer{Step: q.Step, Text: ask(q)})
//	}
//
// Each step is a run of package executor, named PLAN.STEP. Its tiers are the run's ladder, its
// criteria are the checks before the commit, and a question ends the run as blocked. A review is
// also a run. The plan itself has no state: a step is done if its run ended as completed.
//
// Failures become evidence, and the taxonomy's rules and reactions decide the next action. The
// sources and types of evidence are in docs/plans.md.
package plan
