package scenarios_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// short is a limit for what never ends by itself.
const short = time.Second

// end is how a story ends.
type end struct {
	status   executor.Status
	reason   executor.EndReason
	category string
	code     string
}

// endedAs checks how a run has ended, and that its error says the same as its fields.
func endedAs(t *testing.T, r *executor.Result, want end) {
	t.Helper()
	assert.Equal(t, want, end{r.Status, r.EndReason, r.ErrorCategory, r.ErrorCode}, "%s %v", r.Error, r.Warnings)
	if want.code == "" {
		assert.Empty(t, r.Error)
		assert.NoError(t, r.Err)
		return
	}
	assert.NotEmpty(t, r.Error)
	assert.Equal(t, want.code, taxonomy.CodeOf(r.Err))
}

// details returns a field of the error's context.
func details(t *testing.T, r *executor.Result, field string) any {
	t.Helper()
	var d map[string]any
	require.NoError(t, json.Unmarshal(r.ErrorDetails, &d), "%s", r.ErrorDetails)
	return d[field]
}

// TestA160_ConfigError aborts at once.
func TestA160_ConfigError(t *testing.T) {
	t.Parallel()
	s := newStage(t, providertest.CLIAnswer(theEnd).Always())
	path := s.taskFile()
	s.cfg.Provider = configured(s, "model: ${NO_SUCH_VARIABLE_IN_THE_STORY}\n")
	r := s.run()
	endedAs(t, r, end{executor.StatusFailed, executor.EndFatal, "config", "CONFIG_ENV_VAR_MISSING"})
	assert.True(t, r.EndsRun, "no other task would get further")
	assert.Equal(t, "NO_SUCH_VARIABLE_IN_THE_STORY", details(t, r, "envVar"))
	assert.Equal(t, []int{1, 1, 0, 0, 1}, counters(r))
	assert.Empty(t, r.Waits)
	assert.Zero(t, s.calls(), "nobody was asked")
	assert.Empty(t, s.commits())
	assert.Equal(t, []string{"[CONFIG] Task failed: environment variable NO_SUCH_VARIABLE_IN_THE_STORY is not set"},
		s.hook.messages())
	assert.NoFileExists(t, path)
	assert.FileExists(t, s.path("tasks/failed/42.md"))
	assert.Contains(t, s.logged.String(), "code=CONFIG_ENV_VAR_MISSING")
	assert.Contains(t, s.logged.String(), "category=config")
}

// counters are iterations, calls, consecutive failures, counted failures, errors.
func counters(r *executor.Result) []int {
	return []int{r.Iterations, r.Calls, r.Failures, r.Counted, r.ErrorCount}
}

// TestA161_PermissionError aborts immediately, whatever the source.
func TestA161_PermissionError(t *testing.T) {
	t.Parallel()
	t.Run("credentials", func(t *testing.T) {
		s := newStage(t, providertest.CLIFixture("claude/auth").Always())
		r := s.run()
		endedAs(t, r, end{executor.StatusFailed, executor.EndFatal, "permission", "PERMISSION_API_AUTH"})
		assert.True(t, r.EndsRun)
		assert.Equal(t, []int{1, 1, 0, 0, 1}, counters(r))
		assert.Equal(t, "claude-cli", details(t, r, "provider"))
		assert.Equal(t, []string{"[PERMISSION] Task failed: authentication failed for provider claude-cli"},
			s.hook.messages())
	})
	t.Run("blocked command", func(t *testing.T) {
		step := providertest.CLIAnswer("I may not.\nTASK COMPLETE").Write("chapter.txt", "it\n")
		step = step.With("permission_denials", []any{map[string]any{
			"tool_name": "Bash", "tool_input": map[string]any{"command": "rm -rf /"},
		}})
		s := bareStage(t)
		s.useCLI(claudecli.Options{Policy: "strict"}, step)
		r := s.run()
		endedAs(t, r, end{executor.StatusFailed, executor.EndFatal, "permission", "PERMISSION_COMMAND_BLOCKED"})
		assert.False(t, r.EndsRun, "another task may need no such command")
		assert.Equal(t, "rm -rf /", details(t, r, "command"))
		assert.Equal(t, "strict", details(t, r, "policy"))
		assert.Empty(t, s.commits())
		assert.Equal(t, []string{"chapter.txt"}, r.UncommittedFiles,
			"what it wrote was allowed, but nobody committed it")
	})
	t.Run("skipping the checks", func(t *testing.T) {
		s := bareStage(t)
		s.useCLI(claudecli.Options{SkipPermissions: true}, providertest.CLIAnswer(theEnd))
		r := s.run()
		endedAs(t, r, end{executor.StatusFailed, executor.EndFatal, "permission", "PERMISSION_SKIP_DENIED"})
		assert.Zero(t, r.Iterations)
		assert.Zero(t, s.calls())
	})
}

