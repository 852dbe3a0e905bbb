package scenarios_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/config"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/executor/taskfile"
	"github.com/errgen/errgen/runtime/executor/validate"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// TestScopeRows tests rows about files that a task must not change.
func TestScopeRows(t *testing.T) {
	t.Parallel()
	t.Run("A107 B-A20 the files are put back, new ones too, and it counts", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, providertest.CLIAnswer("more").Write("src/main.txt", "two\n").Write("src/new/x.txt", "x\n").
			Command("rm", "README.md"), providertest.CLIAnswer(theEnd))
		s.scope.Forbidden = []string{"src/**", "README.md"}
		r := s.run()
		endedAs(t, r, end{executor.StatusCompleted, executor.EndCompleted, "", ""})
		assert.Equal(t, []int{2, 2, 0, 1, 1}, counters(r))
		assert.Equal(t, []string{"one\n", "# A book\n"}, []string{s.read("src/main.txt"), s.read("README.md")})
		assert.False(t, s.exists("src/new"))
	})
	t.Run("A108 B-A01 a denial puts the files back first, then stops, and does not count", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, providertest.CLIAnswer(theEnd).Write("src/main.txt", "two\n"))
		s.scope = scope.Config{Ask: []string{"src/**"}}
		s.answer("n")
		r := s.run()
		endedAs(t, r, end{executor.StatusFailed, executor.EndFatal, "scope", "SCOPE_USER_DENIED"})
		assert.Equal(t, "one\n", s.read("src/main.txt"))
		assert.Zero(t, r.Failures)
	})
	t.Run("A109 B-A01 a revert that fails outweighs the denial", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, providertest.CLIAnswer(theEnd).Write("src/main.txt", "two\n"))
		s.cfg.Workspace = s.unrestorable()
		s.scope = scope.Config{Ask: []string{"src/**"}}
		s.answer("n")
		r := s.run()
		endedAs(t, r, end{executor.StatusFailed, executor.EndFatal, "git", "GIT_REVERT_FAILED"})
		assert.Equal(t, []string{"SCOPE_USER_DENIED undo_and_stop", "GIT_REVERT_FAILED stop_all"}, reactionsOf(r))
	})
	t.Run("A133 A134 B-A29 a decision keeps its action, reason and files beside its error", func(t *testing.T) {
		g, err := scope.New(scope.Config{Allowed: []string{"docs/**"}, Forbidden: []string{"src/**"}})
		require.NoError(t, err)
		d := g.Decide([]string{"src/a", "x", "docs/a"})
		assert.Equal(t, []any{scope.Block, []string{"src/a", "x"}}, []any{d.Action, d.Files})
		assert.NotEmpty(t, d.Reason)
		forbidden, ok := errors.AsType[*errs.ScopeError](errs.Classify(d.Err))
		require.True(t, ok)
		assert.Equal(t, "SCOPE_FORBIDDEN", taxonomy.CodeOf(forbidden), "of both kinds the worse")
		assert.Equal(t, "SCOPE_OUTSIDE_ALLOWED", taxonomy.CodeOf(errs.Classify(g.Decide([]string{"x"}).Err)))
		assert.NoError(t, g.Decide([]string{"docs/a"}).Err)
	})
	t.Run("A135 B-A17 nobody to ask is a denial", func(t *testing.T) {
		t.Parallel()
		for _, allow := range []bool{false, true} {
			s := newStage(t, providertest.CLIAnswer(theEnd).Write("src/main.txt", "two\n"))
			s.scope = scope.Config{Ask: []string{"src/**"}}
			s.cfg.ApproveUnattended = allow
			r := s.run()
			if allow {
				endedAs(t, r, end{executor.StatusCompleted, executor.EndCompleted, "", ""})
				continue
			}
			endedAs(t, r, end{executor.StatusFailed, executor.EndFatal, "scope", "SCOPE_USER_DENIED"})
			assert.Equal(t, "one\n", s.read("src/main.txt"))
		}
	})
	t.Run("B-A18 what was approved is remembered", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, providertest.CLIAnswer("more").Write("src/main.txt", "two\n"),
			providertest.CLIAnswer(theEnd).Write("src/main.txt", "three\n"))
		s.scope = scope.Config{Ask: []string{"src/**"}}
		s.answer("y")
		r := s.run()
		endedAs(t, r, end{executor.StatusCompleted, executor.EndCompleted, "", ""})
		assert.Len(t, s.seen.of(executor.Asked), 1)
		assert.Equal(t, "three", s.git("show", "HEAD:src/main.txt"))
	})
	t.Run("B-A19 a completion with a violation counts if what is left is valid", func(t *testing.T) {
		t.Parallel()
		for _, valid := range []bool{true, false} {
			s := newStage(t, providertest.CLIAnswer(theEnd).Write("src/main.txt", "two\n").Write("docs/a.txt", "a\n"),
				providertest.CLIAnswer(theEnd).Write("docs/b.txt", "b\n"))
			s.scope.Forbidden = []string{"src/**"}
			s.checks.PreCommit = []validate.Command{s.wants(
				map[bool]string{true: "docs/a.txt", false: "docs/b.txt"}[valid])}
			r := s.run()
			endedAs(t, r, end{executor.StatusCompleted, executor.EndCompleted, "", ""})
			assert.Equal(t, map[bool]int{true: 1, false: 2}[valid], r.Iterations)
			if !valid {
				assert.Equal(t, []string{"SCOPE_FORBIDDEN undo", "VALIDATION_PRE_COMMIT correct"}, reactionsOf(r))
				assert.Equal(t, 1, r.Counted, "at most once an iteration")
			}
		}
	})
	t.Run("B-A28 patterns are globs", func(t *testing.T) {
		g, err := scope.New(scope.Config{Allowed: []string{"src/**/public"}})
		require.NoError(t, err)
		assert.Equal(t, scope.Block, g.Decide([]string{"src/a/secret"}).Action)
		assert.Equal(t, scope.Allow, g.Decide([]string{"src/a/b/public"}).Action)
	})
	t.Run("B-A10 B-A36 what a failed call has changed is judged too", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, providertest.CLIExit(1, "broken\n").Write("src/main.txt", "two\n").Write("docs/a.txt", "a\n"),
			providertest.CLIAnswer(theEnd))
		s.scope.Forbidden = []string{"src/**"}
		r := s.run()
		endedAs(t, r, end{executor.StatusCompleted, executor.EndCompleted, "", ""})
		assert.Equal(t, []string{"PROVIDER_CRASH again", "SCOPE_FORBIDDEN undo"}, reactionsOf(r))
		assert.Equal(t, 1, r.Counted)
		assert.Equal(t, "one\n", s.read("src/main.txt"))
		assert.Equal(t, []string{"docs/a.txt"}, r.CommittedFiles)
	})
}

