// Package executor runs a task through a provider, and reacts to each failure as the taxonomy's
// table specifies. It depends on reactions only, never on a particular code or category.
//
//	e, err := executor.New(executor.Config{
//		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Provider: claude,
//		Workspace: tree, Guard: paths, Validator: tests, Deliver: executor.DeliverCommits,
//	})
//	result := e.Run(ctx, executor.Task{ID: "42", Title: "Fix the parser", Prompt: prompt})
//
// # Vocabulary
//
//   - A run carries out a [Task], in iterations. An iteration is one or more calls of the [Provider],
//     the inspection of the changes, and the delivery of the work.
//   - The [Workspace] is the working tree in which the provider works. The [Guard] judges which of
//     the changed paths are allowed. Changes that are not allowed are saved and reverted.
//   - The ladder is Config.Provider, then the taxonomy's tiers. An escalation continues with a higher
//     tier.
//   - A lane is a wait that all runs with the same provider and credential share.
//   - [RunState] is the whole state of a run. The machine that carries it from step to step is
//     package internal/loop. It runs in this process (an [Executor]) or as the workflow of an engine
//     (package temporal).
//
// The host, in host.go, carries out the effects of the loop with the collaborators of a [Config]:
// those on the working tree in tree.go, the classification of errors in classify.go, and the
// admission of calls in admission.go.
//
// # Resuming
//
// The state is saved before each step whose effect must not be repeated blindly, and after each
// answer of a provider or a person. A process that dies there is resumed by loading the state and
// continuing: every step can be repeated. An interrupted call is evidence of source "executor", op
// "resume" and type "interrupted". See [Executor.Reopen] for runs that are over.
package executor
