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
// A failing call passes through these files, in this order, until the next call. Each bullet names
// the functions to read first.
//
//   - call.go (head, admit, call): limits are checked, the call is admitted, and the host calls the
//     provider
//   - classify.go (Host.Fail): the host turns the error into a [Failure] with a code and a chain of
//     reactions
//   - decide.go (addFailure, decide): the first reaction that is not exhausted is chosen
//   - settle.go (react): a reaction that repeats only the call, or runs a strategy before that, is
//     carried out; any other one waits until the end of the iteration
//   - inspect.go (detect): the changes are found and judged, path by path
//   - revert.go (planRevert, accept): changes that the reactions revert are saved and reverted; the
//     rest is accepted
//   - settle.go (close, end): counters, feedback and waits follow from all failures, and the
//     winning reaction is carried out; head in call.go begins the next iteration
//
// After an answer without errors that stop it, deliver.go checks and commits the work. The setup is
// in setup.go, and the end of a run in end.go.
//
// Loop.Run in run.go runs one [Step] after the other. In step.go, perform carries out the effect of
// a step and reacts to its failure. The host carries out effects in host.go, those on the working
// tree in tree.go. The [Admitter] in admission.go decides whether a call may be made.
//
// # Resuming
//
// The state is saved before each step whose effect must not be repeated blindly, and after each
// answer of a provider or a person. A process that dies there is resumed by loading the state and
// continuing: every step can be repeated. An interrupted call is evidence of source "executor", op
// "resume" and type "interrupted". See [Executor.Reopen] for runs that are over.
package executor
