package recovery

import (
	"context"
	"maps"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The names of the strategies of [Standard].
const (
	NameWaitForRateLimit  = "wait_for_rate_limit"
	NameRetryWithBackoff  = "retry_with_backoff"
	NameInstallDependency = "install_dependency"
	NameApplyLintFix      = "apply_lint_fix"
	NameApplyTypeFix      = "apply_type_fix"
	NameFixTest           = "fix_test"
	NameFixBuild          = "fix_build"
)

// Strategy mends, or returns why it could not. Nil means that the failed work may be tried again.
type Strategy func(ctx context.Context, failure taxonomy.RecoveryRequest) error

// Strategies returns the strategies by name, for [ByName].
func (s *Standard) Strategies() map[string]Strategy {
	return map[string]Strategy{
		NameWaitForRateLimit:  s.WaitForRateLimit,
		NameRetryWithBackoff:  s.RetryWithBackoff,
		NameInstallDependency: s.InstallDependency,
		NameApplyLintFix:      s.ApplyLintFix,
		NameApplyTypeFix:      s.ApplyTypeFix,
		NameFixTest:           s.FixTest,
		NameFixBuild:          s.FixBuild,
	}
}

// ByName returns a recoverer for a program without a generated interface. A reaction that names a
// strategy that is not among them fails with an [Error]. The map is copied.
func ByName(strategies map[string]Strategy) executor.Recoverer { return byName(maps.Clone(strategies)) }

type byName map[string]Strategy

func (b byName) Recover(ctx context.Context, failed taxonomy.RecoveryRequest) error {
	name := failed.Reaction.Strategy
	if strategy := b[name]; strategy != nil {
		return strategy(ctx, failed)
	}
	of := taxonomy.CategoryOf(failed.Err)
	if of == "" {
		of = "strategy " + quotedASCII(name)
	}
	return &Error{Strategy: name, Message: "No recovery strategy found for error: " + of}
}
