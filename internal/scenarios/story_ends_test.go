package scenarios_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/gittree"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/scope"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/validate"
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
		step.Result.Denied = []string{"rm -rf /"}
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

// TestA162_TimeoutsUpToTheMaximum are tried again until there are too many in a row.
func TestA162_TimeoutsUpToTheMaximum(t *testing.T) {
	t.Parallel()
	s := newStage(t, providertest.CLIHang().WithChild(false).Always())
	path := s.taskFile()
	s.cfg.Limits.Iteration = short
	r := s.run()
	endedAs(t, r, end{executor.StatusBlocked, executor.EndMaxFailures, "timeout", "ITERATION_TIMEOUT"})
	assert.Equal(t, []int{3, 3, 3, 3, 3}, counters(r))
	assert.EqualValues(t, 3, details(t, r, "iteration"))
	assert.EqualValues(t, 1000, details(t, r, "timeoutMs"))
	assert.Equal(t, []string{"[TIMEOUT] Task blocked: " + r.Error}, s.hook.messages())
	assert.Equal(t, []string{"again", "again", "again"}, s.seen.reactions())
	assert.NoFileExists(t, path)
	assert.FileExists(t, s.path("tasks/blocked/42.md"))
	assert.Equal(t, 3, strings.Count(s.logged.String(), "level=WARN msg=\"iteration"), s.logged.String())
	assert.Empty(t, processesIn(s.dir), "the process group was ended and waited for")
}

// TestA163_RateLimitDoesNotCount waits five seconds, and raises no counter.
func TestA163_RateLimitDoesNotCount(t *testing.T) {
	t.Parallel()
	limited := providertest.CLIFixture("claude/api_rate_limit")
	s := newStage(t, limited, limited, limited, limited, providertest.CLIAnswer(theEnd).Write("chapter.txt", "it\n"))
	r := s.run()
	endedAs(t, r, end{executor.StatusCompleted, executor.EndCompleted, "", ""})
	assert.Equal(t, []int{5, 5, 0, 0, 4}, counters(r))
	assert.Equal(t, []time.Duration{5 * time.Second, 5 * time.Second, 5 * time.Second, 5 * time.Second},
		s.clock.slept())
	assert.Equal(t, executor.Wait{Iteration: 1, For: "PROVIDER_RATE_LIMIT", Took: executor.Duration(5 * time.Second)},
		r.Waits[0])
	assert.Equal(t, 4, strings.Count(s.logged.String(), `level=INFO msg="Rate limited, waiting..."`))
	assert.Equal(t, []string{"Write a chapter"}, s.commits())
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

// TestA165_ValidationInTheNextPrompt shows the provider what a check has said, also without a claim
// to be done.
func TestA165_ValidationInTheNextPrompt(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"claimed": theEnd, "not claimed": "more to do"} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t,
				providertest.CLIAnswer(text).Write("draft.txt", "draft\n"),
				providertest.CLIAnswer(theEnd).Write("chapter.txt", "it\n"))
			s.checks.PreCommit = []validate.Command{s.wants("chapter.txt")}
			r := s.run()
			endedAs(t, r, end{executor.StatusCompleted, executor.EndCompleted, "", ""})
			assert.Equal(t, []int{2, 2, 0, 1, 1}, counters(r))
			require.Len(t, s.prompts(), 2)
			assert.NotContains(t, s.prompts()[0], "REPORT")
			assert.Contains(t, s.prompts()[1], "FAIL: TestChapter wants chapter.txt", "the output")
			assert.Contains(t, s.prompts()[1], thePrompt)
			assert.Equal(t, []string{"chapter.txt", "draft.txt"}, s.committed(),
				"both iterations' work, once it is valid")
			assert.Equal(t, []string{"correct"}, s.seen.reactions())
		})
	}
}

// TestA166_UserDenial takes the files back and stops.
func TestA166_UserDenial(t *testing.T) {
	t.Parallel()
	s := newStage(t, providertest.CLIAnswer(theEnd).Write("src/main.txt", "two\n").Write("docs/new.txt", "new\n").
		Always())
	s.scope = scope.Config{Allowed: []string{"docs/**"}, Mode: scope.Ask}
	asked := s.answer("n")
	r := s.run()
	endedAs(t, r, end{executor.StatusFailed, executor.EndFatal, "scope", "SCOPE_USER_DENIED"})
	assert.Equal(t, []int{1, 1, 0, 0, 1}, counters(r))
	assert.Equal(t, []any{"src/main.txt"}, details(t, r, "files"))
	assert.Equal(t, "one\n", s.read("src/main.txt"), "put back")
	assert.Equal(t, "new\n", s.read("docs/new.txt"), "that was allowed")
	assert.Contains(t, asked.String(), "src/main.txt")
	assert.NotContains(t, asked.String(), "docs/new.txt")
	assert.Equal(t, "two", s.saved(r, "src/main.txt"), "nothing is lost")
	assert.Empty(t, s.commits())
	assert.Equal(t, []string{"undo_and_stop"}, s.seen.reactions())
}

