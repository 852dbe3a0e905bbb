// Package recovery has strategies that mend what a failure says is wrong, and what holds any
// strategy within bounds.
//
//	tools, err := recovery.NewTools(recovery.ToolsConfig{Workspace: git})
//	standard, err := recovery.New(recovery.Options{
//		Tools:   tools,
//		LintFix: recovery.Fix{Commands: fix, Check: check},
//	})
//
//	type strategies struct {
//		*recovery.Standard // seven methods of a generated interface Strategies
//	}
//	func (strategies) FixTheRest(ctx context.Context, failure taxonomy.RecoveryRequest) error { … }
//
// [Standard] has the strategies wait_for_rate_limit, retry_with_backoff, install_dependency,
// apply_lint_fix, apply_type_fix, fix_test and fix_build as methods. A host that embeds it has to
// write those that its taxonomy names besides, or its program does not compile. [ByName] is for
// hosts without a generated interface, [Contain] for strategies that may panic, hang or say what is
// not so.
//
// Commands are the host's own. What a failure says is never an argument, a line for a shell, input
// or environment of one, with two exceptions that a host asks for by a placeholder: the name of a
// package for an [Installer], which must be a plain one that the host allows, and files for a
// [Fix], which must be regular files of the working tree. A mend counts as one when the validation
// that failed passes; otherwise what was changed is saved and put back.
package recovery