// TestGitRows tests rows about commits, pushes and what git says.
func TestGitRows(t *testing.T) {
	t.Parallel()
	done := providertest.CLIAnswer(theEnd).Write("docs/a.txt", "a\n")
	t.Run("A110 A143 B-A08 a push that fails is tried once more, and the task stays completed", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, done)
		s.git("remote", "add", "origin", filepath.Join(t.TempDir(), "nowhere.git"))
		s.cfg.Deliver = executor.DeliverPush
		r := s.run()
		endedAs(t, r, end{executor.StatusCompleted, executor.EndCompleted, "", ""})
		assert.Equal(t, []string{"GIT_PUSH_FAILED repeat", "GIT_PUSH_FAILED go_on"}, reactionsOf(r))
		assert.Contains(t, r.Errors[0].Message, "git push failed: fatal:")
		assert.False(t, r.Pushed)
		assert.Contains(t, shown(r), "continue without push")
		assert.Equal(t, []string{"docs/a.txt"}, r.CommittedFiles)
	})
	t.Run("A110 A142 B-A07 a commit that fails names its files", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, done)
		s.tree.Binary = wrappedGit(t, `case "$*" in *commit-tree*) exit 1 ;; esac`)
		r := s.run()
		endedAs(t, r, end{executor.StatusCompleted, executor.EndCompleted, "", ""})
		assert.Equal(t, []string{"docs/a.txt"}, r.UncommittedFiles)
		assert.Contains(t, string(r.Errors[0].Details), `"files":["docs/a.txt"]`)
	})
	t.Run("A144 a file that cannot be put back is named", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, done.Write("src/main.txt", "two\n"))
		s.cfg.Workspace = s.unrestorable()
		s.scope.Forbidden = []string{"src/**"}
		r := s.run()
		assert.Equal(t, []any{"src/main.txt"}, details(t, r, "files"))
		assert.Contains(t, details(t, r, "rawError"), "read-only")
	})
	t.Run("A145 staging of the task file is covered", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, done)
		s.write("tasks/42.md", "# TASK: x\n")
		f, err := taskfile.NewFiler(
			taskfile.FilerConfig{Root: s.dir, Path: "tasks/42.md", Stage: func(context.Context, []string) error {
				_, err := s.try("add", "--no-such-option")
				return err
			}})
		require.NoError(t, err)
		s.cfg.Filer = f
		r := s.run()
		endedAs(t, r, end{executor.StatusCompleted, executor.EndCompleted, "", ""})
		assert.Contains(t, shown(r), "file_task: git commit failed")
		assert.FileExists(t, s.path("tasks/completed/42.md"))
	})
	t.Run("B-A23 a detection that fails is never no changes", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, done.Command("mv", "../git", "../gone"))
		r := s.executor().Run(t.Context(), s.task)
		assert.Equal(t, "GIT_STATUS_FAILED", r.Errors[0].Code, shown(r))
		assert.NotEqual(t, executor.StatusCompleted, r.Status)
	})
	t.Run("B-A34 only what is listed is committed", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, done)
		s.run()
		assert.Equal(t, []string{"docs/a.txt"}, s.committed())
	})
	t.Run("B-A35 contents are compared, also of what was dirty before, and renames are two changes",
		func(t *testing.T) {
			t.Parallel()
			s := newStage(t, done.Write(dirtyFile, "changed by the provider\n").
				Command("git", "mv", "src/main.txt", "src/renamed -> name.txt"))
			s.scope.Forbidden = []string{dirtyFile, "src/**"}
			r := s.run()
			assert.EqualValues(t, []string{dirtyFile, "src/main.txt", "src/renamed -> name.txt"}, r.Errors[0].Files)
		})
	t.Run("B-A39 a run without iterations left is refused", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, providertest.CLIAnswer("more"), providertest.CLIHang())
		o := s.order("run-1")
		cmd := o.start(t)
		await(t, "the second call", func() bool { return s.calls() == 2 && o.tracks() })
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		r := o.run(t, func(c *executor.Config) { c.Limits.Iterations = 1 })
		assert.Contains(t, []executor.EndReason{executor.EndRefused, executor.EndMaxIterations}, r.EndReason, shown(r))
		assert.Equal(t, 2, s.calls(), "nobody is called")
	})
}

