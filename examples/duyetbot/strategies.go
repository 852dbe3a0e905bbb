package main

import (
	"context"
	"fmt"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/recovery"
	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

// strategies are what the taxonomy's reactions recover with. A strategy that the taxonomy names and
// recovery.Standard does not have would be one more method here; without it this does not compile.
type strategies struct {
	*recovery.Standard
	tools tools
}

var _ errs.Strategies = strategies{}

// Recover runs the strategy that a failure's reaction names, if the skill has the tool for it.
func (s strategies) Recover(ctx context.Context, failed taxonomy.RecoveryRequest) error {
	name := failed.Reaction.Strategy
	if key := s.tools.lacking(name); key != "" {
		return &recovery.Error{Strategy: name, Message: "The skill's file has no tools." + key + " to run"}
	}
	return errs.Recover(ctx, s, failed)
}

// recoverer returns what mends the skill's failures, within bounds, and tells shows of it.
func (s *session) recoverer(ctx context.Context, sk *skill, shows *shows) (executor.Recoverer, error) {
	runner, err := sk.runner(ctx)
	if err != nil {
		return nil, err
	}
	standard, err := recovery.New(recovery.Options{
		Lanes: s.lanes, Clock: s.clock, Random: s.random, MaxWait: maxWait, Tools: runner,
		LintFix: sk.Tools.Lint.fix(), TypeFix: sk.Tools.Types.fix(), TestFix: sk.Tools.Tests.fix(),
		BuildFix:  sk.Tools.Build.fix(),
		Installer: sk.Tools.Install.installer(),
		Recorded:  shows.recorded, Waiting: shows.waiting,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: tools: %w", sk.path, err)
	}
	limit := recovery.ContainOptions{Limit: maxWait + recovery.DefaultContainLimit}
	return recovery.Contain(strategies{standard, sk.Tools}, limit), nil
}