// TestA164_NotAvailable aborts at once, before the first iteration or in one.
func TestA164_NotAvailable(t *testing.T) {
	t.Parallel()
	t.Run("before the first iteration", func(t *testing.T) {
		s := newStage(t, providertest.CLIAnswer(theEnd))
		require.NoError(t, os.Remove(s.cli.Path))
		r := s.run()
		endedAs(t, r, end{executor.StatusFailed, executor.EndFatal, "provider", "PROVIDER_NOT_AVAILABLE"})
		assert.True(t, r.EndsRun)
		assert.Equal(t, []int{0, 0, 0, 0, 1}, counters(r))
		assert.Equal(t, []string{"[PROVIDER] Task failed: provider claude-cli is not available"}, s.hook.messages())
	})
	t.Run("in an iteration", func(t *testing.T) {
		s := newStage(t)
		require.NoError(t, s.cli.Add(providertest.CLIAnswer("more to do").Command("rm", s.cli.Path)))
		r := s.run()
		endedAs(t, r, end{executor.StatusFailed, executor.EndFatal, "provider", "PROVIDER_NOT_AVAILABLE"})
		assert.Equal(t, []int{2, 2, 0, 0, 1}, counters(r))
	})
}

// unrestorable returns the working tree, which cannot be restored.
func (s *stage) unrestorable() executor.Workspace {
	s.t.Helper()
	tree, err := workspace.New(s.t.Context(), s.dir, s.task.Run, s.tree)
	require.NoError(s.t, err)
	return unrestorable{tree}
}

type unrestorable struct{ *workspace.Workspace }

func (u unrestorable) Open(ctx context.Context, run string) (executor.Space, error) {
	space, err := u.Workspace.Open(ctx, run)
	return brokenSpace{space}, err
}

type brokenSpace struct{ executor.Space }

func (brokenSpace) Restore(_ context.Context, _ executor.Tree, paths []string) (executor.Tree, error) {
	return "", &taxonomy.Evidence{Source: "git", Op: "revert", Type: "left", Files: paths, Text: "read-only"}
}

// TestA168_CommitFailure is retried once. Then the work continues without the commit.
func TestA168_CommitFailure(t *testing.T) {
	t.Parallel()
	s := newStage(t, providertest.CLIAnswer("more to do").Write("a.txt", "a\n"),
		providertest.CLIAnswer(theEnd).Write("b.txt", "b\n"))
	path := s.taskFile()
	s.tree.Binary = wrappedGit(t, `case "$*" in *commit-tree*) exit 1 ;; esac`)
	r := s.run()
	endedAs(t, r, end{executor.StatusCompleted, executor.EndCompleted, "", ""})
	assert.Equal(t, []string{
		"GIT_COMMIT_FAILED repeat", "GIT_COMMIT_FAILED go_on", "GIT_COMMIT_FAILED repeat", "GIT_COMMIT_FAILED go_on",
	}, reactionsOf(r))
	assert.Equal(t, []time.Duration{time.Second, time.Second}, s.clock.slept())
	assert.Zero(t, r.Counted)
	assert.Equal(t, []string{"a.txt", "b.txt"}, r.UncommittedFiles)
	assert.Empty(t, s.commits())
	require.Len(t, r.Warnings, 2, "also the uncommitted files of the person")
	assert.Contains(t, r.Warnings[1], "continue without commit: git commit failed")
	assert.Contains(t, s.logged.String(), "A git operation failed, continuing without it")
	assert.Equal(t, []string{"Task completed: task-42"}, s.hook.messages())
	assert.NoFileExists(t, path)
	assert.FileExists(t, s.path("tasks/completed/42.md"))
	assert.Equal(t, "a\n", s.read("a.txt"), "the work is in the clone of the run")
}
