// Package executor runs a task through a provider, and reacts to each failure as the taxonomy's
// table specifies. It depends on reactions only, never on a particular code or category.
//
//	e, err := executor.New(executor.Config{
//		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Provider: claude,
//		Workspace: tree, Guard: paths, Validator: tests, Deliver: executor.DeliverCommits,
//	})
//	result := e.Run(ctx, executor.Task{ID: "42", Title: "Fix the parser", Prompt: prompt})
//
// A run is a value, [RunState]. A [Loop] carries it from [Step] to step. Everything outside of the
// loop is behind [Env]: its effects are plain data, carried out by a [Host]. So the same loop runs
// in this process (an [Executor]) and as the workflow of an engine.
//
// # One iteration
//
// The files of this package follow a call to the next one. In run.go a run begins, is resumed and
// ends; step.go carries out its steps.
//
//   - setup.go: the lock, the setup, and the head of an iteration with its limits and admission
//   - call.go: the provider is called
//   - classify.go: a failure gets its code and its reactions, as data
//   - decide.go: the first reaction that is not exhausted is chosen
//   - inspect.go: the changes are found and judged, path by path
//   - revert.go: changes that the reactions revert are saved and reverted; the rest is accepted
//   - deliver.go: work is checked and committed; finished work is pushed
//   - settle.go: counters, feedback and waits follow from all failures, and the winning reaction
//     is carried out
//
// # Resuming
//
// The state is saved before each step whose effect must not be repeated blindly, and after each
// answer of a provider or a person. A process that dies there is resumed by loading the state and
// continuing: every step can be repeated. An interrupted call is evidence of source "executor", op
// "resume" and type "interrupted". See [Executor.Reopen] for runs that are over.
package executor