// TestCheckRows tests rows about validation.
func TestCheckRows(t *testing.T) {
	t.Parallel()
	t.Run("A106 A136 A137 B-A09 the error has command, exit code and output, and the agent is told",
		func(t *testing.T) {
			t.Parallel()
			s := newStage(t, providertest.CLIAnswer("more").Write("docs/a.txt", "a\n"))
			s.cfg.Limits.Failures = 1
			s.checks.PreCommit = []validate.Command{{Line: "echo why; exit 7"}}
			r := s.run()
			endedAs(t, r, end{executor.StatusBlocked, executor.EndMaxFailures, "validation", "VALIDATION_PRE_COMMIT"})
			assert.Equal(t, "echo why; exit 7", details(t, r, "command"))
			assert.EqualValues(t, 7, details(t, r, "exitCode"))
			assert.Equal(t, "why\n", details(t, r, "output"))
		})
	for phase, code := range map[executor.Phase]string{
		executor.PrePush: "VALIDATION_PRE_PUSH", executor.PrePR: "VALIDATION_PRE_PR",
	} {
		t.Run("B-A16 "+code, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, providertest.CLIAnswer(theEnd).Write("docs/a.txt", "a\n"),
				providertest.CLIAnswer(theEnd).Write("docs/b.txt", "b\n"))
			remote := t.TempDir()
			s.git("init", "-q", "--bare", remote)
			s.git("remote", "add", "origin", remote)
			s.tree.PR = []string{"sh", "-c", "echo https://example.org/pr/1"}
			s.cfg.Deliver = executor.DeliverPullRequest
			check := []validate.Command{s.wants("docs/b.txt")}
			if phase == executor.PrePush {
				s.checks.PrePush = check
			} else {
				s.checks.PrePR = check
			}
			r := s.run()
			endedAs(t, r, end{executor.StatusCompleted, executor.EndCompleted, "", ""})
			assert.Equal(t, []string{code + " correct"}, reactionsOf(r))
			assert.Contains(t, s.prompts()[1], "FAIL: TestChapter wants docs/b.txt")
			assert.Equal(t, "https://example.org/pr/1", r.PullRequest)
			branch := "errgen/" + s.task.Run
			assert.Equal(t, s.git("rev-parse", branch), s.git("--git-dir="+remote, "rev-parse", branch))
		})
	}
}

