// Package temporal runs errgen's executor on Temporal: the loop of a run is a workflow, its effects
// are activities, and its waits are timers. Taxonomy, providers and tasks stay the same.
//
// A worker serves one host with one working tree, by a task queue of its own:
//
//	host, err := executor.New(executor.Config{Table: errs.Table, …, Workspace: tree})
//	w := temporal.NewWorker(c, "build-7", host, temporal.Options{})
//	err = w.Run(worker.InterruptCh())
//
// A program starts a run, and may be another one than the worker:
//
//	runs := temporal.Runs{Client: c, Queue: "build-7", Decode: decode}
//	err = runs.Start(ctx, executor.Task{Run: "fix-42", ID: "42", Prompt: prompt})
//	result, err := runs.Result(ctx, "fix-42")
//
// With [Options].Plans, the worker carries out plans of package plan: [Runs.StartPlan] starts a
// workflow whose children are the steps of the plan.
//
// The history of the workflow is the run's store, so the executor needs none. If a worker dies in a
// call, the run continues with evidence of source "executor", op "resume" and type "interrupted",
// once another worker polls the queue. The history contains prompts and answers: use a data
// converter that encrypts them where the server must not see them.
//
// [Lanes] lets all runs of a credential wait when one of them meets a rate limit. [Failures]
// carries generated errors through the activities and workflows of any program; [RetryPolicy] and
// [ApplicationError] are for programs that let Temporal retry by the table.
package temporal