// TestA167_RevertFailure aborts immediately if the working tree cannot be restored.
func TestA167_RevertFailure(t *testing.T) {
	t.Parallel()
	s := newStage(t, providertest.CLIAnswer(theEnd).Write("src/main.txt", "two\n").Write("src/a.txt", "a\n").Always())
	s.scope = scope.Config{Forbidden: []string{"src/**"}}
	s.cfg.Workspace = s.unrestorable()
	r := s.run()
	endedAs(t, r, end{executor.StatusFailed, executor.EndFatal, "git", "GIT_REVERT_FAILED"})
	assert.True(t, r.EndsRun)
	assert.Equal(t, []string{"SCOPE_FORBIDDEN undo", "GIT_REVERT_FAILED stop_all"}, reactionsOf(r))
	assert.Contains(t, r.UncheckedFiles, "src/main.txt")
	assert.Equal(t, 1, r.Iterations)
	assert.Equal(t, "two\n", s.read("src/main.txt"), "nothing but what the provider wrote is there")
	assert.Equal(t, "two", s.saved(r, "src/main.txt"))
	assert.Empty(t, s.commits())
	assert.Equal(t, []string{"[GIT] Task failed: " + r.Error}, s.hook.messages())
}

// unrestorable returns the working tree, which cannot be restored.
func (s *stage) unrestorable() executor.Workspace {
	s.t.Helper()
	tree, err := gittree.New(s.t.Context(), s.dir, s.tree)
	require.NoError(s.t, err)
	return unrestorable{tree}
}

type unrestorable struct{ *gittree.Workspace }

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
	s.write(".git/index.lock", "")
	r := s.run()
	endedAs(t, r, end{executor.StatusCompleted, executor.EndCompleted, "", ""})
	assert.Equal(t, []string{
		"GIT_COMMIT_FAILED repeat", "GIT_COMMIT_FAILED go_on", "GIT_COMMIT_FAILED repeat", "GIT_COMMIT_FAILED go_on",
	}, reactionsOf(r))
	assert.Equal(t, []time.Duration{time.Second, time.Second}, s.clock.slept())
	assert.Zero(t, r.Counted)
	assert.Equal(t, []string{"a.txt", "b.txt"}, r.UncommittedFiles)
	assert.Empty(t, s.commits())
	require.Len(t, r.Warnings, 1)
	assert.Contains(t, r.Warnings[0], "continue without commit: git commit failed")
	assert.Contains(t, s.logged.String(), "Gave up on a git operation, going on without it")
	assert.Equal(t, []string{"Task completed: task-42"}, s.hook.messages())
	assert.NoFileExists(t, path)
	assert.FileExists(t, s.path("tasks/completed/42.md"))
	require.NoError(t, os.Remove(s.path(".git/index.lock")))
	assert.Equal(t, "a\n", s.read("a.txt"))
}

// TestA169_UpAndDown is timeout, success, scope error, success, completed.
func TestA169_UpAndDown(t *testing.T) {
	t.Parallel()
	s := newStage(t,
		providertest.CLIHang().Write("half.txt", "half\n"),
		providertest.CLIAnswer("more to do").Write("docs/a.txt", "a\n"),
		providertest.CLIAnswer("more to do").Write("docs/b.txt", "b\n").Write("src/main.txt", "two\n"),
		providertest.CLIAnswer("more to do").Write("docs/b.txt", "better\n"),
		providertest.CLIAnswer(theEnd))
	s.scope = scope.Config{Allowed: []string{"docs/**", "half.txt"}}
	s.cfg.Limits.Iteration = 20 * short
	var failures []int
	r := s.run()
	for _, e := range s.seen.of(executor.IterationEnded) {
		failures = append(failures, e.Failures)
	}
	endedAs(t, r, end{executor.StatusCompleted, executor.EndCompleted, "", ""})
	assert.Equal(t, []int{1, 0, 1, 0, 0}, failures, "a clean iteration sets the counter back")
	assert.Equal(t, []int{5, 5, 0, 2, 2}, counters(r))
	assert.Equal(t, []string{"ITERATION_TIMEOUT again", "SCOPE_OUTSIDE_ALLOWED undo"}, reactionsOf(r))
	assert.Equal(t, "one\n", s.read("src/main.txt"))
	assert.Contains(t, s.prompts()[3], "src/main.txt", "the provider is told")
	assert.NotContains(t, s.prompts()[4], "src/main.txt", "once")
	assert.Equal(t, []string{"docs/a.txt", "docs/b.txt", "half.txt"}, r.CommittedFiles)
	assert.Equal(t, []string{"Write a chapter", "Write a chapter"}, s.commits())
	assert.Equal(t, "better", s.git("show", "HEAD:docs/b.txt"))
}
