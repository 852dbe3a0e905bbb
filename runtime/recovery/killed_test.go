package recovery

import (
	"context"
	"os"

	"github.com/errgen/errgen/runtime/workspace"
)

// The variables that have the test binary mend in a directory instead of running tests.
const (
	mendIn    = "RECOVERY_MEND"
	mendFix   = "RECOVERY_FIX"
	mendCheck = "RECOVERY_CHECK"
)

func mendThere(dir string) int {
	ctx := context.Background()
	git, err := workspace.Open(ctx, dir, workspace.Options{})
	if err != nil {
		return 3
	}
	tools, err := NewTools(ToolsConfig{Workspace: git, Lock: true})
	if err != nil {
		return 3
	}
	s, err := New(
		Options{Tools: tools, LintFix: Fix{Commands: line(os.Getenv(mendFix)), Check: line(os.Getenv(mendCheck))}})
	if err != nil || s.ApplyLintFix(ctx, says("bad")) != nil {
		return 4
	}
	return 0
}
