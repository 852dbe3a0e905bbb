package main

import (
	"context"
	"fmt"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/recovery"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/workspace"

	"bot.example.com/duyetbot/errs"
)

// strategies are what the taxonomy's reactions recover with. A strategy that the taxonomy names and recovery.Standard does not
// have would be one more method here; without it this does not compile.
type strategies struct {
	*recovery.Standard
}

var _ errs.Strategies = strategies{}

// Recover runs the strategy that a failure's reaction names.
func (s strategies) Recover(ctx context.Context, failed taxonomy.Failed) error {
	return errs.Recover(ctx, s, failed)
}

// recoverer returns what mends the skill's failures, within bounds. What came of each try is told.
func (s *session) recoverer(ctx context.Context, sk *skill, told func(recovery.Record)) (executor.Recoverer, error) {
	o := recovery.Options{
		Lanes: s.lanes, Clock: s.clock, Random: s.random, MaxWait: maxWait, Recorded: told,
		LintFix: sk.Tools.Lint.fix(), TypeFix: sk.Tools.Types.fix(), TestFix: sk.Tools.Tests.fix(), BuildFix: sk.Tools.Build.fix(),
	}
	if in := sk.Tools.Install; in != nil {
		o.Installer = &recovery.Installer{Ecosystem: recovery.NPM, Command: in.Command, Allow: in.Allow}
	}
	if sk.Tools != (tools{}) {
		made, err := toolsIn(ctx, sk.dir())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", sk.path, err)
		}
		o.Tools = made
	}
	standard, err := recovery.New(o)
	if err != nil {
		return nil, fmt.Errorf("%s: tools: %w", sk.path, err)
	}
	return recovery.Contain(strategies{standard}, recovery.ContainOptions{Limit: maxWait + recovery.DefaultContainLimit}), nil
}

// toolsIn returns tools that work in dir. Where that is no working tree of git, nothing can be put back, and fixes refuse to run.
func toolsIn(ctx context.Context, dir string) (recovery.Tools, error) {
	c := recovery.ToolsConfig{Dir: dir}
	if tree, err := workspace.Open(ctx, dir, workspace.Options{}); err == nil {
		c.Workspace, c.Lock = tree, true
	}
	return recovery.NewTools(c)
}

func (f *fix) fix() recovery.Fix {
	if f == nil {
		return recovery.Fix{}
	}
	out := recovery.Fix{Commands: []workspace.Command{{Args: f.Fix}}}
	if len(f.Check) > 0 {
		out.Check = []workspace.Command{{Args: f.Check}}
	}
	return out
}