// TestConfigRows tests rows A138 to A141.
func TestConfigRows(t *testing.T) {
	t.Parallel()
	const secret = "sk-ant-api03-very-secret-value-of-the-story"
	tests := []struct{ row, text, code string }{
		{"A138 a file that is missing", "", "CONFIG_MISSING"},
		{"A139 a file that does not parse", "model: [", "CONFIG_PARSE_ERROR"},
		{"A140 B-A30 a variable that is not set", "model: ${NO_SUCH_VARIABLE_IN_THE_STORY}", "CONFIG_ENV_VAR_MISSING"},
		{"A141 B-A22 a bad value", "retries: " + secret, "CONFIG_INVALID"},
	}
	for _, test := range tests {
		t.Run(test.row, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "aidf.yml")
			if test.text != "" {
				require.NoError(t, os.WriteFile(path, []byte(test.text), 0o600))
			}
			var into settings
			_, err := config.Load(path, &into)
			classified := errs.Classify(err)
			assert.Equal(t, test.code, taxonomy.CodeOf(classified))
			assert.NotContains(t, classified.Error(), secret)
		})
	}
	t.Run("B-A30 what was expanded is not read again", func(t *testing.T) {
		var into settings
		_, err := config.Parse("aidf.yml", []byte("model: $${HOME} ${PASSWORD}"), &into,
			config.Env(func(string) (string, bool) { return "a$x${y}", true }))
		require.NoError(t, err)
		assert.Equal(t, "${HOME} a$x${y}", into.Model)
	})
}

// TestLockedByAnother says who has the working tree.
func TestLockedByAnother(t *testing.T) {
	t.Parallel()
	s := newStage(t, providertest.CLIAnswer(theEnd))
	ws, err := workspace.New(t.Context(), s.dir, s.task.Run, s.tree)
	require.NoError(t, err)
	space, err := ws.Open(t.Context(), s.task.Run)
	require.NoError(t, err)
	defer func() { require.NoError(t, space.Close(true)) }()
	r := s.run()
	endedAs(t, r, end{executor.StatusFailed, executor.EndFatal, "permission", "PERMISSION_FILE_ACCESS"})
	assert.Contains(t, r.Error, "run run-1")
	assert.Zero(t, s.calls())
}

// TestA170_WaitsAreOnTheClock waits twenty minutes in no time.
func TestA170_WaitsAreOnTheClock(t *testing.T) {
	t.Parallel()
	s := newStage(t, providertest.CLILimited("claude/rate_limit", time.Date(2026, 3, 1, 12, 20, 0, 0, time.UTC)),
		providertest.CLIAnswer(theEnd))
	began := time.Now()
	r := s.run()
	endedAs(t, r, end{executor.StatusCompleted, executor.EndCompleted, "", ""})
	assert.Equal(t, 20*time.Minute, time.Duration(r.Waited))
	assert.Less(t, time.Since(began), 20*time.Minute)
}
