// Package recovery handles the failures of operations as a taxonomy specifies: it classifies and
// reports a failure, runs the strategy of its reaction, waits, and calls the operation again.
//
//	h, err := recovery.NewHandler(recovery.Config{Table: table, Classify: classify})
//	out := h.Handle(ctx, recovery.Op{Name: "list issues", Source: "github", Do: list})
//
// [Standard] has seven strategies, which a host configures with the commands of its tools:
//
//	standard, err := recovery.New(recovery.Options{
//		Tree:  tree, // reverts a fix that does not help
//		Tools: map[string]recovery.Tool{"lint": {Fix: fix, Check: check}},
//	})
//	err = standard.Run(ctx, "apply_lint_fix", taxonomy.RecoveryRequest{Err: failure}) // without a handler
//
// All commands come from the host. The text of a failure is never an argument, a shell line, input
// or environment of a command, with two exceptions: the placeholder {package}, the name of a
// package that the host allows, and {file} or {files}, regular files of the working tree.
package recovery
